"""The figures that several of these experiments share."""

from collections.abc import Sequence
from itertools import cycle
from typing import Any, Protocol

from matplotlib.axes import Axes
from matplotlib.figure import Figure as MatplotlibFigure

from finegrain_lab.drop_in import shown_name
from finegrain_lab.plots import (
    COLOURS,
    TEXT,
    colour,
    colours,
    figure_and_axes,
    plain_log_ticks,
    svg,
)
from finegrain_lab.runtimes import SERIAL
from finegrain_lab.tasking.contestants import CEILING
from finegrain_lab.tasking.flat import LEAST_HALVED, FlatCase, Producers
from finegrain_lab.tasking.results import Result
from finegrain_lab.tasking.study import Figure, Study
from finegrain_lab.tasking.table import shown_row, speedup_base, value_text
from finegrain_lab.threads import threads_text

LEAST_SHOWN_NS = 0.1  # an overhead can be below 0 by the clock's noise
HEIGHT_PER_BAR_IN = 0.22
MARKERS = ("s", "^", "D", "v", "X", "P", "<", ">")  # of the runtimes without a colour of their own
CAPTIONS: dict[Producers, str] = {
    "one": "One thread spawns.",
    "half": f"Half of the threads spawn; of fewer than {LEAST_HALVED} all.",
    "all": "Every thread spawns.",
}


class PlottedCase(Protocol):
    """A case with a place on a plot's axis."""

    @property
    def name(self) -> str:
        """Its name."""

    @property
    def x(self) -> float:
        """Its place."""


def lines_over_x(x_label: str, study: Study, result: Result) -> list[Figure]:
    """The measure of the flat cases on the most threads; a line a runtime."""
    chosen = [case for case in study.cases_of(result.mode) if case.name in result.cases]
    cases = [case for case in chosen if isinstance(case, FlatCase)]
    better = "lower" if study.measure.lower_is_better else "higher"
    on_most = threads_text(result.settings.threads[-1])
    return [
        Figure(
            _lines_figure(x_label, study, result, [c for c in cases if c.producers == producers]),
            f"{caption} On {on_most}; {better} is better.",
        )
        for producers, caption in CAPTIONS.items()
        if any(case.producers == producers for case in cases)
    ]


def lines_over_threads(study: Study, result: Result) -> list[Figure]:
    """The measure by threads; a figure a case, a line a runtime."""
    return lines_over_threads_of(study, result, result.cases)


def lines_over_threads_of(study: Study, result: Result, cases: Sequence[str]) -> list[Figure]:
    """The same of these cases only."""
    better = "lower" if study.measure.lower_is_better else "higher"
    sizes = result.settings.sizes
    return [
        Figure(
            _threads_figure(study, result, case),
            f"{case}: {f'{sizes[case]}; ' if case in sizes else ''}{better} is better.",
        )
        for case in cases
    ]


def lines_over_sizes(
    x_label: str, study: Study, result: Result, cases: Sequence[PlottedCase]
) -> Figure:
    """The measure of these cases, sizes that double, on the most threads; a line a runtime."""
    better = "lower" if study.measure.lower_is_better else "higher"
    on_most = threads_text(result.settings.threads[-1])
    with figure_and_axes(5.6) as (figure, axes):
        plot_lines(axes, result, cases)
        axes.set_xscale("log", base=2)
        axes.set_xticks([case.x for case in cases], [f"{case.x:g}" for case in cases])
        axes.minorticks_off()
        axes.set_ylim(bottom=0)
        axes.set_xlabel(x_label)
        axes.set_ylabel(f"{study.measure.name}, {study.measure.unit}")
        figure.legend(loc="outside upper left", ncols=2)
        return Figure(svg(figure, "sizes"), f"On {on_most}; {better} is better.")


def bars_by_runtime(study: Study, result: Result) -> list[Figure]:
    """The measure of each case by runtime, and the speed-up of each on the most threads."""
    return bars_of(study, result, result.cases)


def bars_of(study: Study, result: Result, cases: Sequence[str]) -> list[Figure]:
    """The same of these cases only."""
    better = "lower" if study.measure.lower_is_better else "higher"
    values = f"{study.measure.unit}; fainter on more than one thread; {better} is better."
    return [
        figure
        for case in cases
        for figure in (
            Figure(_values_figure(study, result, case), f"{case}: {values}"),
            Figure(
                _speedup_figure(result, case),
                f"{case}: speed-up over {speedup_base(result)}; dotted: the ceiling.",
            ),
        )
    ]


