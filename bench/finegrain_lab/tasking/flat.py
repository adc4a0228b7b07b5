# SPDX-License-Identifier: Apache-2.0
"""The flat loop as a case: who spawns how many tasks of what."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from finegrain_lab.processes import ProcessFailed
from finegrain_lab.tasking.protocol import TaskSample
from finegrain_lab.tasking.study import Case

# Half: of four threads and more; of fewer all.
Producers = Literal["one", "half", "all"]
LEAST_HALVED = 4

CHECK = (
    "flat loops: before the timing a loop ran each of its tasks exactly once; of one behind it the "
    "tasks by thread add up to all"
)
CHECK_BY_THREAD = (
    "flat loops: before the timing a loop ran each of its tasks exactly once; of every batch the "
    "tasks by thread add up to all"
)


@dataclass(frozen=True, kw_only=True)
class FlatCase(Case):
    """Tasks that spawn nothing, spawned by one thread, by half of them or by all."""

    words: tuple[str, ...] = ("flat",)
    x: float  # where the plot has it
    producers: Producers = "all"
    delay_ns: float | None = None  # tasks of this length, or else
    max_load: int = 0  # of 0 to so many turns of a loop
    tasks_each: int | None = None  # of a producer; None: as many as the mode's batch takes
    tasks_of_all: int | None = None  # of the producers together, instead
    by_thread: bool = False  # counts the tasks of each batch by thread

    @property
    def needs_calibration(self) -> bool:
        """Says whether `arguments` has to be given the spin kernel's steps."""
        return self.delay_ns is not None

    def arguments(self, threads: int, spin_steps_per_us: float | None) -> list[str]:
        """Returns what the program is told on so many threads."""
        producers = self.producers_of(threads)
        tasks = self.tasks_of_all // producers if self.tasks_of_all else self.tasks_each
        return [
            *(*self.words, "--producers", str(producers)),
            *(("--tasks", str(tasks)) if tasks is not None else ()),
            *self.load(spin_steps_per_us),
            *(("--by-thread",) if self.by_thread else ()),
        ]

    def producers_of(self, threads: int) -> int:
        """Returns how many of so many threads spawn."""
        if self.producers == "half" and threads >= LEAST_HALVED:
            return threads // 2
        return 1 if self.producers == "one" else threads

    def load(self, spin_steps_per_us: float | None) -> list[str]:
        """Returns what the program is told of a task's work."""
        if self.delay_ns is None:
            return ["--max-load", str(self.max_load)]
        return ["--delay-ns", repr(self.delay_ns), "--spin-steps-per-us", repr(spin_steps_per_us)]

    def checked(self, samples: Sequence[TaskSample]) -> str:
        """Says what was checked in the processes that gave these samples."""
        del samples
        return CHECK_BY_THREAD if self.by_thread else CHECK

    def require_whole(self, sample: TaskSample) -> None:
        """Raises ProcessFailed unless each batch's tasks were counted, where that was asked for."""
        if not self.by_thread:
            return
        counted = sample.tasks_by_thread
        if len(counted) != len(sample.ns):
            raise ProcessFailed("counted the tasks by thread in other than all batches")
        if any(sum(batch) != sample.tasks for batch in counted):
            raise ProcessFailed(f"counted other than {sample.tasks} tasks in a batch")
