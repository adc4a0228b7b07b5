# SPDX-License-Identifier: Apache-2.0
"""What changed between two runs of the same experiments, and how sure that is: the statistics.

**The noise.** The rounds of a run say how sure its own mean is: Welch's variance of the mean
logarithms of the numbers (`pairs.py`). Two runs of one build differ by more, since where memory
lies and what else the host does change from run to run. That part is told from the controls, the
rows that are not ours: nothing of ours can have changed them. A row is held against the controls
*beside* it, those of its case that are over the same yardstick. Their median shift is taken off, as
drift: a case whose serial process was slow moves all of its ratios. How far the controls beside
each other differ, less what their rounds explain, is the variance between runs. It is a median over
all pairs of controls: neither a few peers of another version nor any number of rows of ours can
widen it, so that a change of all rows of ours is found as well as that of one.

Where fewer than LEAST_CONTROLS stand beside a row no drift is taken off, and the variance is that
of all controls of the experiment around no change. Where it has too few of them, too (`waiting` and
`break-even`, where all is ours but serial's times), it is how far all rows differ from each other,
with USUAL_DRIFT for what moves them together: a change has to be larger before it is named, and one
of many but not all rows hides itself in part.

**The names.** Student's t with Satterthwaite's degrees of freedom gives p-values, of which the
procedure of Benjamini and Hochberg over all rows picks those that are changes. If nothing changed,
it picks anything at all with a probability of at most 1 - CONFIDENCE; of what it picks, no more
than that share is wrong on average. The intervals are those that belong to it (Benjamini and
Yekutieli, 2005), so wide that a row is picked just if its interval leaves out 'no change', and that
of the intervals of the picked rows no more than that share misses the truth on average. Of these
rows those are named that changed by LEAST_CHANGE or more.
"""

import math
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Literal, NamedTuple, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from finegrain_lab.show.pairs import Pair
from finegrain_lab.show.statistics import CONFIDENCE, median

LEAST_CHANGE = 0.03  # of a time: less comes from where the linker puts the code
LEAST_CONTROLS = 3  # of which a median says anything
# What moves all rows of a run together. Between quiet runs of one build on 2 vCPUs of a Xeon the
# median times of the controls differed by 0.6 to 4.4 %.
USUAL_DRIFT = 0.05
# The standard deviation of what a row's own drift is beside that of its controls, as a share of it:
# a loaded machine slows some runtimes down three times as much as others.
DRIFT_DOUBT = 0.5

_WIDEST = 100.0  # half of a logarithm's interval: e^100 of anything is anything
_UPPER_QUARTILE = float(stats.halfnorm.ppf(0.75))

Basis: TypeAlias = Literal["beside", "experiment", "assumed"]
KeyT = TypeVar("KeyT", bound=Hashable)


@dataclass(frozen=True)
class Change:
    """What became of a row: all numbers but `before` and `after` are factors, above 1 is slower."""

    pair: Pair
    before: float  # geometric mean of the rounds
    after: float
    drift: float  # of the controls beside it
    change: float  # after / before / drift
    interval: tuple[float, float]
    basis: Basis  # what the variance between the runs is from
    named: bool

    def is_slower_than(self, share: float) -> bool:
        """Says whether it surely got slower by more than this."""
        return self.named and self.interval[0] > 1 + share


@dataclass(frozen=True)
class _Variance:
    """An estimate with its degrees of freedom; the sum of two has Satterthwaite's."""

    value: float
    freedom: float

    def __add__(self, other: "_Variance") -> "_Variance":
        value = self.value + other.value
        if value == 0:
            return self
        parts = self.value**2 / self.freedom + other.value**2 / other.freedom
        return _Variance(value, value**2 / parts if parts else math.inf)


@dataclass(frozen=True)
class _Shift:
    """A row's mean logarithm after, less that before, and how sure the rounds make it."""

    pair: Pair
    before: float
    after: float
    within: _Variance

    @property
    def value(self) -> float:
        return self.after - self.before

    @property
    def beside(self) -> tuple[str, str, str | None]:
        """What rows that are beside each other share."""
        return self.pair.before.experiment, self.pair.before.case, self.pair.yardstick

    @property
    def kind(self) -> tuple[str, bool]:
        """What rows whose noise is alike share."""
        return self.pair.before.experiment, self.pair.yardstick is None


@dataclass(frozen=True)
class _Drift:
    """What is taken off a row's shift, and what the runs' difference adds to its variance."""

    value: float
    between: _Variance
    basis: Basis


class _Scatter(NamedTuple):
    """How shifts vary."""

    total: float
    between: _Variance  # without what the rounds explain


def changes_of(pairs: Sequence[Pair]) -> list[Change]:
    """Returns what became of these rows, which are all comparable. See the top of this file."""
    shifts = [_shift(pair) for pair in pairs]
    if not shifts:
        return []
    kinds = {key: _Kind(rows) for key, rows in _grouped(shifts, lambda it: it.kind).items()}
    found = [(shift, kinds[shift.kind].drift_of(shift)) for shift in shifts]
    p_values = [_p_value(shift, drift) for shift, drift in found]
    picked = stats.false_discovery_control(p_values) <= 1 - CONFIDENCE
    # Of m rows R were picked: an interval leaves out the truth with max(R, 1) / m of the risk.
    tail = (1 - CONFIDENCE) * max(picked.sum(), 1) / len(found)
    return [
        _change(shift, drift, tail, bool(is_picked))
        for (shift, drift), is_picked in zip(found, picked, strict=True)
    ]


