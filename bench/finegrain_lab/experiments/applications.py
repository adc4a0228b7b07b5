# SPDX-License-Identifier: Apache-2.0
"""An application of the Barcelona OpenMP Tasks Suite as a case."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from finegrain_lab.experiments.spawning import CEILING, REFERENCE, Case, TaskSample, modes
from finegrain_lab.experiments.tasking import Measure
from finegrain_lab.run.drop_in import base_of
from finegrain_lab.run.modes import Mode
from finegrain_lab.run.runtimes import OPENMP, SERIAL

# Cilk, rayon and chili have no group of tasks that another function could add to; a chare does not
# wait.
WITHOUT_GROUPS = ("opencilk", "rayon", "chili", "charm++")


@dataclass(frozen=True)
class ApplicationSample(TaskSample):
    """What a program prints of an application."""

    tasks_vary: bool = False  # from run to run: `tasks` are those of plain calls


@dataclass(frozen=True)
class ApplicationCase(Case):
    """An application, its tasks tied or untied."""

    check: str = "applications: every run has come to the result that other code comes to"
    tied: bool = True
    base: int = 0  # of Strassen's multiplication, in rows

    def is_for(self, runtime: str) -> bool:
        """Says whether the runtime takes part: untied tasks are OpenMP's."""
        if runtime == CEILING or runtime in WITHOUT_GROUPS:
            return False
        is_openmp = base_of(runtime) in OPENMP
        return self.tied or is_openmp or runtime in (SERIAL, REFERENCE)

    def complaint(self, sample: Any) -> str:
        """Returns that not all tasks of a run were counted by thread."""
        if not sample.tasks_vary and sum(sample.tasks_by_thread[0]) != sample.tasks:
            return f"counted other than {sample.tasks} tasks"
        return ""


def application_modes(paper: int) -> dict[str, Mode]:
    """Returns the modes of applications, whose size the case says.

    A process runs one three times more: by plain calls to count its tasks, to warm up, and to count
    them by thread. Full has as many batches as OMPi's authors, who dropped best and worst, too.
    """
    return modes({"batches": 3}, {"batches": 12}, (9, 40), 100, paper)


EXECUTION_TIME = Measure(
    "execution time", "ms", "lower", lambda sample, _case: sample.mean_ns * sample.tasks / 1e6
)
