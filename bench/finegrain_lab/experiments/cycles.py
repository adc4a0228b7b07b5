# SPDX-License-Identifier: Apache-2.0
"""What the experiments share whose programs count cycles: modes, samples, numbers."""

from __future__ import annotations

import statistics
from dataclasses import dataclass
from typing import Any, List

from finegrain_lab.run.experiment import Plan, Slot
from finegrain_lab.run.modes import FULL_BUDGET_S, LEAST_ROUNDS, SURE_ROUNDS, Mode
from finegrain_lab.run.shapes import Misfit


@dataclass(frozen=True)
class CycleSample:
    """The times that such a program prints: of one operation, a number a batch."""

    cycles: List[float]
    ns: List[float]
    ticks_per_ns: float
    cycles_per_tick: float

    def __post_init__(self) -> None:
        if not (self.cycles and self.ns) or min(self.ticks_per_ns, self.cycles_per_tick) <= 0:
            raise Misfit("there is no batch, or a clock stands")


NUMBERS = {
    "cycles": lambda sample, _row: statistics.median(sample.cycles),
    "ns": lambda sample, _row: statistics.median(sample.ns),
}


def modes(max_quick: int, max_full: int, quick: Any, full: Any) -> dict[str, Mode]:
    """Returns the two modes: their most rounds, and the work of a process."""
    return {
        "quick": Mode(
            name="quick",
            min_rounds=LEAST_ROUNDS,
            max_rounds=max_quick,  # more is no longer quick
            budget_s=90,
            work=quick,
        ),
        "full": Mode(
            name="full",
            min_rounds=SURE_ROUNDS,
            max_rounds=max_full,  # past that the host's drift, not the count, sets the interval
            budget_s=FULL_BUDGET_S,
            converged_half_width=0.02,
            converged_rounds=15,
            work=full,
        ),
    }


def complaint(sample: Any, slot: Slot, plan: Plan, *, is_asked: bool) -> str:
    """Returns what is wrong with a sample, if it is at least of what was asked for."""
    del slot
    batches = plan.mode["batches"]
    if not is_asked:
        return "answered with a sample of something else"
    if not len(sample.cycles) == len(sample.ns) == batches:
        return f"gave other than {batches} batches"
    return ""


RATES = {"ticks_per_ns": float, "cycles_per_tick": float}


def rates(samples: Any) -> dict[str, float]:
    """Returns the median rates of the counters, for the settings of the result."""
    every = samples.of(samples.by_row)
    return {
        name: statistics.median(getattr(sample, name) for sample in every)
        for name in ("ticks_per_ns", "cycles_per_tick")
    }


def samples_ns(row: Any) -> list[float]:
    """Returns a row's samples in nanoseconds: the counter's rate is constant."""
    return [cycles * row.ns / row.cycles for cycles in row.samples]