def _lines_figure(x_label: str, study: Study, result: Result, cases: Sequence[FlatCase]) -> str:
    with figure_and_axes(5.6) as (figure, axes):
        plot_lines(axes, result, cases, LEAST_SHOWN_NS)
        axes.set_xscale("symlog", linthresh=1)
        axes.set_yscale("log")
        plain_log_ticks(axes.yaxis)
        xs = [case.x for case in cases]
        axes.set_xticks(xs, [f"{x:g}" for x in xs])
        axes.set_xlabel(x_label)
        axes.set_ylabel(f"{study.measure.name}, {study.measure.unit}")
        figure.legend(loc="outside upper left", ncols=2)
        return svg(figure, f"value-{cases[0].producers}")


def _threads_figure(study: Study, result: Result, case: str) -> str:
    with figure_and_axes(5.6) as (figure, axes):
        for runtime, style in line_styles(result.runtimes):
            rows = [result.row(case, runtime, threads) for threads in result.settings.threads]
            shown = [row for row in rows if row]
            if shown and runtime != SERIAL:
                axes.plot([row.threads for row in shown], [row.value for row in shown], **style)
        serial = result.row(case, SERIAL, 1)
        if serial:
            axes.axhline(serial.value, color=TEXT, linewidth=1, linestyle=":", label=SERIAL)
        axes.set_yscale("log")
        plain_log_ticks(axes.yaxis)
        axes.set_xticks(result.settings.threads)
        axes.set_xlabel("threads")
        axes.set_ylabel(f"{study.measure.name}, {study.measure.unit}")
        figure.legend(loc="outside upper left", ncols=2)
        return svg(figure, f"threads-{case}")


def line_styles(runtimes: Sequence[str]) -> list[tuple[str, dict[str, Any]]]:
    """Returns each runtime with how its line is drawn: told apart without colours, too."""
    markers = cycle(MARKERS)
    return [
        (
            runtime,
            {
                "color": colour(runtime),
                "linestyle": "-" if runtime in COLOURS else "--",
                "marker": "o" if runtime in COLOURS else next(markers),
                "markersize": 4,
                "label": shown_name(runtime),
            },
        )
        for runtime in runtimes
    ]


def plot_lines(
    axes: Axes, result: Result, cases: Sequence[PlottedCase], least: float = 0.0
) -> None:
    """Draws the values of these cases on the most threads, a line a runtime, none below `least`."""
    for runtime, style in line_styles(result.runtimes):
        points = [
            (case.x, max(row.value, least))
            for case in cases
            if (row := shown_row(result, case.name, runtime, result.settings.threads[-1]))
        ]
        if points:
            axes.plot([x for x, _ in points], [value for _, value in points], **style)


def _values_figure(study: Study, result: Result, case: str) -> str:
    threads = result.settings.threads
    keys = [(name, count) for name in result.runtimes for count in threads]
    rows = [row for name, count in keys if (row := result.row(case, name, count))]
    with figure_and_axes(1.2 + HEIGHT_PER_BAR_IN * len(rows)) as (figure, axes):
        bars = axes.barh(
            range(len(rows)),
            [row.value for row in rows],
            color=colours([row.runtime for row in rows]),
            height=0.8,
        )
        for bar, row in zip(bars, rows, strict=True):
            bar.set_alpha(1.0 if row.threads == 1 else 0.6)
            middle = bar.get_y() + bar.get_height() / 2
            axes.text(row.value, middle, f" {value_text(row)}", va="center")
        axes.set_xscale("log")
        axes.margins(x=0.15)
        plain_log_ticks(axes.xaxis)
        axes.set_xlabel(f"{study.measure.name}, {study.measure.unit}")
        labels = [f"{shown_name(row.runtime)}, {threads_text(row.threads)}" for row in rows]
        return _named_bars(figure, axes, labels, f"value-{case}")


def _speedup_figure(result: Result, case: str) -> str:
    threads = result.settings.threads[-1]
    rows = [row for name in result.runtimes if (row := result.row(case, name, threads))]
    bars = [(row, row.speedup) for row in rows if row.speedup is not None]
    with figure_and_axes(1.2 + HEIGHT_PER_BAR_IN * len(bars)) as (figure, axes):
        axes.barh(
            range(len(bars)),
            [speedup for _, speedup in bars],
            color=colours([row.runtime for row, _ in bars]),
        )
        ceiling = result.row(case, CEILING, threads)
        if ceiling is not None and ceiling.speedup is not None:
            axes.axvline(ceiling.speedup, color=TEXT, linewidth=1, linestyle=":")
        axes.set_xlabel(f"speed-up of {threads_text(threads)} over {speedup_base(result)}")
        names = [shown_name(row.runtime) for row, _ in bars]
        return _named_bars(figure, axes, names, f"speedup-{case}")


def _named_bars(figure: MatplotlibFigure, axes: Axes, names: Sequence[str], element: str) -> str:
    axes.set_yticks(range(len(names)), names)
    axes.invert_yaxis()
    return svg(figure, element)
