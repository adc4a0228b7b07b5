# SPDX-License-Identifier: Apache-2.0
"""What every experiment's result comes down to: rows of times that can be held side by side."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from finegrain_lab.run.drop_in import WITH_DROP_IN
from finegrain_lab.run.experiment import Experiment
from finegrain_lab.show import statistics
from finegrain_lab.show.result import Result
from finegrain_lab.show.rows import Fields

LEAST_PAIRS = 2  # of an interval
_OUR_NAMES = ("relic", "pool", "x-openmp-", "finegrain-")
# What rows are held against, and nobody would run instead.
_YARDSTICKS = ("serial", "ceiling", "oracle", "floor-")


@dataclass(frozen=True)
class Measurement:
    """One row, the same in every run of its experiment that has its key.

    `reference` is what the experiment holds the row against, as another row of it is named.
    """

    experiment: str
    case: str  # with all that tells rows apart but the runtime: "fib, 2 threads"
    runtime: str  # with the policy where there are several
    ours: bool
    default: bool  # of ours, under its default policy and settings
    samples: Sequence[float]  # ns, lower is better, one a round
    reference: str | None
    reference_samples: Sequence[float] = ()  # of the same rounds; empty where the file lacks them
    size: str = ""  # of the work, in words, where the mode chooses it: another is another row
    serial_samples: Sequence[float] = ()  # the serial process's; empty where the case has none

    @property
    def key(self) -> tuple[str, ...]:
        """What tells it from all others."""
        return self.experiment, self.case, self.size, self.runtime

    @property
    def ratios(self) -> list[float]:
        """Its times over the reference's, round by round.

        Empty where the two have none.
        """
        return ratios_of(self.samples, self.reference_samples)

    @property
    def is_yardstick(self) -> bool:
        """Says whether it is no runtime."""
        return self.runtime.startswith(_YARDSTICKS)

    @cached_property
    def speedups(self) -> list[float]:
        """Serial's times over its own, round by round.

        Empty where the two have none.
        """
        return ratios_of(self.serial_samples, self.samples)

    @cached_property
    def speedup_ci95(self) -> tuple[float, float] | None:
        """The interval of its speedup over serial, None of too few rounds."""
        enough = len(self.speedups) >= LEAST_PAIRS
        return statistics.median_ci(self.speedups) if enough else None


def measurements_of(experiment: Experiment, result: Result) -> list[Measurement]:
    """Returns the rows of a result side by side, by what the experiment says of each."""
    if experiment.is_simulated:
        return []
    return [_measurement(experiment, result, row) for row in result.rows]


def _measurement(experiment: Experiment, result: Result, row: Fields) -> Measurement:
    told = experiment.compared(result, row)
    over = told.over if told.over is not row else None
    return Measurement(
        experiment=result.experiment,
        case=told.case,
        runtime=told.runtime,
        ours=is_ours(told.runtime),
        default=told.is_default,
        samples=told.times_of(row),
        reference=told.over_name or (over.runtime if over else None),
        reference_samples=told.times_of(over) if over else (),
        size=told.size,
        serial_samples=told.times_of(told.serial) if told.serial else (),
    )


def by_case(measurements: Iterable[Measurement]) -> dict[str, list[Measurement]]:
    """Returns the rows of each case, in their order."""
    found: dict[str, list[Measurement]] = {}
    for row in measurements:
        found.setdefault(row.case, []).append(row)
    return found


def ratios_of(times: Sequence[float], others: Sequence[float]) -> list[float]:
    """Returns the ratios of two rows' times, round by round.

    Empty where they were not measured in the same rounds, and of an overhead of 0 or less: that has
    drowned in the clock's noise.
    """
    if len(times) != len(others) or min(*times, *others) <= 0:
        return []
    return [ns / other for ns, other in zip(times, others, strict=True)]


def is_ours(runtime: str) -> bool:
    """Says whether it is finegrain's: no peer, and nothing that all are held against."""
    return runtime.startswith(_OUR_NAMES) or WITH_DROP_IN in runtime


def under(runtime: str, policy: str) -> str:
    """Returns the name of a runtime under one of its wait policies."""
    return f"{runtime} ({policy})"
