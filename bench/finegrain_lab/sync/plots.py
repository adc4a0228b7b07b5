# SPDX-License-Identifier: Apache-2.0
"""The paper's Fig. 2: cycles per operation, by threads."""

from finegrain_lab.drawing import Drawing, drawing
from finegrain_lab.plots import TEXT, colour, draw_intervals, figure_and_axes, line_styles
from finegrain_lab.sync.results import Result


def drawings(result: Result) -> list[Drawing]:
    """The one figure, `cycles`."""
    return [_cycles(result)]


def _cycles(result: Result) -> Drawing:
    """A line a mechanism; right of the dotted line threads share CPUs."""
    threads = result.settings.threads
    with figure_and_axes(4.6) as (figure, axes):
        for mechanism, style in line_styles(result.runtimes):
            rows = [row for count in threads if (row := result.row(mechanism, count))]
            places = [row.threads for row in rows]
            axes.plot(places, [row.cycles for row in rows], **style)
            intervals = [row.cycles_ci95 for row in rows]
            draw_intervals(axes, places, intervals, mechanism, color=colour(mechanism))
        shared = len(result.settings.cpus) * 2**0.1
        axes.axvline(shared, color=TEXT, linewidth=1, linestyle=":", label="_threads share CPUs")
        axes.set_xscale("log", base=2)
        axes.set_xticks(threads, [str(count) for count in threads])
        axes.set_yscale("log")
        axes.yaxis.set_major_formatter(lambda value, _place: f"{value:,g}")
        axes.set_xlabel("threads")
        axes.set_ylabel("cycles per operation")
        figure.legend(loc="outside upper left", ncols=4)
        caption = (
            "As the paper's Fig. 2 has it; right of the dotted line threads share CPUs. The thin "
            "lines are the intervals."
        )
        return drawing(figure, "cycles", caption)
