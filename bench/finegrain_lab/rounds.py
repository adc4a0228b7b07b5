# SPDX-License-Identifier: Apache-2.0
"""Runs rounds of processes: every round holds every sample once, in an order of its own."""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

from finegrain_lab import statistics
from finegrain_lab.modes import Mode
from finegrain_lab.pacing import Pacer
from finegrain_lab.progress import Reporter

ORDER_SEED = 20240501  # of the order within the rounds; in every result file

T = TypeVar("T")


@dataclass(frozen=True)
class Step:
    """One process of a round."""

    label: str  # for whoever watches
    run: Callable[[], None]


@dataclass(frozen=True)
class Extent:
    """How much was run."""

    rounds: int
    seconds: float


class Rounds(Protocol):
    """What is run."""

    def begin_round(self, index: int) -> Sequence[Step]:
        """Returns the steps of this round. Called once more for a round that is taken again."""

    def wants_again(self, reporter: Reporter) -> bool:
        """Says whether the round that was just run is to be taken again."""

    def end_round(self, *, is_again: bool) -> None:
        """Keeps the round, or how it was the second time."""

    def converged(self) -> bool:
        """Says whether the rounds are enough to be sure."""


def run_rounds(mode: Mode, rounds: Rounds, reporter: Reporter) -> Extent:
    """Runs rounds until the mode has enough. A round is taken again once, if there is time."""
    pacer = Pacer(mode)
    while pacer.another(rounds.converged):
        _run_round(pacer, rounds, reporter)
        is_again = pacer.has_time() and rounds.wants_again(reporter)
        if is_again:
            _run_round(pacer, rounds, reporter)
        rounds.end_round(is_again=is_again)
        pacer.end_round()
        reporter.milestone(f"round {pacer.rounds}, {pacer.elapsed():.0f} s")
    return Extent(pacer.rounds, pacer.elapsed())


def _run_round(pacer: Pacer, rounds: Rounds, reporter: Reporter) -> None:
    pacer.begin_round()
    steps = rounds.begin_round(pacer.rounds)
    for done, step in enumerate(steps):
        reporter.step(pacer.share(done / len(steps)), step.label)
        step.run()


def shuffled_groups(order: random.Random, groups: Sequence[Sequence[T]]) -> list[T]:
    """Returns the groups one after the other, the members of each in a new order.

    What is compared is one group: it runs close together, and nothing always follows the same.
    """
    return [item for group in groups for item in order.sample(group, len(group))]


def with_spread(items: Sequence[T], extra: Sequence[T]) -> list[T]:
    """Returns the items with the extra ones spread evenly among them, an extra one first."""
    if not extra:
        return list(items)
    spread: list[T] = []
    for index, one in enumerate(extra):
        first, last = (len(items) * part // len(extra) for part in (index, index + 1))
        spread += [one, *items[first:last]]
    return spread


def half_width(ratios: Sequence[float]) -> float:
    """Returns half the width of the median's interval, as a share of the median."""
    return statistics.relative_half_width(statistics.median_ci(ratios), statistics.median(ratios))
