# SPDX-License-Identifier: Apache-2.0
"""Who wins where: our default row of every case beside its best peer."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from finegrain_lab.run.drop_in import WITH_DROP_IN, base_of
from finegrain_lab.run.runtimes import OPENMP
from finegrain_lab.show import statistics
from finegrain_lab.show.measurements import LEAST_PAIRS, Measurement, by_case, ratios_of
from finegrain_lab.show.serial import Unbeaten, unbeaten_case

Interval = tuple[float, float]


@dataclass(frozen=True)
class Standing:
    """Our default row of a case beside its best peer's, round by round."""

    case: str
    ours: str
    peer: str
    ratios: Sequence[float]  # the peer's time over ours
    speedup_ci95: Interval | None  # ours over serial's; None: there is no serial process

    @cached_property
    def times(self) -> float:
        """How many times as fast as the peer."""
        return statistics.median(self.ratios)

    @cached_property
    def ci95(self) -> Interval:
        """Its interval."""
        return statistics.median_ci(self.ratios)

    @property
    def is_ahead(self) -> bool:
        """Says whether all of the interval is a gain, over serial too."""
        return self.ci95[0] > 1 and (self.speedup_ci95 is None or self.speedup_ci95[0] > 1)

    @property
    def is_behind(self) -> bool:
        """Says whether all of the interval is a loss, or of that over serial."""
        return self.ci95[1] < 1 or (self.speedup_ci95 is not None and self.speedup_ci95[1] < 1)


@dataclass(frozen=True)
class Standings:
    """Those of an experiment, and what of it has none.

    The mean, the least and the most are of its cases, and want one at least.
    """

    experiment: str
    cases: Sequence[Standing]  # where a runtime beats serial, or there is no serial process
    unbeaten: Sequence[Unbeaten] = ()  # the others: who is ahead there is of no use
    unpaired: Sequence[str] = ()  # cases whose best peer lacks some of our rounds

    @cached_property
    def times(self) -> float:
        """The geometric mean over the cases."""
        return statistics.geometric_mean(standing.times for standing in self.cases)

    @cached_property
    def ci95(self) -> Interval:
        """Its interval."""
        return statistics.geometric_mean_of_medians_ci([each.ratios for each in self.cases])

    @property
    def least(self) -> Standing:
        """The case where we do worst."""
        return min(self.cases, key=lambda standing: standing.times)

    @property
    def most(self) -> Standing:
        """The case where we do best."""
        return max(self.cases, key=lambda standing: standing.times)

    @property
    def ahead(self) -> int:
        """In how many cases we win."""
        return sum(standing.is_ahead for standing in self.cases)

    @property
    def behind(self) -> int:
        """In how many we lose."""
        return sum(standing.is_behind for standing in self.cases)

    @property
    def level(self) -> int:
        """In how many neither is sure."""
        return len(self.cases) - self.ahead - self.behind


def standings_of(measurements: Iterable[Measurement]) -> Standings | None:
    """Returns the standings of an experiment, None without a case that both we and a peer have."""
    cases: list[Standing] = []
    unbeaten: list[Unbeaten] = []
    unpaired: list[str] = []
    experiment = ""
    for case, rows in by_case(measurements).items():
        experiment = rows[0].experiment
        ours, peer = _headline(rows), _best_peer(rows)
        if ours is None or peer is None:
            continue
        ratios = ratios_of(peer.samples, ours.samples)
        if serial_is_best := unbeaten_case(rows):
            unbeaten.append(serial_is_best)
        elif len(ratios) < LEAST_PAIRS:
            unpaired.append(case)
        else:
            cases.append(Standing(case, ours.runtime, peer.runtime, ratios, ours.speedup_ci95))
    return Standings(experiment, cases, unbeaten, unpaired) if cases or unbeaten else None


def _headline(rows: Sequence[Measurement]) -> Measurement | None:
    """Returns our default row; of several with the drop-in that over the best runtime's base.

    The library comes before the drop-in. Which base is fixed, not chosen by its time: the best of
    three would win by noise.
    """
    ours = [row for row in rows if row.default]
    library = [row for row in ours if WITH_DROP_IN not in row.runtime]
    return next(iter(library), None) or max(ours, key=_rank, default=None)


def _rank(row: Measurement) -> int:
    base = base_of(row.runtime)
    return OPENMP.index(base) if base in OPENMP else -1


def _best_peer(rows: Sequence[Measurement]) -> Measurement | None:
    """Returns the fastest of what others made."""
    peers = [row for row in rows if not row.ours and not row.is_yardstick]
    return min(peers, key=lambda row: statistics.median(row.samples), default=None)
