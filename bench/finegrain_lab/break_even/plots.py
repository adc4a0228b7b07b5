"""Speedup by grain."""

from finegrain_lab.break_even.cases import RUNTIMES
from finegrain_lab.break_even.results import Result
from finegrain_lab.plots import COLOURS, TEXT, figure_and_axes, speedup_by_length, svg

STYLES = {"relic-always": "--", "relic-adaptive": "-", "oracle": ":"}


def grain_figure(result: Result, ratio: str) -> str:
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
            for row in rows:
                axes.plot([row.grain_ns] * 2, row.ci95, color=COLOURS[runtime], linewidth=1)
        axes.axhline(1, color=TEXT, linewidth=1)
        floor = f"floor {result.floor_ns:.0f} ns"
        axes.axvline(result.floor_ns, color=TEXT, linewidth=1, linestyle=":", label=floor)
        grain_ns = result.break_even_ns[ratio]
        if grain_ns is not None:
            label = f"break-even {grain_ns:.0f} ns"
            axes.axvline(grain_ns, color=TEXT, linewidth=1, linestyle="--", label=label)
        speedup_by_length(figure, axes, "the shorter branch, ns")
        return svg(figure, f"grain-{ratio}")
