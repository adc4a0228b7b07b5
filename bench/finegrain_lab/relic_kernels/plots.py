"""The paper's figures, and speedup by the length of the task."""

from collections.abc import Sequence

from matplotlib.axes import Axes

from finegrain_lab import statistics
from finegrain_lab.plots import (
    COLOURS,
    OTHER_COLOUR,
    TEXT,
    colours,
    figure_and_axes,
    speedup_by_length,
    svg,
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


def peers_figure(result: Result) -> str:
    """Figure 1 of the paper: each peer on each kernel."""
    return _kernel_figure(result, "fig1", peers_of(result))


def relic_figure(result: Result) -> str:
    """Figure 3: Relic on each kernel, ours and the paper's."""
    return _kernel_figure(result, "fig3", relics_of(result))


def average_figure(result: Result) -> str:
    """Figure 4: the geometric means without negative outliers."""
    lines = averaged(result)
    with figure_and_axes(0.8 + 0.36 * len(lines)) as (figure, axes):
        names = [line.runtime for line in lines]
        values = [line.geomean_no_negative for line in lines]
        bars = axes.barh(names, [value - 1 for value in values], left=1, color=colours(names))
        axes.bar_label(bars, [f"{value:.2f}" for value in values], padding=3)
        axes.axvline(1, color=TEXT, linewidth=1)
        axes.set_xlim(1, max([1.1, *values]) * 1.06)
        axes.set_xlabel("speedup over serial, geometric mean, slowdowns as 1")
        return svg(figure, "fig4")


def break_even_figure(result: Result) -> str:
    """Speedup by the length of the task."""
    cases = [case for case in SPIN_CASES if case in result.cases]
    with figure_and_axes(4.4) as (figure, axes):
        for runtime in result.runtimes:
            if runtime == SERIAL:
                continue
            rows = [row for case in cases if (row := result.row(case, runtime))]
            axes.plot(
                [row.serial_ns / 2 for row in rows],
                [row.speedup for row in rows],
                color=COLOURS.get(runtime, OTHER_COLOUR),
                marker="o",
                markersize=4,
                label=runtime,
            )
        tasks = [row.serial_ns / 2 for case in cases if (row := result.row(case, SERIAL))]
        limits = [statistics.bound(2 * task, result.floor_ns) for task in tasks]
        axes.plot(tasks, limits, color=TEXT, linestyle=":", label="bound 2t/(t+floor)")
        axes.axhline(1, color=TEXT, linewidth=1)
        speedup_by_length(figure, axes, "one task alone, ns")
        return svg(figure, "break-even")


def _kernel_figure(result: Result, name: str, runtimes: Sequence[str]) -> str:
    kernels = [case for case in KERNELS if case in result.cases]
    with figure_and_axes(3.9) as (figure, axes):
        width = 0.84 / max(1, len(runtimes))
        for index, runtime in enumerate(runtimes):
            _bars(axes, result, kernels, runtime, (index - (len(runtimes) - 1) / 2) * width, width)
        axes.axhline(1, color=TEXT, linewidth=1)
        axes.set_xticks(range(len(kernels)), kernels)
        axes.tick_params(axis="x", length=0)
        axes.set_ylabel("speedup over serial")
        figure.legend(loc="outside upper left", ncols=3)
        return svg(figure, name)


def _bars(
    axes: Axes, result: Result, kernels: Sequence[str], runtime: str, shift: float, width: float
) -> None:
    """Draws a runtime's bars with their intervals; a failed case leaves a gap."""
    rows = [(at, row) for at, case in enumerate(kernels) if (row := result.row(case, runtime))]
    axes.bar(
        [at + shift for at, _ in rows],
        [row.speedup for _, row in rows],
        width * 0.92,
        color=COLOURS.get(runtime, OTHER_COLOUR),
        label=runtime,
    )
    for at, row in rows:
        axes.plot([at + shift] * 2, row.ci95, color=TEXT, linewidth=1)
