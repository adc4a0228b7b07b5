"""The figures, as SVG that takes its text colour and its font from the page around it.

Every figure is narrow: it is read on a phone as it is, and stands beside its numbers elsewhere.
"""

import io
import re
from collections.abc import Sequence
from contextlib import AbstractContextManager

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from finegrain_lab import statistics
from finegrain_lab.relic_kernels import KERNELS, SPIN_CASES
from finegrain_lab.results import Result, Summary
from finegrain_lab.runtimes import OURS, SERIAL

WIDTH_IN = 5.6
TEXT = "#010203"  # stands for the page's text colour
# Told apart on white and on black, and by colour-blind readers (Okabe and Ito).
COLOURS = {
    "relic": "#D55E00",
    "relic-paper": "#E69F00",
    "gnu-openmp": "#009E73",
    "llvm-openmp": "#0072B2",
    "intel-openmp": "#56B4E9",
    "onetbb": "#CC79A7",
    "taskflow": "#8C6BB1",
    "opencilk": "#999999",
}
OTHER_COLOUR = "#777777"


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
    with _style():
        figure = Figure(figsize=(WIDTH_IN, 0.8 + 0.36 * len(lines)), layout="constrained")
        axes = figure.subplots()
        names = [line.runtime for line in lines]
        values = [line.geomean_no_negative for line in lines]
        bars = axes.barh(names, [value - 1 for value in values], left=1, color=_colours(names))
        axes.bar_label(bars, [f"{value:.2f}" for value in values], padding=3)
        axes.axvline(1, color=TEXT, linewidth=1)
        axes.set_xlim(1, max([1.1, *values]) * 1.06)
        axes.set_xlabel("speedup over serial, geometric mean, slowdowns as 1")
        return _svg(figure, "fig4")


def break_even_figure(result: Result) -> str:
    """Speedup by the length of the task."""
    cases = [case for case in SPIN_CASES if case in result.cases]
    with _style():
        figure = Figure(figsize=(WIDTH_IN, 4.4), layout="constrained")
        axes = figure.subplots()
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
        axes.set_xscale("log")
        axes.set_xticks([10, 100, 1_000, 10_000], ["10", "100", "1,000", "10,000"])
        axes.set_ylim(0, 2.05)
        axes.set_xlabel("one task alone, ns")
        axes.set_ylabel("speedup over serial")
        figure.legend(loc="outside upper left", ncols=3)
        return _svg(figure, "break-even")


def _kernel_figure(result: Result, name: str, runtimes: Sequence[str]) -> str:
    kernels = [case for case in KERNELS if case in result.cases]
    with _style():
        figure = Figure(figsize=(WIDTH_IN, 3.9), layout="constrained")
        axes = figure.subplots()
        width = 0.84 / max(1, len(runtimes))
        for index, runtime in enumerate(runtimes):
            _bars(axes, result, kernels, runtime, (index - (len(runtimes) - 1) / 2) * width, width)
        axes.axhline(1, color=TEXT, linewidth=1)
        axes.set_xticks(range(len(kernels)), kernels)
        axes.tick_params(axis="x", length=0)
        axes.set_ylabel("speedup over serial")
        figure.legend(loc="outside upper left", ncols=3)
        return _svg(figure, name)


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


def _style() -> AbstractContextManager[None]:
    return mpl.rc_context(
        {
            "svg.fonttype": "none",
            "svg.hashsalt": "finegrain",
            "font.size": 11,
            "text.color": TEXT,
            "axes.edgecolor": TEXT,
            "axes.labelcolor": TEXT,
            "xtick.color": TEXT,
            "ytick.color": TEXT,
            "axes.spines.top": False,
            "axes.spines.right": False,
            "legend.frameon": False,
            "legend.fontsize": 10,
        }
    )


def _colours(names: Sequence[str]) -> list[str]:
    return [COLOURS.get(name, OTHER_COLOUR) for name in names]


def _svg(figure: Figure, name: str) -> str:
    """Returns the figure as an element for a page: no size of its own, names that are only its."""
    buffer = io.StringIO()
    figure.savefig(buffer, format="svg", transparent=True, metadata={"Date": None, "Creator": None})
    svg = buffer.getvalue()
    svg = svg[svg.index("<svg") :]
    svg = re.sub(r"<metadata>.*?</metadata>", "", svg, flags=re.DOTALL)
    svg = re.sub(r'(<svg[^>]*?) width="[^"]*"', r"\1", svg, count=1)
    svg = re.sub(r'(<svg[^>]*?) height="[^"]*"', r"\1", svg, count=1)
    svg = re.sub(r'\bid="', f'id="{name}-', svg)
    svg = svg.replace('href="#', f'href="#{name}-').replace("url(#", f"url(#{name}-")
    svg = re.sub(r"font: (\S+) [^;\"]*", r"font-size: \1; font-family: inherit", svg)
    svg = re.sub(r"font-family: [^;\"]*", "font-family: inherit", svg)
    return svg.replace(TEXT, "currentColor")
