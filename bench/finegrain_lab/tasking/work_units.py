# SPDX-License-Identifier: Apache-2.0
"""Flat loops of the many-tasking paper's work units: how long they are, and what is made of ten."""

import atexit
import functools
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from finegrain_lab.tasking.distributions import Distribution
from finegrain_lab.tasking.flat import FlatCase, Producers
from finegrain_lab.tasking.protocol import TaskSample
from finegrain_lab.tasking.study import Case, Measure

PAPER_TASKS = 500_000
DROPPED = 0.4  # four runs of ten


@dataclass(frozen=True, kw_only=True)
class UnitCase(FlatCase):
    """Tasks of a number of iterations each, spawned by one thread."""

    producers: Producers = "one"
    scaling: bool = True
    tasks_each: int
    iterations: int
    drawn_from: Distribution | None = None  # instead, each task's by itself

    def load(self, spin_steps_per_us: float | None) -> list[str]:
        """Returns what the program is told of a task's work."""
        del spin_steps_per_us
        if self.drawn_from is None:
            return ["--iterations", str(self.iterations)]
        return ["--iterations-from", str(_file_of(self.drawn_from, self.tasks_each))]


@functools.cache
def _folder() -> Path:
    """Returns a folder for the numbers of this run, which goes with it."""
    folder = tempfile.TemporaryDirectory(prefix="finegrain-")
    atexit.register(folder.cleanup)
    return Path(folder.name)


@functools.cache
def _file_of(distribution: Distribution, tasks: int) -> Path:
    """Returns a file of the numbers: the same ones for every runtime and every process."""
    path = _folder() / f"{distribution.name}-{tasks}"
    np.savetxt(path, distribution.draw(tasks), fmt="%d")
    return path


def mean_of_most(runs: Sequence[float]) -> float:
    """Returns the mean of the runs but four of ten, those farthest from the median.

    The paper's section 3.1: "the four largest outliers in the data are then discarded".
    """
    values = np.asarray(runs, dtype=np.float64)
    by_distance = np.argsort(np.abs(values - np.median(values)), kind="stable")
    return float(values[by_distance[: len(values) - int(DROPPED * len(values))]].mean())


def _time(sample: TaskSample, case: Case) -> float:
    del case
    return mean_of_most(sample.ns) * PAPER_TASKS / 1e6


EXECUTION_TIME = Measure(
    "execution time", f"ms for {PAPER_TASKS:,} tasks", lower_is_better=True, of=_time
)


def size_of(tasks: int, what: str) -> str:
    """Says in words what a batch is."""
    of_paper = "as in the paper" if tasks == PAPER_TASKS else f"1/{PAPER_TASKS // tasks} of those"
    return f"a batch is {tasks:,} tasks of {what}, {of_paper}"
