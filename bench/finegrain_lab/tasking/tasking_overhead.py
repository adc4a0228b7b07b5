# SPDX-License-Identifier: Apache-2.0
"""X-OpenMP's Fig. 6: what a task costs beside its own length."""

from functools import partial

from finegrain_lab.tasking import plots
from finegrain_lab.tasking.flat import FlatCase
from finegrain_lab.tasking.modes import LOOPS, paper_mode
from finegrain_lab.tasking.protocol import TaskSample
from finegrain_lab.tasking.study import Case, Measure, Study

LENGTHS_NS = (1, 10, 100, 1000)

PAPER_TASKS = 8_000_000  # of each worker


def _cases(tasks_each: int | None = None) -> tuple[FlatCase, ...]:
    return tuple(FlatCase(f"{ns}ns", x=ns, delay_ns=ns, tasks_each=tasks_each) for ns in LENGTHS_NS)


def _overhead(sample: TaskSample, case: Case) -> float:
    """Returns the time of one worker per task of its own, less the ideal one."""
    assert isinstance(case, FlatCase)
    assert case.delay_ns is not None
    return sample.mean_ns * sample.threads - case.delay_ns


STUDY = Study(
    name="tasking-overhead",
    title="delay tasks spawned by every thread: the time per task beyond its length",
    heading="Tasking overhead: what a task costs beside its own length",
    intro=(
        "Every thread spawns as many tasks as the others, each of them a delay of a fixed length, "
        "and waits for its own. The overhead is the time that a thread takes per task of its own, "
        "less that length. The serial row is the loop, the call and what the delay differs from "
        "what it says: it may be below 0, because a processor begins a task while the chain of "
        "operations of the one before still runs."
    ),
    paper=(
        "P. Nookala et al., X-OpenMP, 2024, section 5.1 (192 threads, Skylake-192)",
        "X-OpenMP with static round robin: about 110 ns",
        "X-OpenMP with work stealing: about 150 to 200 ns",
        "LLVM OpenMP: about 400 ns",
        "GNU OpenMP: about 20.32 µs for 1 ns tasks, down to 1 µs for 1 µs tasks",
        "OpenCilk: 30 ns for 1 ns tasks, 110 ns for 10 ns tasks",
        "oneTBB: 30 ns for 1 ns tasks, 85 ns for 10 ns tasks",
    ),
    cases=_cases(),
    measure=Measure("overhead", "ns per task", lower_is_better=True, of=_overhead),
    figures=partial(plots.lines_over_x, "length of a task, ns"),
    cases_in={"paper": _cases(PAPER_TASKS)},
    modes=LOOPS | {"paper": paper_mode(20)},
)
