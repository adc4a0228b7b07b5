# SPDX-License-Identifier: Apache-2.0
"""The paper's figures, and speedup by the length of the task."""

from collections.abc import Sequence

from matplotlib.axes import Axes

from finegrain_lab import statistics
from finegrain_lab.drawing import Drawing, drawing
from finegrain_lab.plots import (
    HATCHES,
    TEXT,
    colour,
    colours,
    draw_intervals,
    figure_and_axes,
    line_styles,
    speedup_by_length,
)
from finegrain_lab.relic_kernels.cases import KERNELS, SPIN_CASES
from finegrain_lab.relic_kernels.results import Result, Summary
from finegrain_lab.runtimes import OURS, SERIAL


def relics_of(result: Result) -> list[str]:
    """Returns the measured runtimes that are Relic."""
    return [name for name in OURS if name in result.runtimes]


def peers_of(result: Result) -> list[str]:
    """Returns the measured runtimes that others made."""
    return [name for name in result.runtimes if name != SERIAL and name not in OURS]


def averaged(result: Result) -> list[Summary]:
    """Returns the summaries of the runtimes that run in parallel, the slowest first."""
    lines = [line for line in result.summary if line.runtime != SERIAL]
    return sorted(lines, key=lambda line: line.geomean_no_negative)


def drawings(result: Result) -> list[Drawing]:
    """`peers`, `relic`, `average` and `break-even`: those that there are numbers for."""
    kernels = any(case in KERNELS for case in result.cases)
    spin = any(case in SPIN_CASES for case in result.cases)
    drawn = (
        _peers(result) if kernels and peers_of(result) else None,
        _relics(result) if kernels and relics_of(result) else None,
        _averages(result) if averaged(result) else None,
        _break_even(result) if spin else None,
    )
    return [each for each in drawn if each]


def _peers(result: Result) -> Drawing:
    """Figure 1 of the paper: each peer on each kernel."""
    caption = "Each peer on each kernel; the thin lines are the intervals."
    return _kernels(result, "peers", caption, peers_of(result))


def _relics(result: Result) -> Drawing:
    """Figure 3: Relic on each kernel, ours and the paper's."""
    caption = "relic is ours, relic-paper the paper's design to the letter."
    return _kernels(result, "relic", caption, relics_of(result))


def _averages(result: Result) -> Drawing:
    """Figure 4: the geometric means without negative outliers."""
    lines = averaged(result)
    with figure_and_axes(0.8 + 0.36 * len(lines)) as (figure, axes):
        names = [line.runtime for line in lines]
        values = [line.geomean_no_negative for line in lines]
        bars = axes.barh(names, values, color=colours(names), label="geometric mean")
        axes.bar_label(bars, [f"{value:.2f}" for value in values], padding=3)
        axes.axvline(1, color=TEXT, linewidth=1, label="_serial")
        axes.set_xlim(1, max([1.1, *values]) * 1.06)
        axes.set_xlabel("speedup over serial, geometric mean, slowdowns as 1")
        caption = "A slowdown counts as serial: who profiles would not keep it."
        return drawing(figure, "average", caption)


def _break_even(result: Result) -> Drawing:
    """Speedup by the length of the task."""
    cases = [case for case in SPIN_CASES if case in result.cases]
    with figure_and_axes(4.4) as (figure, axes):
        for runtime, style in line_styles([name for name in result.runtimes if name != SERIAL]):
            rows = [row for case in cases if (row := result.row(case, runtime))]
            axes.plot(
                [row.serial_ns / 2 for row in rows],
                [row.speedup for row in rows],
                **style,
            )
        tasks = [row.serial_ns / 2 for case in cases if (row := result.row(case, SERIAL))]
        limits = [statistics.bound(2 * task, result.floor_ns) for task in tasks]
        axes.plot(tasks, limits, color=TEXT, linestyle=":", label="bound 2t/(t+floor)")
        axes.axhline(1, color=TEXT, linewidth=1, label="_serial")
        speedup_by_length(figure, axes, "one task alone, ns")
        caption = "A synthetic task of a chosen length instead of a kernel; above 1 it pays."
        return drawing(figure, "break-even", caption)


def _kernels(result: Result, name: str, caption: str, runtimes: Sequence[str]) -> Drawing:
    kernels = [case for case in KERNELS if case in result.cases]
    with figure_and_axes(3.9) as (figure, axes):
        width = 0.84 / max(1, len(runtimes))
        for index, runtime in enumerate(runtimes):
            _bars(axes, result, kernels, runtime, (index - (len(runtimes) - 1) / 2) * width, width)
        axes.axhline(1, color=TEXT, linewidth=1, label="_serial")
        axes.set_xticks(range(len(kernels)), kernels)
        axes.tick_params(axis="x", length=0)
        axes.set_ylabel("speedup over serial")
        figure.legend(loc="outside upper left", ncols=3)
        return drawing(figure, name, caption)


def _bars(
    axes: Axes, result: Result, kernels: Sequence[str], runtime: str, shift: float, width: float
) -> None:
    """Draws a runtime's bars with their intervals; a failed case leaves a gap."""
    rows = [(at, row) for at, case in enumerate(kernels) if (row := result.row(case, runtime))]
    places = [at + shift for at, _ in rows]
    axes.bar(
        places,
        [row.speedup for _, row in rows],
        width * 0.92,
        color=colour(runtime),
        hatch=HATCHES.get(runtime),
        hatchcolor=TEXT,
        label=runtime,
    )
    draw_intervals(axes, places, [row.ci95 for _, row in rows], runtime)
