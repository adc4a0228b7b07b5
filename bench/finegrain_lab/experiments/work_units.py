# SPDX-License-Identifier: Apache-2.0
"""Flat loops of the many-tasking paper's work units: how long they are, and what is made of ten."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from finegrain_lab.experiments.flat import FlatCase
from finegrain_lab.experiments.spawning import modes
from finegrain_lab.experiments.task_figures import lines_over_threads
from finegrain_lab.experiments.tasking import Measure, Study

PAPER_TASKS = 500_000
DROPPED = 0.4  # four runs of ten


@dataclass(frozen=True)
class UnitCase(FlatCase):
    """Tasks of a number of iterations each, spawned by one thread."""

    scaling: bool = True
    producers: str = "one"
    iterations: int = 0

    def load(self, steps_per_us: float | None) -> list[Any]:
        """Returns what the program is told of a task's work."""
        del steps_per_us
        return ["--iterations", self.iterations]


def mean_of_most(runs: Sequence[float]) -> float:
    """Returns the mean of the runs but four of ten, those farthest from the median.

    The paper's section 3.1: "the four largest outliers in the data are then discarded".
    """
    middle = statistics.median(runs)
    by_distance = sorted(runs, key=lambda run: abs(run - middle))
    return statistics.fmean(by_distance[: len(runs) - int(DROPPED * len(runs))])


def execution_ms(sample: Any, _case: Any) -> float:
    """Returns the time of as many tasks as the paper's."""
    return mean_of_most(sample.ns) * PAPER_TASKS / 1e6


def size_of(tasks: int, what: str) -> str:
    """Says in words what a batch is."""
    of_paper = "as in the paper" if tasks == PAPER_TASKS else f"1/{PAPER_TASKS // tasks} of those"
    return f"a batch is {tasks:,} tasks of {what}, {of_paper}"


# What two studies have in common. Ten runs, as the many-tasking paper's authors did: batches of a
# process. A process runs one more to warm up, and one to count by thread.
unit_study = partial(
    Study,
    modes=modes({"batches": 10}, {"batches": 10}, (5, 20), 90, paper=10, sure=(0.02, 10)),
    measure=Measure("execution time", f"ms for {PAPER_TASKS:,} tasks", "lower", execution_ms),
    figures=lines_over_threads,
    speedup_over="serial",
)
