# SPDX-License-Identifier: Apache-2.0
"""X-OpenMP's Fig. 7: how many tasks each worker runs, where each has spawned as many."""

from __future__ import annotations

import statistics
from typing import Any

from finegrain_lab.experiments import by_thread
from finegrain_lab.experiments.flat import FlatCase
from finegrain_lab.experiments.task_figures import on_most
from finegrain_lab.experiments.tasking import Measure, Study, value_text
from finegrain_lab.run.drop_in import shown_name
from finegrain_lab.run.runtimes import SERIAL
from finegrain_lab.show.figures import Axis, Figure, Point, Series, mark
from finegrain_lab.show.tables import Table

DELAY_NS = 100
PAPER_TASKS = 8_000_000
# By mode, of each thread: 10 ms of them, long against the 50 us of a thread that wakes up late …
TASKS = {"quick": 100_000, "full": 1_000_000, "paper": PAPER_TASKS}
HEIGHT_PER_BOX_IN = 0.3
SHARE = "tasks of a thread in a batch, times the ideal share"


def _case(tasks: int) -> FlatCase:
    scale = PAPER_TASKS // tasks
    of_paper = "as in the paper" if scale == 1 else f"1/{scale} of the paper's"
    return FlatCase(
        f"{DELAY_NS}ns",
        x=DELAY_NS,
        delay_ns=DELAY_NS,
        tasks_each=tasks,
        by_thread=True,
        size=f"a batch is {tasks:,} tasks of each thread, {of_paper}",
    )


CASES = {mode: [_case(tasks)] for mode, tasks in TASKS.items()}


def quartiles(row: Any) -> list[float]:
    """Returns those of its threads' shares in all batches of all processes, and the extremes."""
    shares = by_thread.shares(row.tasks_by_thread)
    return [min(shares), *statistics.quantiles(shares, n=4, method="inclusive"), max(shares)]


def _dealt(result: Any) -> list[Any]:
    return [row for row in result.rows if row.runtime != SERIAL]


def _tables(_study: Study, result: Any) -> list[Table]:
    lines = [
        [
            row.runtime,
            *(f"{at:.3f}" for at in quartiles(row)),
            value_text(row.value),
            f"{row.ns:.1f}",
        ]
        for row in _dealt(result)
    ]
    heads = ("least", "25 %", "median", "75 %", "most", "deviation, %", "wall ns per task")
    return [Table(f"{SHARE}, {on_most(result)}", ["runtime", *heads], lines)]


def _figures(_study: Study, result: Any) -> list[Figure]:
    rows = _dealt(result)
    points = [
        Point(at, shown_name(row.runtime), like=row.runtime)
        for row in rows
        for at in quartiles(row)
    ]
    caption = (
        f"The tasks that each of {on_most(result)} ran, in every batch of every process. Box: the "
        "middle half; whiskers: least and most; dotted: an even deal."
    )
    return [
        Figure(
            "shares",
            caption,
            [
                Series("least, quartiles, most", points, "boxes"),
                mark("an even deal", x=1, line=":"),
            ],
            Axis(SHARE),
            height_in=1.2 + HEIGHT_PER_BOX_IN * len(rows),
        )
    ]


TASK_DISTRIBUTION = Study(
    name="task-distribution",
    title="delay tasks spawned by every thread: how many of them each one runs",
    heading="Task distribution: who runs how many",
    intro=(
        f"Every thread spawns as many tasks of {DELAY_NS} ns as the others and waits for its own. "
        "What each of them has run is counted in every batch, at about a nanosecond a task. With "
        "nothing to even out, tasks that change hands are bought for nothing; but on a busy host, "
        "a thread that was held up is rightly helped."
    ),
    paper=(
        "P. Nookala et al., X-OpenMP, 2024, section 5.1, Fig. 7 (192 threads, Skylake-192; 20 runs "
        "of 8 million tasks of 0.1 µs)",
        "X-OpenMP with static round robin: every worker executes the same number",
        "OpenCilk and oneTBB: some workers execute over 10 times the tasks of others",
        "X-OpenMP with work stealing: the standard deviation is low compared to LLVM, GNU, "
        "OpenCilk and oneTBB",
        "time: X-OpenMP about 36 % faster than LLVM and GNU, about 30 % faster than OpenCilk and "
        "oneTBB",
    ),
    modes=by_thread.BY_THREAD,
    cases=CASES,
    measure=Measure(
        "standard deviation",
        "% of the ideal share",
        "lower",
        lambda sample, _case: 100 * by_thread.deviation(sample.tasks_by_thread),
    ),
    figures=_figures,
    tables=_tables,
    is_about_policies=True,
).experiment()
