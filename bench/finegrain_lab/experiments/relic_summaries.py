# SPDX-License-Identifier: Apache-2.0
"""What relic-kernels says over all kernels, and over the next best runtime."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from statistics import mean, median
from typing import Any, Dict, List, Optional, Sequence, Tuple

from finegrain_lab.experiments.relic_cases import KERNELS, NEVER, SPIN, SPIN_CASES
from finegrain_lab.run.experiment import Experiment
from finegrain_lab.run.runtimes import OURS, SERIAL
from finegrain_lab.show.tables import (
    Interval,
    is_sure,
    with_interval,
)


@dataclass(frozen=True)
class Mean:
    """A geometric mean over the kernels, of medians of ratios of the same round."""

    value: float
    ci95: Interval

    @property
    def is_sure(self) -> bool:
        """Whether its interval is no wider than itself."""
        return is_sure(self.value, self.ci95)

    @property
    def told(self) -> str:
        """Returns it for a sentence."""
        return with_interval(self.value, self.ci95)


def over(result: Any, runtime: str, other: str = SERIAL) -> Optional[Mean]:
    """Returns how many times as fast as the other one the runtime is, None without all kernels."""
    return _mean([_ratios(result, case, runtime, other) for case in KERNELS])


def of_bound(result: Any, runtime: str) -> Optional[Mean]:
    """Returns the speedup as a share of what the floor of the same round lets any runtime have."""
    from finegrain_lab.show.statistics import bound

    per_round = len(result.floor_samples) // result.rounds  # every round measures it as often
    starts = range(0, per_round * result.rounds, per_round)
    floors = [median(result.floor_samples[at : at + per_round]) for at in starts]
    shares = []
    for case in KERNELS:
        speedups = _ratios(result, case, runtime, SERIAL)
        serial = result.row(case=case, runtime=SERIAL)
        if serial is None or len(speedups) != len(floors):
            return None
        bounds = map(bound, serial.samples, floors)
        shares.append([speedup / most for speedup, most in zip(speedups, bounds)])
    return _mean(shares)


@dataclass(frozen=True)
class Summary:
    """A runtime over all kernels."""

    speedup: Mean
    no_negative: float  # the same where a slowdown counts as serial
    offloaded_share: float


def summaries_of(result: Any) -> Dict[str, Summary]:
    """Returns those of the runtimes that have all kernels."""
    from finegrain_lab.show.statistics import geometric_mean_no_negative

    found = {}
    for name in result.runtimes:
        if speedup := over(result, name):
            rows = kernel_rows(result, name)
            found[name] = Summary(
                speedup,
                geometric_mean_no_negative(row.speedup for row in rows),
                mean(row.offloaded_share for row in rows),
            )
    return found


def bounds_of(result: Any) -> Dict[str, float]:
    """Returns the best speedup of each kernel if handing over costs the floor."""
    from finegrain_lab.show.statistics import bound

    serial = kernel_rows(result, SERIAL)
    return {row.case: bound(row.ns, result.floor_ns) for row in serial}


def bound_of(result: Any) -> Optional[float]:
    """Returns their geometric mean, None without all kernels."""
    from finegrain_lab.show.statistics import geometric_mean

    bounds = bounds_of(result)
    return geometric_mean(bounds.values()) if len(bounds) == len(KERNELS) else None


def leads_of(described: Experiment, result: Any) -> List[List[str]]:
    """Returns who leads on each kernel, over whom, and how far: their times of the same round.

    Where the host changes during a run, two runtimes' intervals over serial can overlap although
    one was faster in every round; this ratio shows it. Without the kernels on which nobody surely
    beats serial.
    """
    from finegrain_lab.show.measurements import measurements_of
    from finegrain_lab.show.serial import unbeaten_cases
    from finegrain_lab.show.statistics import median_ci

    unbeaten = {each.case for each in unbeaten_cases(measurements_of(described, result))}
    leads = []
    for case in among(KERNELS, result):
        rows = [row for row in result.rows_of(case=case) if row.runtime != SERIAL]
        ranked = sorted(rows, key=lambda row: row.speedup, reverse=True)
        if len(ranked) > 1 and case not in unbeaten:
            first, second = (row.runtime for row in ranked[:2])
            ratios = _ratios(result, case, first, second)
            if len(ratios) > 1:
                text = with_interval(median(ratios), median_ci(ratios))
                leads.append([case, first, second, text])
    return leads


def pays_from(result: Any, runtime: str) -> str:
    """Returns the task length from which on a runtime beats serial, or a dash."""
    from finegrain_lab.show.statistics import first_that_pays

    rows = [result.row(case=case, runtime=runtime) for case in among(SPIN_CASES, result)]
    first = first_that_pays({row.case: row.speedup for row in rows if row})
    return first[len(SPIN) :] if first else NEVER


def peers_of(result: Any) -> List[str]:
    """Returns the measured runtimes that others made."""
    return [name for name in result.runtimes if name != SERIAL and name not in OURS]


def among(cases: Sequence[str], result: Any) -> List[str]:
    """Returns those of the cases that the result has."""
    return [case for case in cases if case in result.cases]


def kernel_rows(result: Any, runtime: str) -> List[Any]:
    """Returns a runtime's rows of kernels."""
    return [row for row in result.rows_of(runtime=runtime) if row.case in KERNELS]


def _ratios(result: Any, case: str, runtime: str, other: str) -> List[float]:
    from finegrain_lab.show.measurements import ratios_of

    own, others = (result.row(case=case, runtime=name) for name in (runtime, other))
    return ratios_of(others.samples, own.samples) if own and others else []


def _mean(ratios: Sequence[Sequence[float]]) -> Optional[Mean]:
    return _mean_of(tuple(map(tuple, ratios))) if all(len(them) > 1 for them in ratios) else None


@lru_cache(maxsize=256)  # a table asks for the same ones several times, and a second each is long
def _mean_of(ratios: Tuple[Tuple[float, ...], ...]) -> Mean:
    from finegrain_lab.show import statistics

    value = statistics.geometric_mean(map(median, ratios))
    return Mean(value, statistics.geometric_mean_of_medians_ci(ratios))
