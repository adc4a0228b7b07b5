# SPDX-License-Identifier: Apache-2.0
"""The many-tasking paper's Figs. 3 to 7 and Table 2: tasks of one length, from one thread."""

from finegrain_lab.runtimes import SERIAL
from finegrain_lab.tasking import plots
from finegrain_lab.tasking.modes import TEN_RUNS
from finegrain_lab.tasking.results import Result
from finegrain_lab.tasking.study import Study, Table
from finegrain_lab.tasking.table import digits
from finegrain_lab.tasking.work_units import EXECUTION_TIME, PAPER_TASKS, UnitCase, size_of

# By iterations of the work unit, its length in the paper's Table 2, ns.
PAPER_NS = {0: 2.5, 10: 103.0, 100: 1_059.0, 1_000: 10_610.0, 10_000: 106_200.0}
# Tasks of a batch by mode: of 10 iterations and more quick has 1.5 to 5 ms of work (Xeon, model
# 207), long against the 50 us of a thread that wakes up late.
QUICK_TASKS = {0: 100_000, 10: 100_000, 100: 20_000, 1_000: 2_000, 10_000: 200}
FULL_TASKS = {0: 500_000, 10: 500_000, 100: 100_000, 1_000: 10_000, 10_000: 1_000}


def _cases(tasks: dict[int, int]) -> tuple[UnitCase, ...]:
    return tuple(
        UnitCase(
            str(iterations),
            x=iterations,
            iterations=iterations,
            tasks_each=count,
            size=size_of(count, f"{iterations:,} iterations each"),
        )
        for iterations, count in tasks.items()
    )


def _tables(study: Study, result: Result) -> list[Table]:
    del study
    rows = {case: result.row(case, SERIAL, 1) for case in result.cases}
    here = [f"{row.ns:.{digits(row.ns)}f}" if row else "" for row in rows.values()]
    paper = [f"{PAPER_NS[int(case)]:g}" for case in result.cases]
    return [
        Table(
            "length of the work unit by iterations, ns: run one after the other, called",
            result.cases,
            [("here", here), ("the paper, Table 2", paper)],
        )
    ]


STUDY = Study(
    name="spawn-homogeneous",
    title="tasks of one length, spawned by one thread: execution time by threads",
    heading="Homogeneous spawn: tasks of one length from one thread",
    intro=(
        f"One thread spawns {PAPER_TASKS:,} tasks and waits for them. Each adds up so many "
        "reciprocals of odd numbers in a volatile variable: the paper's work function, in a file "
        "of its own that is not optimized together with what calls it. A point is the mean of ten "
        "runs less the four farthest from their median; here it is the median of that over "
        "processes. Where a batch is fewer tasks, the time is for as many as in the paper, at the "
        "same time a task."
    ),
    paper=(
        "T. Gilmanov et al., Many-tasking, 2013, section 3.1, Figs. 3 to 7 (two 8-core E5-2670, 1 "
        "to 16 threads)",
        "0 iterations: nearly all scale poorly; Cilk Plus is the best",
        "10 iterations: Cilk Plus and Qthreads are close",
        "100 iterations: most begin to scale, Qthreads best, no OpenMP does",
        "1,000 iterations: Intel's OpenMP is best up to 8 cores; Qthreads, HPX and TBB scale well",
        "10,000 iterations: all scale; Cilk Plus and OpenMP of Intel's compilers are best",
    ),
    cases=_cases(QUICK_TASKS),
    cases_in={
        "full": _cases(FULL_TASKS),
        "paper": _cases(dict.fromkeys(PAPER_NS, PAPER_TASKS)),
    },
    measure=EXECUTION_TIME,
    figures=plots.lines_over_threads,
    tables=_tables,
    modes=TEN_RUNS,
    speedup_over="serial",
)
