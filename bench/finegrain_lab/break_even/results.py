# SPDX-License-Identifier: Apache-2.0
"""break-even.json."""

from finegrain_lab.results import Record, ResultFile


class Row(Record):
    """One grain of one ratio, always handed over, as the controller decides, or as the oracle.

    `ns` and `serial_ns` are of one call of both branches; `speedup` is the median of the processes'
    ratios, with its interval.
    """

    case: str
    runtime: str
    ratio: str
    grain_ns: float
    ns: float
    ns_ci95: tuple[float, float]
    serial_ns: float
    speedup: float
    ci95: tuple[float, float]
    of_oracle: float | None  # the controller's alone: the oracle's time over its own, paired
    of_oracle_ci95: tuple[float, float] | None
    offloaded_share: float
    samples: list[float]  # a process's mean


class WrongShare(Record):
    """The share of the controller's calls that the oracle would have decided otherwise.

    Only where serial and always differ by more than the margin. `overall` is the mean over these
    cases, each counting the same: short grains have a thousand times the calls of long ones.
    """

    margin: float
    overall: float | None  # None: the arms differ nowhere
    cases: dict[str, float]


class Settings(Record):
    """What was run."""

    batches: int
    batch_ms: int
    spin_steps_per_us: float


class Result(ResultFile):
    """The result file."""

    settings: Settings
    cases: list[str]
    runtimes: list[str]
    results: list[Row]
    break_even_ns: dict[str, float | None]  # by ratio; None: it never pays
    round_trip_ns: float | None  # the controller's own, median of the processes
    wrong_share: WrongShare

    def row(self, case: str, runtime: str) -> Row | None:
        """Returns the row, None if it failed or was not asked for."""
        return next(
            (row for row in self.results if (row.case, row.runtime) == (case, runtime)), None
        )

    def steady(self, ratio: str, runtime: str) -> list[Row]:
        """Returns the rows of a ratio's sites that do not change, by grain."""
        return [
            row
            for row in self.results
            if (row.ratio, row.runtime) == (ratio, runtime) and not row.case.startswith("change-")
        ]
