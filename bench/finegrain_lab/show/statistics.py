# SPDX-License-Identifier: Apache-2.0
"""Pure functions over samples."""

import math
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

CONFIDENCE = 0.95
RESAMPLES = 9_999  # an interval's end then moves by less than its own width/50
SEED = 20240501  # the same samples give the same interval


def median(values: Sequence[float]) -> float:
    """Returns the median of at least one value."""
    if not values:
        raise ValueError("the median of nothing")
    return float(np.median(values))


def median_ci(values: Sequence[float]) -> tuple[float, float]:
    """Returns the bootstrap interval of the median of at least two values.

    The percentile method: BCa's acceleration comes from a jackknife, which for the median has two
    or three distinct values and, with equal samples, none.
    """
    if len(values) < 2:
        raise ValueError("an interval needs at least two samples")
    return _median_ci(tuple(values))


@lru_cache(maxsize=4096)  # the terminal, the page and its figures ask for the same ones
def _median_ci(values: tuple[float, ...]) -> tuple[float, float]:
    return _interval(_resampled_medians(np.random.default_rng(SEED), values), median(values))


def median_and_ci(
    values: Sequence[float],
) -> tuple[float, tuple[float, float]] | tuple[None, None]:
    """Returns the median and its interval of two values or more, nothing of none."""
    return (median(values), median_ci(values)) if values else (None, None)


def middle_range(values: Sequence[float]) -> tuple[float, float]:
    """Returns the range of the middle 80 % of at least one value."""
    low, high = np.quantile(np.asarray(values, dtype=np.float64), (0.1, 0.9))
    return float(low), float(high)


def geometric_mean(values: Iterable[float]) -> float:
    """Returns the geometric mean of at least one positive value."""
    logarithms = [math.log(value) for value in values]
    if not logarithms:
        raise ValueError("the geometric mean of nothing")
    return math.exp(math.fsum(logarithms) / len(logarithms))


def geometric_mean_of_medians_ci(samples: Sequence[Sequence[float]]) -> tuple[float, float]:
    """Returns the bootstrap interval of the geometric mean of the medians of positive samples.

    Each sample, of at least two values, is drawn anew by itself: what is measured at different
    times goes its own ways.
    """
    if not samples or any(len(values) < 2 for values in samples):
        raise ValueError("an interval needs at least two samples")
    generator = np.random.default_rng(SEED)
    logarithms = np.zeros(RESAMPLES)
    for values in samples:
        logarithms += np.log(_resampled_medians(generator, values)) / len(samples)
    return _interval(np.exp(logarithms), geometric_mean(median(values) for values in samples))


def _resampled_medians(
    generator: np.random.Generator, values: Sequence[float]
) -> NDArray[np.float64]:
    drawn = generator.choice(np.asarray(values, dtype=np.float64), (RESAMPLES, len(values)))
    drawn.sort(axis=1)  # of 40 values a quarter of the time of np.median
    return np.asarray(drawn[:, (len(values) - 1) // 2 : len(values) // 2 + 1].mean(axis=1))


def _interval(resampled: NDArray[np.float64], middle: float) -> tuple[float, float]:
    """Returns the range of the middle CONFIDENCE of these, with `middle` in it.

    A quantile is interpolated and can end one rounding error on the wrong side of it.
    """
    tail = (1 - CONFIDENCE) / 2
    low, high = np.quantile(resampled, (tail, 1 - tail))
    return min(float(low), middle), max(float(high), middle)


def geometric_mean_no_negative(speedups: Iterable[float]) -> float:
    """Returns the geometric mean where a slowdown counts as serial (relic-2024, Fig. 4)."""
    return geometric_mean(max(speedup, 1.0) for speedup in speedups)


def bound(serial_ns: float, floor_ns: float) -> float:
    """Returns the best speedup of two tasks if handing one over costs the floor: 2t / (t + floor).

    `serial_ns` is the time of both, so t is half of it.
    """
    task_ns = serial_ns / 2
    return 2 * task_ns / (task_ns + floor_ns)


def first_that_pays(speedups: Mapping[str, float]) -> str | None:
    """Returns the first case from which on every speedup is above 1, in the mapping's order."""
    found: str | None = None
    for case, speedup in speedups.items():
        if speedup <= 1.0:
            found = None
        elif found is None:
            found = case
    return found


def log_crossing(speedups: Mapping[float, float]) -> float | None:
    """Returns from which length on the speedup is above 1, None if it ends at or below 1.

    Lengths ascend. Between the last one that does not pay and the next the speedup is taken to be
    linear in the length's logarithm; if all pay, the least is returned.
    """
    points = list(speedups.items())
    if not points or points[-1][1] <= 1.0:
        return None
    losing = [at for at, (_, speedup) in enumerate(points) if speedup <= 1.0]
    if not losing:
        return points[0][0]
    (below, low), (above, high) = points[losing[-1] : losing[-1] + 2]
    return below * math.pow(above / below, (1.0 - low) / (high - low))
