"""Every queue by every measure."""

from finegrain_lab.cycle_tables import number_text
from finegrain_lab.plots import TEXT, colours, figure_and_axes, svg
from finegrain_lab.queues.results import Result


def cycles_figure(result: Result, measure: str) -> str:
    """A bar a queue, in cycles an item; the thin lines are the intervals."""
    rows = [row for queue in result.runtimes if (row := result.row(measure, queue))]
    with figure_and_axes(1.2 + 0.35 * len(rows)) as (figure, axes):
        names = [row.runtime for row in rows]
        axes.barh(names, [row.cycles for row in rows], color=colours(names), height=0.75)
        for at, row in enumerate(rows):
            axes.plot(row.cycles_ci95, [at, at], color=TEXT, linewidth=1)
            axes.text(row.cycles_ci95[1], at, f" {number_text(row.cycles)}", va="center")
        axes.invert_yaxis()
        axes.set_xscale("log")
        axes.margins(x=0.15)
        axes.xaxis.set_major_formatter(lambda value, _place: f"{value:,g}")
        axes.set_xlabel(f"{measure}: cycles an item")
        return svg(figure, measure)
