# SPDX-License-Identifier: Apache-2.0
"""Where nobody surely beats serial: what is best there is no gain, since nobody would run it."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from finegrain_lab.run.drop_in import shown_name
from finegrain_lab.show import statistics
from finegrain_lab.show.measurements import Measurement, by_case


@dataclass(frozen=True)
class Unbeaten:
    """A case in which no runtime is surely faster than serial, and the one that comes nearest."""

    case: str
    runtime: str
    speedup: float  # over serial

    def __str__(self) -> str:
        """Returns it as it stands in a list."""
        return f"{self.case} ({shown_name(self.runtime)} {self.speedup:.2f})"


def unbeaten_cases(measurements: Iterable[Measurement]) -> list[Unbeaten]:
    """Returns them, of the cases that have a serial process."""
    found = (unbeaten_case(rows) for rows in by_case(measurements).values())
    return [each for each in found if each]


def unbeaten_case(rows: Sequence[Measurement]) -> Unbeaten | None:
    """Returns the case of these rows, None where a runtime beats serial or there is none."""
    compared = [row for row in rows if row.speedups and not row.is_yardstick]
    if not compared or any(map(_beats_serial, compared)):
        return None
    nearest = max(compared, key=_speedup)
    return Unbeaten(nearest.case, nearest.runtime, _speedup(nearest))


def unbeaten_lines(cases: Sequence[Unbeaten]) -> list[str]:
    """Returns what stands below a table, nothing without such a case."""
    return [f"nobody surely beats serial: {'; '.join(map(str, cases))}"] if cases else []


def _beats_serial(row: Measurement) -> bool:
    interval = row.speedup_ci95 if _speedup(row) > 1 else None  # an interval takes a while
    return interval is not None and interval[0] > 1


def _speedup(row: Measurement) -> float:
    return statistics.median(row.speedups)
