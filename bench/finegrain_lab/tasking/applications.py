# SPDX-License-Identifier: Apache-2.0
"""An application of the Barcelona OpenMP Tasks Suite as a case."""

from dataclasses import dataclass

from finegrain_lab.drop_in import base_of
from finegrain_lab.processes import ProcessFailed
from finegrain_lab.runtimes import OPENMP, SERIAL
from finegrain_lab.tasking.contestants import CEILING, REFERENCE
from finegrain_lab.tasking.protocol import ApplicationSample, TaskSample
from finegrain_lab.tasking.study import Case, Measure

CHECK = "applications: every run has come to the result that other code comes to"
# Cilk has no group of tasks that another function could add to; a chare does not wait.
WITHOUT_GROUPS = ("opencilk", "charm++")


@dataclass(frozen=True, kw_only=True)
class ApplicationCase(Case):
    """An application, its tasks tied or untied."""

    tied: bool

    def is_for(self, runtime: str) -> bool:
        """Says whether the runtime takes part: untied tasks are OpenMP's."""
        if runtime == CEILING or runtime in WITHOUT_GROUPS:
            return False
        is_openmp = base_of(runtime) in OPENMP
        return self.tied or is_openmp or runtime in (SERIAL, REFERENCE)

    @property
    def answer(self) -> type[TaskSample]:
        """What the program prints."""
        return ApplicationSample

    def require_whole(self, sample: TaskSample) -> None:
        """Raises ProcessFailed unless all tasks of a run were counted by thread."""
        assert isinstance(sample, ApplicationSample)
        if not sample.tasks_vary and sum(sample.tasks_by_thread[0]) != sample.tasks:
            raise ProcessFailed(f"counted other than {sample.tasks} tasks")


def _time(sample: TaskSample, case: Case) -> float:
    del case
    return sample.mean_ns * sample.tasks / 1e6


EXECUTION_TIME = Measure("execution time", "ms", lower_is_better=True, of=_time)
