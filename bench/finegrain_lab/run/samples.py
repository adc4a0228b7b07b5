# SPDX-License-Identifier: Apache-2.0
"""The samples of a run, by row and by round, because ratios are taken round by round."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Dict

from finegrain_lab.run.experiment import Experiment, Slot

ByRound = Dict[int, float]


class Samples:
    """What the processes said, and those that said nothing."""

    def __init__(self, experiment: Experiment) -> None:
        self.experiment = experiment
        self.settings: dict[str, Any] = {}
        self.by_row: dict[Slot, dict[int, Any]] = {}
        self.failed: dict[Slot, str] = {}  # slots, and why

    def add(self, slot: Slot, at: int, sample: Any) -> None:
        """Adds a slot's sample of a round, in place of what it had there."""
        for row in self.experiment.rows_of(slot):
            self.by_row.setdefault(row, {})[at] = sample

    def of(self, rows: Iterable[Slot]) -> list[Any]:
        """Returns the samples of these rows, one row after the other."""
        return [sample for row in rows for sample in self.by_row.get(row, {}).values()]

    def values(self, row: Slot, number: str) -> ByRound:
        """Returns this number of a row in each round; nothing without samples."""
        of = self.experiment.numbers[number]
        return {at: of(sample, row) for at, sample in self.by_row.get(row, {}).items()}

    def ratios(self, row: Slot, name: str) -> ByRound:
        """Returns this ratio of a row in each round that has both; nothing where it has none."""
        ratio = self.experiment.ratios[name]
        if ratio.of:
            return dict(ratio.of(self, row))
        other = ratio.over(row)
        if other is None or other in self.failed:
            return {}
        own, others = self.values(row, ratio.number), self.values(other, ratio.number)
        return ratios_by_round(*((others, own) if ratio.is_inverse else (own, others)))


def ratios_by_round(of: Mapping[int, float], over: Mapping[int, float]) -> ByRound:
    """Returns the ratio of each round that has both, rounds ascending.

    Nothing where any is 0 or less: an overhead below the clock's noise has no ratio.
    """
    if min([*of.values(), *over.values()], default=0.0) <= 0:
        return {}
    return {at: of[at] / over[at] for at in sorted(of.keys() & over.keys())}


def ratios_to_best(samples: Samples, row: Slot, peers: Iterable[Slot]) -> ByRound:
    """Returns a row's time over that of the peer with the least median; nothing without peers."""
    times = [samples.values(peer, "ns") for peer in peers]
    if not times:
        return {}
    best = min(times, key=lambda by_round: statistics.median(by_round.values()))
    return ratios_by_round(samples.values(row, "ns"), best)


def joined_batches(samples: Sequence[Any]) -> Any:
    """Returns the samples as one, with the batches of all. The last one's other fields stand."""
    return replace(samples[-1], ns=[ns for sample in samples for ns in sample.ns])
