# SPDX-License-Identifier: Apache-2.0
"""The many-tasking paper's Figs. 3 to 7 and Table 2: tasks of one length, from one thread."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from finegrain_lab.experiments.tasking import Study, value_text
from finegrain_lab.experiments.work_units import PAPER_TASKS, UnitCase, size_of, unit_study
from finegrain_lab.run.runtimes import SERIAL
from finegrain_lab.show.tables import Table

# By iterations of the work unit, its length in the paper's Table 2, ns.
PAPER_NS = {0: 2.5, 10: 103.0, 100: 1_059.0, 1_000: 10_610.0, 10_000: 106_200.0}
# Tasks of a batch by mode: of 10 iterations and more quick has 1.5 to 5 ms of work (Xeon, model
# 207), long against the 50 us of a thread that wakes up late.
QUICK_TASKS = {0: 100_000, 10: 100_000, 100: 20_000, 1_000: 2_000, 10_000: 200}
FULL_TASKS = {0: 500_000, 10: 500_000, 100: 100_000, 1_000: 10_000, 10_000: 1_000}


def _cases(tasks: Mapping[int, int]) -> list[UnitCase]:
    return [
        UnitCase(
            str(iterations),
            iterations=iterations,
            tasks_each=count,
            size=size_of(count, f"{iterations:,} iterations each"),
        )
        for iterations, count in tasks.items()
    ]


def _tables(_study: Study, result: Any) -> list[Table]:
    rows = [result.row(case=case, runtime=SERIAL, threads=1) for case in result.cases]
    here = [value_text(row.ns) if row else "" for row in rows]
    paper = [f"{PAPER_NS[int(case)]:g}" for case in result.cases]
    title = "length of the work unit by iterations, ns: run one after the other, called"
    lines = [["here", *here], ["the paper, Table 2", *paper]]
    return [Table(title, ["runtime", *result.cases], lines)]


SPAWN_HOMOGENEOUS = unit_study(
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
    cases={
        "quick": _cases(QUICK_TASKS),
        "full": _cases(FULL_TASKS),
        "paper": _cases(dict.fromkeys(PAPER_NS, PAPER_TASKS)),
    },
    tables=_tables,
).experiment()
