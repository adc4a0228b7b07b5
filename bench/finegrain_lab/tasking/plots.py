# SPDX-License-Identifier: Apache-2.0
"""The figures that several of these experiments share."""

from collections.abc import Sequence
from typing import Protocol

from matplotlib.axes import Axes

from finegrain_lab.drawing import Drawing, drawing
from finegrain_lab.drop_in import shown_name
from finegrain_lab.plots import TEXT, colours, figure_and_axes, line_styles, plain_log_ticks
from finegrain_lab.runtimes import SERIAL
from finegrain_lab.tasking.contestants import CEILING
from finegrain_lab.tasking.flat import LEAST_HALVED, FlatCase, Producers
from finegrain_lab.tasking.results import Result
from finegrain_lab.tasking.study import Study
from finegrain_lab.tasking.table import shown_row, speedup_base, value_text
from finegrain_lab.threads import threads_text

LEAST_SHOWN_NS = 0.1  # an overhead can be below 0 by the clock's noise
HEIGHT_PER_BAR_IN = 0.22
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


def lines_over_x(x_label: str, study: Study, result: Result) -> list[Drawing]:
    """The measure of the flat cases on the most threads; a line a runtime."""
    chosen = [case for case in study.cases_of(result.mode) if case.name in result.cases]
    cases = [case for case in chosen if isinstance(case, FlatCase)]
    better = "lower" if study.measure.lower_is_better else "higher"
    on_most = threads_text(result.settings.threads[-1])
    return [
        _lines(
            x_label,
            study,
            result,
            [case for case in cases if case.producers == producers],
            f"{caption} On {on_most}; {better} is better.",
        )
        for producers, caption in CAPTIONS.items()
        if any(case.producers == producers for case in cases)
    ]


def lines_over_threads(study: Study, result: Result) -> list[Drawing]:
    """The measure by threads; a figure a case, a line a runtime."""
    return lines_over_threads_of(study, result, result.cases)


def lines_over_threads_of(study: Study, result: Result, cases: Sequence[str]) -> list[Drawing]:
    """The same of these cases only."""
    better = "lower" if study.measure.lower_is_better else "higher"
    sizes = result.settings.sizes
    return [
        _over_threads(
            study,
            result,
            case,
            f"{case}: {f'{sizes[case]}; ' if case in sizes else ''}{better} is better.",
        )
        for case in cases
    ]


def lines_over_sizes(
    x_label: str, study: Study, result: Result, cases: Sequence[PlottedCase]
) -> Drawing:
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
        return drawing(figure, "sizes", f"By {x_label}, on {on_most}; {better} is better.")


def bars_by_runtime(study: Study, result: Result) -> list[Drawing]:
    """The measure of each case by runtime, and the speedup of each on the most threads."""
    return bars_of(study, result, result.cases)


def bars_of(study: Study, result: Result, cases: Sequence[str]) -> list[Drawing]:
    """The same of these cases only."""
    return [
        drawn for case in cases for drawn in (_values(study, result, case), _speedups(result, case))
    ]


def _lines(
    x_label: str, study: Study, result: Result, cases: Sequence[FlatCase], caption: str
) -> Drawing:
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
        return drawing(figure, f"value-{cases[0].producers}", caption)


def _over_threads(study: Study, result: Result, case: str, caption: str) -> Drawing:
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
        return drawing(figure, f"threads-{case}", caption)


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


def _values(study: Study, result: Result, case: str) -> Drawing:
    threads = result.settings.threads
    keys = [(name, count) for name in result.runtimes for count in threads]
    rows = [row for name, count in keys if (row := result.row(case, name, count))]
    with figure_and_axes(1.2 + HEIGHT_PER_BAR_IN * len(rows)) as (figure, axes):
        bars = axes.barh(
            range(len(rows)),
            [row.value for row in rows],
            color=colours([row.runtime for row in rows]),
            height=0.8,
            label=study.measure.name,
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
        _name_bars(axes, labels)
        better = "lower" if study.measure.lower_is_better else "higher"
        caption = (
            f"{case}: {study.measure.unit}; fainter on more than one thread; {better} is better."
        )
        return drawing(figure, f"value-{case}", caption)


def _speedups(result: Result, case: str) -> Drawing:
    threads = result.settings.threads[-1]
    rows = [row for name in result.runtimes if (row := result.row(case, name, threads))]
    bars = [(row, row.speedup) for row in rows if row.speedup is not None]
    with figure_and_axes(1.2 + HEIGHT_PER_BAR_IN * len(bars)) as (figure, axes):
        axes.barh(
            range(len(bars)),
            [speedup for _, speedup in bars],
            color=colours([row.runtime for row, _ in bars]),
            label="speedup",
        )
        ceiling = result.row(case, CEILING, threads)
        if ceiling is not None and ceiling.speedup is not None:
            axes.axvline(ceiling.speedup, color=TEXT, linewidth=1, linestyle=":", label="_ceiling")
        axes.set_xlabel(f"speedup of {threads_text(threads)} over {speedup_base(result)}")
        _name_bars(axes, [shown_name(row.runtime) for row, _ in bars])
        caption = f"{case}: speedup over {speedup_base(result)}; dotted: the ceiling."
        return drawing(figure, f"speedup-{case}", caption)


def _name_bars(axes: Axes, names: Sequence[str]) -> None:
    axes.set_yticks(range(len(names)), names)
    axes.invert_yaxis()