def control_drift(pairs: Sequence[Pair]) -> float | None:
    """Returns the median factor of the controls' numbers, None without any."""
    shifts = [_shift(pair).value for pair in pairs if not pair.ours]
    return math.exp(median(shifts)) if shifts else None


def _shift(pair: Pair) -> _Shift:
    before, after = (np.log(np.asarray(numbers)) for numbers in pair.numbers)
    within = [_Variance(_standard_error(x) ** 2, len(x) - 1) for x in (before, after)]
    return _Shift(pair, float(before.mean()), float(after.mean()), within[0] + within[1])


def _standard_error(values: NDArray[np.float64]) -> float:
    """Returns that of the mean; SciPy's own says the same after 1 ms."""
    return float(values.std(ddof=1)) / math.sqrt(len(values))


class _Kind:
    """The rows of an experiment whose noise is alike."""

    def __init__(self, rows: Sequence[_Shift]) -> None:
        self._rows = rows
        self._beside = _grouped(_controls(rows), lambda shift: shift.beside)

    @cached_property
    def _scatter(self) -> _Scatter:
        return _scatter(list(self._beside.values()))

    def drift_of(self, shift: _Shift) -> _Drift:
        """Returns the drift of one of the rows."""
        beside = _but(shift, self._beside[shift.beside])
        if len(beside) >= LEAST_CONTROLS:
            return self._drift_beside(beside)
        others = _but(shift, _controls(self._rows))
        if len(others) >= LEAST_CONTROLS:
            upper_quartile = float(np.quantile([abs(other.value) for other in others], 0.75))
            total = (upper_quartile / _UPPER_QUARTILE) ** 2
            return _Drift(0.0, _Variance(_less(total, others), len(others)), "experiment")
        usual = _Variance(USUAL_DRIFT**2, math.inf)
        if len(self._rows) > LEAST_CONTROLS:
            usual += _scatter([self._rows]).between
        return _Drift(0.0, usual, "assumed")

    def _drift_beside(self, controls: Sequence[_Shift]) -> _Drift:
        centre = median([control.value for control in controls])
        between = self._scatter.between
        # The variance of a median is pi / 2 times that of a mean.
        of_centre = math.pi / 2 * self._scatter.total / len(controls) + (DRIFT_DOUBT * centre) ** 2
        return _Drift(centre, _Variance(between.value + of_centre, between.freedom), "beside")


def _grouped(
    shifts: Iterable[_Shift], key_of: Callable[[_Shift], KeyT]
) -> defaultdict[KeyT, list[_Shift]]:
    groups: defaultdict[KeyT, list[_Shift]] = defaultdict(list)
    for shift in shifts:
        groups[key_of(shift)].append(shift)
    return groups


def _controls(shifts: Iterable[_Shift]) -> list[_Shift]:
    return [shift for shift in shifts if not shift.pair.ours]


def _but(shift: _Shift, shifts: Iterable[_Shift]) -> list[_Shift]:
    return [other for other in shifts if other is not shift]


def _scatter(groups: Sequence[Sequence[_Shift]]) -> _Scatter:
    """Returns how shifts vary within their groups.

    From the median difference of all pairs of a group (Shamos' estimator), for which a group's
    middle need not be known. At least one group has two.
    """
    differences = [a.value - b.value for group in groups for a, b in combinations(group, 2)]
    spread = stats.median_abs_deviation(differences, center=_around_0, scale="normal")
    total = float(spread) ** 2 / 2
    within = [shift for group in groups if len(group) > 1 for shift in group]
    freedom = sum(len(group) - 1 for group in groups)
    return _Scatter(total, _Variance(_less(total, within), freedom))


def _around_0(_values: object, axis: object) -> float:
    del axis
    return 0.0


def _less(total: float, shifts: Sequence[_Shift]) -> float:
    return max(0.0, total - median([shift.within.value for shift in shifts]))


def _p_value(shift: _Shift, drift: _Drift) -> float:
    variance, distance = shift.within + drift.between, abs(shift.value - drift.value)
    if variance.value == 0:
        return 0.0 if distance else 1.0
    return float(2 * stats.t.sf(distance / math.sqrt(variance.value), variance.freedom))


def _change(shift: _Shift, drift: _Drift, tail: float, is_picked: bool) -> Change:
    variance, value = shift.within + drift.between, shift.value - drift.value
    half = math.sqrt(variance.value) * float(stats.t.isf(tail / 2, variance.freedom))
    half = min(half, _WIDEST)
    return Change(
        pair=shift.pair,
        before=math.exp(shift.before),
        after=math.exp(shift.after),
        drift=math.exp(drift.value),
        change=math.exp(value),
        interval=(math.exp(value - half), math.exp(value + half)),
        basis=drift.basis,
        named=is_picked and abs(value) >= math.log1p(LEAST_CHANGE),
    )
