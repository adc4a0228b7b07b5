"""Runs rounds of processes: every round holds every sample once, in an order of its own."""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

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


def run_rounds(
    mode: Mode,
    steps_of: Callable[[int], Sequence[Step]],
    converged: Callable[[], bool],
    reporter: Reporter,
) -> Extent:
    """Runs rounds until the mode has enough; `steps_of` gives a round's steps by its index."""
    pacer = Pacer(mode)
    while pacer.another(converged):
        pacer.begin_round()
        steps = steps_of(pacer.rounds)
        for done, step in enumerate(steps):
            reporter.step(pacer.share(done / len(steps)), step.label)
            step.run()
        pacer.end_round()
        reporter.milestone(f"round {pacer.rounds}, {pacer.elapsed():.0f} s")
    return Extent(pacer.rounds, pacer.elapsed())


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
