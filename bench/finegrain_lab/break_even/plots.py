# SPDX-License-Identifier: Apache-2.0
"""Speedup by grain."""

from finegrain_lab.break_even import table
from finegrain_lab.break_even.cases import MEANING, RUNTIMES
from finegrain_lab.break_even.results import Result
from finegrain_lab.drawing import Drawing, drawing
from finegrain_lab.plots import COLOURS, TEXT, draw_intervals, figure_and_axes, speedup_by_length

STYLES = {"relic-always": "--", "relic-adaptive": "-", "oracle": ":"}


def drawings(result: Result) -> list[Drawing]:
    """A figure a ratio, `grain-RATIO`."""
    return [_grain(result, ratio) for ratio in table.ratios_of(result)]


def _grain(result: Result, ratio: str) -> Drawing:
    """The three lines of one ratio, with the floor and the break-even grain."""
    with figure_and_axes(4.2) as (figure, axes):
        for runtime in RUNTIMES:
            rows = result.steady(ratio, runtime)
            axes.plot(
                [row.grain_ns for row in rows],
                [row.speedup for row in rows],
                color=COLOURS[runtime],
                linestyle=STYLES[runtime],
                linewidth=2,
                marker="o",
                markersize=4,
                label=runtime,
            )
            places, intervals = [row.grain_ns for row in rows], [row.ci95 for row in rows]
            draw_intervals(axes, places, intervals, runtime, color=COLOURS[runtime])
        axes.axhline(1, color=TEXT, linewidth=1, label="_serial")
        floor = f"floor {result.floor_ns:.0f} ns"
        axes.axvline(result.floor_ns, color=TEXT, linewidth=1, linestyle=":", label=floor)
        grain_ns = result.break_even_ns[ratio]
        if grain_ns is not None:
            label = f"break-even {grain_ns:.0f} ns"
            axes.axvline(grain_ns, color=TEXT, linewidth=1, linestyle="--", label=label)
        speedup_by_length(figure, axes, "the shorter branch, ns")
        caption = (
            f"{MEANING[ratio]}: speedup by the length of the shorter branch; above 1 it pays. The "
            "thin lines are the intervals."
        )
        return drawing(figure, f"grain-{ratio}", caption)
