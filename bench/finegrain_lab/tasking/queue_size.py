# SPDX-License-Identifier: Apache-2.0
"""X-OpenMP's Fig. 9: what the size of the queues does to a load that one thread has most of."""

from dataclasses import dataclass

from finegrain_lab.drawing import Drawing, drawing
from finegrain_lab.plots import TEXT, figure_and_axes, line_styles
from finegrain_lab.runtimes import SERIAL
from finegrain_lab.tasking.contestants import REFERENCE
from finegrain_lab.tasking.flat import FlatCase
from finegrain_lab.tasking.modes import LONG_BATCHES
from finegrain_lab.tasking.protocol import TaskSample
from finegrain_lab.tasking.results import Result, Row
from finegrain_lab.tasking.study import Case, Measure, Study, Table
from finegrain_lab.tasking.table import shown_row
from finegrain_lab.threads import threads_text

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


@dataclass(frozen=True, kw_only=True)
class QueueCase(FlatCase):
    """Long tasks of one thread and short ones of all, on queues of one size."""

    capacity: int | None  # None: on queues that grow
    tasks_each: int
    delay_ns: float
    long_ns: int

    @property
    def ideal_ns(self) -> float:
        """The time of a batch in which every thread has as much as the others, and none waits."""
        return LONG_TASKS * self.long_ns + self.tasks_each * self.delay_ns

    def is_for(self, runtime: str) -> bool:
        """Says whether its queues are so, or can be made so. The reference's grow everywhere."""
        if runtime in (SERIAL, REFERENCE):
            return True
        if self.capacity is None:
            return runtime not in BOUNDED_POOLS
        own = runtime in LLVM_FAMILY and self.capacity == LLVM_CAPACITY
        return own or runtime in BOUNDED_POOLS

    def options(self, runtime: str) -> list[str]:
        """Returns the capacity, where it can be set."""
        bounded = self.capacity is not None and runtime in BOUNDED_POOLS
        return ["--queue-capacity", str(self.capacity)] if bounded else []

    def environment(self, runtime: str) -> dict[str, str]:
        """Returns what makes the queues grow, where they do not by themselves."""
        return LLVM_GROWS if self.capacity is None and runtime in LLVM_FAMILY else {}

    def arguments(self, threads: int, spin_steps_per_us: float | None) -> list[str]:
        """Returns what the program is told on so many threads."""
        long_tasks = ["--long-tasks", str(LONG_TASKS * threads), "--long-ns", str(self.long_ns)]
        return [*super().arguments(threads, spin_steps_per_us), *long_tasks]


def _cases(scale: int) -> tuple[QueueCase, ...]:
    long_ns, tasks = PAPER_LONG_NS // scale, PAPER_TASKS // scale
    of_paper = "as in the paper" if scale == 1 else f"lengths and numbers 1/{scale} of the paper's"
    return tuple(
        QueueCase(
            GROWING if capacity is None else str(capacity),
            x=at,
            capacity=capacity,
            tasks_each=tasks,
            delay_ns=DELAY_NS,
            long_ns=long_ns,
            size=(
                f"{LONG_TASKS} tasks of {long_ns / 1e6:g} ms for each thread, all spawned by one, "
                f"and {tasks:,} of {DELAY_NS} ns by each; {of_paper}"
            ),
        )
        for at, capacity in enumerate((*CAPACITIES, None))
    )


def _over_ideal(sample: TaskSample, case: Case) -> float:
    assert isinstance(case, QueueCase)
    return sample.mean_ns * sample.tasks / case.ideal_ns


def _shown(result: Result, case: str, runtime: str) -> Row | None:
    return shown_row(result, case, runtime, result.settings.threads[-1])


def _ms_text(row: Row | None) -> str:
    """Returns the time of a batch: its tasks are as many in every process."""
    return f"{row.ns * row.tasks[0] / 1e6:.1f}" if row else ""


def _tables(study: Study, result: Result) -> list[Table]:
    ideals = [
        case.ideal_ns / 1e6
        for case in study.cases_of(result.mode)
        if isinstance(case, QueueCase) and case.name in result.cases
    ]
    rows = [
        (name, [_ms_text(_shown(result, case, name)) for case in result.cases])
        for name in result.runtimes
    ]
    return [
        Table(
            f"execution time, ms, {threads_text(result.settings.threads[-1])}, by slots of a queue",
            result.cases,
            [
                ("ideal", [f"{ideal:.1f}" for ideal in ideals]),
                *((name, cells) for name, cells in rows if any(cells)),
            ],
        )
    ]


def _figures(study: Study, result: Result) -> list[Drawing]:
    del study
    with figure_and_axes(5.6) as (figure, axes):
        for runtime, style in line_styles(result.runtimes):
            points = [
                (place, row.value)
                for place, case in enumerate(result.cases)
                if runtime != SERIAL and (row := _shown(result, case, runtime))
            ]
            if points:
                axes.plot(
                    [place for place, _ in points],
                    [value for _, value in points],
                    **style,
                )
        axes.axhline(1, color=TEXT, linewidth=1, linestyle=":", label="_ideal")
        axes.set_xticks(range(len(result.cases)), result.cases)
        axes.set_xlabel("slots of a queue")
        axes.set_ylabel("execution time, times the ideal")
        figure.legend(loc="outside upper left", ncols=2)
        on_most = threads_text(result.settings.threads[-1])
        caption = f"On {on_most}; lower is better; dotted: the ideal, with perfect load balancing."
        return [drawing(figure, "over-ideal", caption)]


STUDY = Study(
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
    cases=_cases(SCALES["quick"]),
    cases_in={mode: _cases(scale) for mode, scale in SCALES.items()},
    measure=Measure("execution time", "times the ideal", lower_is_better=True, of=_over_ideal),
    figures=_figures,
    tables=_tables,
    modes=LONG_BATCHES,
    is_about_policies=True,
)
