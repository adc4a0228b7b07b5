# SPDX-License-Identifier: Apache-2.0
"""The flat loop as a case: who spawns how many tasks of what."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from finegrain_lab.experiments import task_figures
from finegrain_lab.experiments.spawning import Case, modes
from finegrain_lab.experiments.task_figures import axis_of, on_most
from finegrain_lab.experiments.tasking import Study
from finegrain_lab.run.modes import Mode
from finegrain_lab.show.figures import Axis, Figure

WITHOUT_SPAWN = ("chili",)  # it has join alone
LEAST_HALVED = 4
LEAST_SHOWN_NS = 0.1  # an overhead can be below 0 by the clock's noise
CAPTIONS = {
    "one": "One thread spawns.",
    "half": f"Half of the threads spawn; of fewer than {LEAST_HALVED} all.",
    "all": "Every thread spawns.",
}


@dataclass(frozen=True)
class FlatCase(Case):
    """Tasks that spawn nothing, spawned by one thread, by half of them or by all."""

    words: Sequence[Any] = ("flat",)
    x: float = 0.0  # where the plot has it
    producers: str = "all"  # or one, or half: of four threads and more; of fewer all
    delay_ns: float | None = None  # tasks of this length, or else
    max_load: int = 0  # of 0 to so many turns of a loop
    tasks_each: int | None = None  # of a producer; None: as many as the mode's batch takes
    tasks_of_all: int | None = None  # of the producers together, instead
    by_thread: bool = False  # counts the tasks of each batch by thread

    def is_for(self, runtime: str) -> bool:
        """Says whether the runtime has tasks that nobody waits for at once."""
        return runtime not in WITHOUT_SPAWN

    @property
    def needs_calibration(self) -> bool:
        """Says whether `arguments` has to be given the spin kernel's steps."""
        return self.delay_ns is not None

    def arguments(self, threads: int, steps_per_us: float | None) -> list[Any]:
        """Returns what the program is told on so many threads."""
        producers = self.producers_of(threads)
        tasks = self.tasks_of_all // producers if self.tasks_of_all else self.tasks_each
        return [
            *(*self.words, "--producers", producers),
            *(("--tasks", tasks) if tasks is not None else ()),
            *self.load(steps_per_us),
            *(("--by-thread",) if self.by_thread else ()),
        ]

    def producers_of(self, threads: int) -> int:
        """Returns how many of so many threads spawn."""
        if self.producers == "half" and threads >= LEAST_HALVED:
            return threads // 2
        return 1 if self.producers == "one" else threads

    def load(self, steps_per_us: float | None) -> list[Any]:
        """Returns what the program is told of a task's work."""
        if self.delay_ns is None:
            return ["--max-load", self.max_load]
        return ["--delay-ns", self.delay_ns, "--spin-steps-per-us", steps_per_us]

    def checked(self, samples: Sequence[Any]) -> str:
        """Says what was checked in the processes that gave these samples."""
        del samples
        return (
            "flat loops: before the timing a loop ran each of its tasks exactly once; of "
            f"{'every batch' if self.by_thread else 'one behind it'} the tasks by thread add up to "
            "all"
        )

    def complaint(self, sample: Any) -> str:
        """Returns that each batch's tasks were not counted, where that was asked for."""
        if self.by_thread and len(sample.tasks_by_thread) != len(sample.ns):
            return "counted the tasks by thread in other than all batches"
        if self.by_thread and any(sum(them) != sample.tasks for them in sample.tasks_by_thread):
            return f"counted other than {sample.tasks} tasks in a batch"
        return ""


def loop_modes(paper: int) -> dict[str, Mode]:
    """Returns the modes of loops whose batches the mode makes.

    A thread that wakes up late, 50 us, is a hundredth of a quick batch. Full has as many batches as
    OMPi's authors had.
    """
    return modes({"batches": 5, "batch_ms": 5}, {"batches": 12}, (9, 40), 90, paper)


def lines_over_x(label: str, study: Study, result: Any) -> list[Figure]:
    """Returns the measure of the flat cases on the most threads; a line a runtime."""
    cases = study.cases_in(result)
    return [
        task_figures.lines(
            result,
            f"value-{producers}",
            f"{caption} On {on_most(result)}; {study.measure.better} is better.",
            {case.name: case.x for case in own},
            Axis(label, "symlog", {case.x: f"{case.x:g}" for case in own}),
            axis_of(study, "log"),
            least=LEAST_SHOWN_NS,
        )
        for producers, caption in CAPTIONS.items()
        if (own := [case for case in cases if case.producers == producers])
    ]
