# SPDX-License-Identifier: Apache-2.0
"""Every queue by every measure."""

from finegrain_lab.cycle_tables import number_text
from finegrain_lab.drawing import Drawing, drawing
from finegrain_lab.plots import colours, draw_intervals, figure_and_axes
from finegrain_lab.queues.cases import MEASURES
from finegrain_lab.queues.results import Result


def drawings(result: Result) -> list[Drawing]:
    """A figure a measure, of its name."""
    return [_cycles(result, measure) for measure in MEASURES]


def _cycles(result: Result, measure: str) -> Drawing:
    """A bar a queue, in cycles an item; the thin lines are the intervals."""
    rows = [row for queue in result.runtimes if (row := result.row(measure, queue))]
    with figure_and_axes(1.2 + 0.35 * len(rows)) as (figure, axes):
        names = [row.runtime for row in rows]
        values = [row.cycles for row in rows]
        axes.barh(names, values, color=colours(names), height=0.75, label=measure)
        intervals = [row.cycles_ci95 for row in rows]
        draw_intervals(axes, range(len(rows)), intervals, measure, horizontal=True)
        for at, row in enumerate(rows):
            axes.text(row.cycles_ci95[1], at, f" {number_text(row.cycles)}", va="center")
        axes.invert_yaxis()
        axes.set_xscale("log")
        axes.margins(x=0.15)
        axes.xaxis.set_major_formatter(lambda value, _place: f"{value:,g}")
        axes.set_xlabel(f"{measure}: cycles an item")
        return drawing(figure, measure, f"{MEASURES[measure]}; lower is better.")
