# SPDX-License-Identifier: Apache-2.0
"""X-OpenMP's Fig. 9: what the size of the queues does to a load that one thread has most of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from finegrain_lab.experiments import task_figures
from finegrain_lab.experiments.flat import FlatCase
from finegrain_lab.experiments.spawning import REFERENCE, modes
from finegrain_lab.experiments.task_figures import axis_of, on_most
from finegrain_lab.experiments.tasking import Measure, Study, shown_row
from finegrain_lab.run.runtimes import SERIAL
from finegrain_lab.show.figures import Axis, Figure, mark
from finegrain_lab.show.tables import Table

DELAY_NS = 100
LONG_TASKS = 10  # for each thread
PAPER_LONG_NS = 1_000_000_000
PAPER_TASKS = 8_000_000
# By mode, what the paper's lengths and numbers are divided by: quick has an ideal of 54 ms.
SCALES = {"quick": 200, "full": 50, "paper": 1}

CAPACITIES = (4, 16, 64, 256)
GROWING = "growing"
BOUNDED_POOLS = (
    *("pool-xqueue_static", "pool-xqueue_wait", "pool-xqueue_nowait", "pool-xqueue_nowait:2"),
    "pool-combining",
)
# Their deque holds so many, and a task that finds it full runs at once; or, without throttling, the
# deque grows. There is no option for another size.
LLVM_FAMILY = ("llvm-openmp", "intel-openmp")
LLVM_CAPACITY = 256
LLVM_GROWS = {"KMP_ENABLE_TASK_THROTTLING": "0"}
# A batch lasts as long as its long tasks, whatever the mode says; of the paper's 11 s at best.
MODES = modes({"batches": 3}, {"batches": 5}, (5, 20), 50, paper=1, sure=None)


@dataclass(frozen=True)
class QueueCase(FlatCase):
    """Long tasks of one thread and short ones of all, on queues of one size."""

    capacity: int | None = None  # None: on queues that grow
    long_ns: int = 0

    def is_for(self, runtime: str) -> bool:
        """Says whether its queues are so, or can be made so. The reference's grow everywhere."""
        if runtime in (SERIAL, REFERENCE):
            return True
        if self.capacity is None:
            return super().is_for(runtime) and runtime not in BOUNDED_POOLS
        own = runtime in LLVM_FAMILY and self.capacity == LLVM_CAPACITY
        return own or runtime in BOUNDED_POOLS

    def options(self, runtime: str) -> list[Any]:
        """Returns the capacity, where it can be set."""
        bounded = self.capacity is not None and runtime in BOUNDED_POOLS
        return ["--queue-capacity", self.capacity] if bounded else []

    def environment(self, runtime: str) -> dict[str, str]:
        """Returns what makes the queues grow, where they do not by themselves."""
        return dict(LLVM_GROWS) if self.capacity is None and runtime in LLVM_FAMILY else {}

    def arguments(self, threads: int, steps_per_us: float | None) -> list[Any]:
        """Returns what the program is told on so many threads."""
        long_tasks = ["--long-tasks", LONG_TASKS * threads, "--long-ns", self.long_ns]
        return [*super().arguments(threads, steps_per_us), *long_tasks]


def _cases(scale: int) -> list[QueueCase]:
    long_ns, tasks = PAPER_LONG_NS // scale, PAPER_TASKS // scale
    of_paper = "as in the paper" if scale == 1 else f"lengths and numbers 1/{scale} of the paper's"
    size = (
        f"{LONG_TASKS} tasks of {long_ns / 1e6:g} ms for each thread, all spawned by one, and "
        f"{tasks:,} of {DELAY_NS} ns by each; {of_paper}"
    )
    return [
        QueueCase(
            GROWING if capacity is None else str(capacity),
            size=size,
            delay_ns=DELAY_NS,
            tasks_each=tasks,
            capacity=capacity,
            long_ns=long_ns,
        )
        for capacity in (*CAPACITIES, None)
    ]


CASES = {mode: _cases(scale) for mode, scale in SCALES.items()}


def ideal_ns(tasks_each: float) -> float:
    """Returns the time of a batch in which every thread has as much as the others, and none waits.

    That of so many short tasks each, and of long ones that are as long against the paper's.
    """
    return tasks_each * (LONG_TASKS * PAPER_LONG_NS / PAPER_TASKS + DELAY_NS)


def over_ideal(sample: Any, _case: Any) -> float:
    """Returns the time of a batch over the ideal one."""
    tasks_each = sample.tasks / sample.threads - LONG_TASKS
    return float(sample.mean_ns * sample.tasks / ideal_ns(tasks_each))


def _tables(study: Study, result: Any) -> list[Table]:
    ideals = [f"{ideal_ns(case.tasks_each) / 1e6:.1f}" for case in study.cases_in(result)]
    lines = [["ideal", *ideals]]
    for name in result.runtimes:
        rows = [shown_row(result, case, name) for case in result.cases]
        # The tasks of a batch are as many in every process.
        cells = [f"{row.ns * row.tasks[0] / 1e6:.1f}" if row else "" for row in rows]
        lines += [[name, *cells]] if any(cells) else []
    title = f"execution time, ms, {on_most(result)}, by slots of a queue"
    return [Table(title, ["runtime", *result.cases], lines)]


def _figures(study: Study, result: Any) -> list[Figure]:
    figure = task_figures.lines(
        result,
        "over-ideal",
        f"On {on_most(result)}; lower is better; dotted: the ideal, with perfect load balancing.",
        {case: case for case in result.cases},
        Axis("slots of a queue"),
        axis_of(study),
        without=[SERIAL],
        marks=[mark("ideal", y=1, line=":")],
    )
    return [figure]


QUEUE_SIZE = Study(
    name="queue-size",
    title="one thread has most of the work: the execution time by the size of the queues",
    heading="Queue size: what bounded queues do to an uneven load",
    intro=(
        "One thread spawns all long tasks and then its short ones, the others short ones only: the "
        "long ones have to be shared for all to end at once. The number is the execution time over "
        "the ideal one. A queue is one of several of a worker with the xqueue policies, one from "
        "each worker to each, which hold less than asked for where all together would take more "
        "than 4 MiB (256 slots: from 46 workers on); with the others it is the worker's only one. "
        "LLVM's and Intel's deques have 256 slots, or grow with KMP_ENABLE_TASK_THROTTLING=0; "
        "there is no option for another size. Growing queues do not mean tasks without end: a "
        "worker of the pool, or a thread under the drop-in, runs a group's tasks at once while 256 "
        f"of its own are unfinished, and GNU OpenMP while 64 a thread are. {REFERENCE} grows in "
        "every column, which shows the noise."
    ),
    paper=(
        "P. Nookala et al., X-OpenMP, 2024, section 5.1, Fig. 9 (192 threads; 1,920 tasks of 1 s, "
        "8 million of 0.1 µs a worker; ideal: 10 s and within a second)",
        "LLVM OpenMP: 8 times the ideal with its default of 256 slots; more slots balance better",
        "XQueue and X-OpenMP: not sensitive to the size of the queue, at 16 and 256 slots each",
        "GNU OpenMP, OpenCilk, oneTBB: left out",
    ),
    modes=MODES,
    cases=CASES,
    measure=Measure("execution time", "times the ideal", "lower", over_ideal),
    figures=_figures,
    tables=_tables,
    is_about_policies=True,
).experiment()
