# SPDX-License-Identifier: Apache-2.0
"""X-OpenMP's Fig. 7: how many tasks each worker runs, where each has spawned as many."""

from collections.abc import Mapping

import numpy as np

from finegrain_lab.drawing import Drawing, drawing
from finegrain_lab.drop_in import shown_name
from finegrain_lab.plots import TEXT, colours, figure_and_axes
from finegrain_lab.runtimes import SERIAL
from finegrain_lab.tasking import distribution
from finegrain_lab.tasking.flat import FlatCase
from finegrain_lab.tasking.modes import BY_THREAD
from finegrain_lab.tasking.protocol import TaskSample
from finegrain_lab.tasking.results import Result, Row
from finegrain_lab.tasking.study import Case, Measure, Study, Table
from finegrain_lab.tasking.table import value_text
from finegrain_lab.threads import threads_text

DELAY_NS = 100
PAPER_TASKS = 8_000_000
# By mode, of each thread: 10 ms of them, long against the 50 us of a thread that wakes up late …
TASKS = {"quick": 100_000, "full": 1_000_000, "paper": PAPER_TASKS}
HEIGHT_PER_BOX_IN = 0.3


def _deviation(sample: TaskSample, case: Case) -> float:
    del case
    return 100 * distribution.deviation(sample.tasks_by_thread)


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


def _shares(result: Result) -> Mapping[str, tuple[Row, list[float]]]:
    """Returns each runtime's row, and the shares of its threads in all batches of all processes."""
    (case,) = result.cases
    rows = (row for row in result.results if row.case == case and row.runtime != SERIAL)
    return {row.runtime: (row, distribution.shares(row.tasks_by_thread or ())) for row in rows}


def _table(study: Study, result: Result) -> list[Table]:
    del study
    on_most = threads_text(result.settings.threads[-1])
    return [
        Table(
            f"tasks of a thread in a batch, times the ideal share, {on_most}",
            ("least", "25 %", "median", "75 %", "most", "deviation, %", "wall ns per task"),
            [
                (
                    runtime,
                    [
                        *(f"{at:.3f}" for at in np.quantile(shares, (0, 0.25, 0.5, 0.75, 1))),
                        value_text(row),
                        f"{row.ns:.1f}",
                    ],
                )
                for runtime, (row, shares) in _shares(result).items()
            ],
        )
    ]


def _figure(study: Study, result: Result) -> list[Drawing]:
    del study
    found = _shares(result)
    with figure_and_axes(1.2 + HEIGHT_PER_BOX_IN * len(found)) as (figure, axes):
        boxes = axes.boxplot(
            [shares for _, shares in found.values()],
            orientation="horizontal",
            tick_labels=[shown_name(runtime) for runtime in found],
            whis=(0, 100),
            showcaps=False,
            showfliers=False,
            widths=0.6,
            patch_artist=True,
            boxprops={"edgecolor": TEXT},
            whiskerprops={"color": TEXT},
            medianprops={"color": TEXT},
        )
        for box, colour in zip(boxes["boxes"], colours(list(found)), strict=True):
            box.set(facecolor=colour, label="25 % to 75 %")
        for median in boxes["medians"]:
            median.set_label("median")
        for whisker in boxes["whiskers"]:
            whisker.set_label("least to most")
        axes.axvline(1, color=TEXT, linewidth=1, linestyle=":", label="_an even deal")
        axes.set_xlabel("tasks of a thread in a batch, times the ideal share")
        axes.invert_yaxis()
        on_most = threads_text(result.settings.threads[-1])
        caption = (
            f"The tasks that each of {on_most} ran, in every batch of every process. Box: the "
            "middle half; whiskers: least and most; dotted: an even deal."
        )
        return [drawing(figure, "shares", caption)]


STUDY = Study(
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
    cases=(_case(TASKS["quick"]),),
    cases_in={mode: (_case(tasks),) for mode, tasks in TASKS.items()},
    measure=Measure(
        "standard deviation", "% of the ideal share", lower_is_better=True, of=_deviation
    ),
    figures=_figure,
    tables=_table,
    modes=BY_THREAD,
    is_about_policies=True,
)
