# SPDX-License-Identifier: Apache-2.0
"""The figures: the geometric means, and a bar chart a case."""

from collections.abc import Callable, Sequence

from matplotlib.axes import Axes

from finegrain_lab.drawing import Drawing, drawing
from finegrain_lab.drop_in import with_policy
from finegrain_lab.omp.cases import CASES, KERNELS
from finegrain_lab.omp.results import Interval, Result
from finegrain_lab.omp.table import OVERHEADS
from finegrain_lab.plots import (
    OTHER_COLOUR,
    TEXT,
    draw_intervals,
    figure_and_axes,
    plain_log_ticks,
)
from finegrain_lab.runtimes import SERIAL

ALONE = "alone"
# Told apart on white and on black, and by colour-blind readers (Okabe and Ito; nowait:2 is a
# lighter nowait, with a pattern).
COLOURS = {
    ALONE: "#646464",
    "private_deque": "#D55E00",
    "xqueue_static": "#0072B2",
    "xqueue_wait": "#56B4E9",
    "xqueue_nowait": "#009E73",
    "xqueue_nowait:2": "#7FD1B9",
    "combining": "#CC79A7",
    "chase_lev": "#E69F00",
}
HATCHES = {"xqueue_nowait:2": "////"}
WIDE = 10  # from the lowest to the highest bar: then the scale is logarithmic, else it begins at 0
GROUP_WIDTH = 0.86  # of the distance between two runtimes

# What a bar shows: its height, and the interval.
Value = tuple[float, Interval]


def drawings(result: Result) -> list[Drawing]:
    """`means`, where there are any, and a figure a case of its name."""
    means = [means_drawing(result)] if result.summary else []
    return means + [case_drawing(result, case) for case in result.cases]


def means_drawing(result: Result) -> Drawing:
    """The geometric means over the own runtime, a group a runtime, a bar a policy."""

    def of(base: str, policy: str) -> Value | None:
        line = result.summary_of(with_policy(base, policy), base)
        return (line.geomean, line.ci95) if line else None

    with figure_and_axes(3.9) as (figure, axes):
        _grouped_bars(axes, result.settings.bases, result.settings.policies, of)
        axes.axhline(1, color=TEXT, linewidth=1, label="_alone")
        axes.set_ylabel(f"speedup over the runtime alone,\ngeometric mean of {len(KERNELS)}")
        figure.legend(loc="outside upper left", ncols=3)
        caption = f"Geometric mean of {', '.join(KERNELS)}; higher is better."
        return drawing(figure, "means", caption)


def case_drawing(result: Result, case: str) -> Drawing:
    """The time of a case: a group a runtime, a bar the runtime alone or a policy."""
    scale = 1.0 if case in OVERHEADS else 1e6

    def of(base: str, policy: str) -> Value | None:
        row = result.row(case, base if policy == ALONE else with_policy(base, policy))
        return (row.ns / scale, (row.ci95[0] / scale, row.ci95[1] / scale)) if row else None

    with figure_and_axes(3.9) as (figure, axes):
        _grouped_bars(axes, result.settings.bases, [ALONE, *result.settings.policies], of)
        if serial := result.row(case, SERIAL):
            axes.axhline(
                serial.ns / scale, color=TEXT, linewidth=1, linestyle=":", label="serial, 1 thread"
            )
        rows = [row for row in result.results if row.case == case]
        lowest = min((row.ci95[0] for row in rows), default=0.0)
        if 0 < WIDE * lowest < max(row.ns for row in rows):
            axes.set_yscale("log")
            plain_log_ticks(axes.yaxis)
        axes.set_ylabel(f"{case}, {'ns' if case in OVERHEADS else 'ms'}")
        if axes.get_legend_handles_labels()[0]:  # nothing where all failed
            figure.legend(loc="outside upper left", ncols=3)
        caption = f"{CASES[case].what}; lower is better. The thin lines are the intervals."
        return drawing(figure, case, caption)


def _grouped_bars(
    axes: Axes,
    bases: Sequence[str],
    policies: Sequence[str],
    of: Callable[[str, str], Value | None],
) -> None:
    """Draws a group a base with a bar a policy; what is not there leaves a gap."""
    width = GROUP_WIDTH / max(1, len(policies))
    for index, policy in enumerate(policies):
        shift = (index - (len(policies) - 1) / 2) * width
        found = [
            (at + shift, value) for at, base in enumerate(bases) if (value := of(base, policy))
        ]
        if found:
            axes.bar(
                [x for x, _ in found],
                [height for _, (height, _) in found],
                width * 0.92,
                color=COLOURS.get(policy, OTHER_COLOUR),
                hatch=HATCHES.get(policy),
                hatchcolor=TEXT,
                label=policy,
            )
            intervals = [interval for _, (_, interval) in found]
            draw_intervals(axes, [x for x, _ in found], intervals, policy)
    axes.set_xticks(range(len(bases)), bases)
    axes.tick_params(axis="x", length=0)
