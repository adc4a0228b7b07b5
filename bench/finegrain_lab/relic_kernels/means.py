# SPDX-License-Identifier: Apache-2.0
"""Geometric means over the kernels, each with its interval, from the rounds of a result file."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from finegrain_lab import statistics
from finegrain_lab.measurements import ratios_of
from finegrain_lab.ratios import ratio_text, with_interval
from finegrain_lab.relic_kernels.cases import KERNELS
from finegrain_lab.relic_kernels.results import Result
from finegrain_lab.runtimes import SERIAL


@dataclass(frozen=True)
class Mean:
    """A geometric mean of medians of ratios of the same round."""

    value: float
    ci95: tuple[float, float]

    def __str__(self) -> str:
        """Returns it for a table."""
        return ratio_text(self.value, self.ci95)

    @property
    def told(self) -> str:
        """Returns it for a sentence."""
        return with_interval(self.value, self.ci95)


def speedup(result: Result, runtime: str) -> Mean | None:
    """Returns the runtime's speedup over serial, None without all kernels."""
    return over(result, runtime, SERIAL)


def over(result: Result, runtime: str, other: str) -> Mean | None:
    """Returns how many times as fast as the other one the runtime is, None without all kernels."""
    return _mean([_ratios(result, case, runtime, other) for case in KERNELS])


def of_bound(result: Result, runtime: str) -> Mean | None:
    """Returns the speedup as a share of what the floor of the same round lets any runtime have."""
    floors = _floors(result)
    shares = []
    for case in KERNELS:
        speedups = _ratios(result, case, runtime, SERIAL)
        serial = result.row(case, SERIAL)
        if serial is None or len(speedups) != len(floors):
            return None
        bounds = map(statistics.bound, serial.samples, floors)
        shares.append([one / most for one, most in zip(speedups, bounds, strict=True)])
    return _mean(shares)


def _ratios(result: Result, case: str, runtime: str, other: str) -> list[float]:
    rows = result.row(case, runtime), result.row(case, other)
    return ratios_of(rows[1].samples, rows[0].samples) if rows[0] and rows[1] else []


def _floors(result: Result) -> list[float]:
    """Returns the floor of each round: every round measures it as often."""
    samples = result.floor_samples
    per_round = len(samples) // result.rounds
    starts = range(0, per_round * result.rounds, per_round)
    return [statistics.median(samples[at : at + per_round]) for at in starts]


def _mean(ratios: Sequence[Sequence[float]]) -> Mean | None:
    return _mean_of(tuple(map(tuple, ratios))) if all(len(them) > 1 for them in ratios) else None


@lru_cache(maxsize=256)  # a table asks for the same ones several times, and a second each is long
def _mean_of(ratios: tuple[tuple[float, ...], ...]) -> Mean:
    return Mean(
        statistics.geometric_mean(map(statistics.median, ratios)),
        statistics.geometric_mean_of_medians_ci(ratios),
    )
