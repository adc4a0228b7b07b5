# SPDX-License-Identifier: Apache-2.0
"""Latency and burned CPU time, by gap."""

from collections.abc import Callable

from matplotlib.axes import Axes

from finegrain_lab.drawing import Drawing, drawing
from finegrain_lab.plots import TEXT, figure_and_axes, line_styles
from finegrain_lab.waiting.cases import GAPS_US, HINTS
from finegrain_lab.waiting.results import Result, Row

LEAST_PERCENT = 0.01  # a tenth of what an idle relic may burn; the clocks' noise can be below 0


def drawings(result: Result) -> list[Drawing]:
    """`latency` and `burned`."""
    return [_latency(result), _burned(result)]


def _latency(result: Result) -> Drawing:
    """The first task's latency by gap."""
    with figure_and_axes(4.6) as (figure, axes):
        _lines(axes, result, lambda row: row.first_task_ns)
        floor = f"floor {result.floor_ns:.0f} ns"
        axes.axhline(result.floor_ns, color=TEXT, linewidth=1, linestyle=":", label=floor)
        axes.set_yscale("log")
        axes.yaxis.set_major_formatter(lambda value, _place: f"{value:,.0f}")
        axes.set_ylabel("first task after the gap, ns")
        figure.legend(loc="outside upper left", ncols=2)
        caption = "The first task after the gap; dashed with hints."
        return drawing(figure, "latency", caption)


def _burned(result: Result) -> Drawing:
    """The CPU time burned by gap."""
    with figure_and_axes(4.6) as (figure, axes):
        _lines(axes, result, lambda row: max(100 * row.burned_share, LEAST_PERCENT))
        axes.set_yscale("log")
        axes.yaxis.set_major_formatter(lambda value, _place: f"{value:g}")
        axes.set_ylim(LEAST_PERCENT / 2, 200)
        axes.set_ylabel(f"CPU burned in the gap, % (least shown {LEAST_PERCENT})")
        figure.legend(loc="outside upper left", ncols=2)
        caption = "CPU time of the assistant in the gap, in percent of the gap; dashed with hints."
        return drawing(figure, "burned", caption)


def _lines(axes: Axes, result: Result, value: Callable[[Row], float]) -> None:
    for policy, style in line_styles(result.settings.policies):
        for hints in HINTS:
            with_hints = {"linestyle": "--", "label": f"{policy}, hints"}
            rows = result.rows(policy, hints)
            axes.plot(
                [row.gap_us for row in rows],
                [value(row) for row in rows],
                **(style | with_hints if hints == "hints" else style),
            )
    axes.set_xscale("log")
    axes.set_xticks(GAPS_US, [f"{gap_us:,}" for gap_us in GAPS_US])
    axes.set_xlabel("idle gap before it, µs")
