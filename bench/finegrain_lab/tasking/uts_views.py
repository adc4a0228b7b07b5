# SPDX-License-Identifier: Apache-2.0
"""The figures and the table of the tree search."""

import statistics

from finegrain_lab.drawing import Drawing, drawing
from finegrain_lab.plots import figure_and_axes, plain_log_ticks
from finegrain_lab.tasking import plots
from finegrain_lab.tasking.results import Result
from finegrain_lab.tasking.study import Study, Table
from finegrain_lab.tasking.timeline import Timeline
from finegrain_lab.tasking.uts_case import UtsCase
from finegrain_lab.threads import threads_text

MOST_WORKERS = 4  # that have a column each; of more the extremes are shown


def figures(study: Study, result: Result) -> list[Drawing]:
    """The trees at granularity 1 by runtime, and each tree by granularity."""
    cases = _cases(study, result)
    finest = [case.name for case in cases if case.x == 1]
    by_granularity = [
        _by_granularity(study, result, of_tree)
        for tree in dict.fromkeys(case.tree for case in cases)
        if len(of_tree := [case for case in cases if case.tree == tree]) > 1
    ]
    return [*plots.bars_of(study, result, finest), *by_granularity]


def busy_table(study: Study, result: Result) -> list[Table]:
    """The share of its time that each worker was busy, of each case that has timelines."""
    del study
    return [
        Table(
            f"share of the time that each worker was busy, {case}, {threads_text(threads)}",
            _columns(len(rows[0][1].workers)),
            [(runtime, _cells(timeline)) for runtime, timeline in rows],
        )
        for case in result.cases
        for threads in result.settings.threads[-1:]
        if (rows := result.timelines(case, threads))
    ]


def _columns(workers: int) -> list[str]:
    shown = ["least", "median", "most"]
    if workers <= MOST_WORKERS:
        shown = [f"worker {at}" for at in range(workers)]
    return [*shown, "search, ms"]


def _cells(timeline: Timeline) -> list[str]:
    busy = [worker.busy for worker in timeline.workers]
    if len(busy) > MOST_WORKERS:
        busy = [min(busy), statistics.median(busy), max(busy)]
    return [*(f"{100 * share:.0f} %" for share in busy), f"{timeline.wall_ns / 1e6:.0f}"]


def _cases(study: Study, result: Result) -> list[UtsCase]:
    all_of_mode = study.cases_of(result.mode)
    cases = [case for case in all_of_mode if isinstance(case, UtsCase)]
    return [case for case in cases if case.name in result.cases]


def _by_granularity(study: Study, result: Result, cases: list[UtsCase]) -> Drawing:
    with figure_and_axes(5.6) as (figure, axes):
        plots.plot_lines(axes, result, cases)
        axes.set_yscale("log")
        plain_log_ticks(axes.yaxis)
        axes.set_xticks([case.x for case in cases])
        axes.set_xlabel("granularity: how often each node is computed")
        axes.set_ylabel(f"{study.measure.name}, {study.measure.unit}")
        figure.legend(loc="outside upper left", ncols=2)
        tree = cases[0].tree
        caption = f"{tree} by granularity, on {threads_text(result.settings.threads[-1])}."
        return drawing(figure, f"granularity-{tree}", caption)
