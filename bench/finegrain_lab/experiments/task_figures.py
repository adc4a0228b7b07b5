# SPDX-License-Identifier: Apache-2.0
"""Figures that several experiments over tasks have."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from finegrain_lab.experiments.spawning import CEILING
from finegrain_lab.experiments.tasking import Study, shown_row, value_text
from finegrain_lab.run.drop_in import shown_name
from finegrain_lab.run.runtimes import (
    SERIAL,
)
from finegrain_lab.run.threads import threads_text
from finegrain_lab.show.figures import Axis, Coordinate, Figure, Point, Series, mark

HEIGHT_PER_BAR_IN = 0.22


def on_most(result: Any) -> str:
    """Says on how many threads most is shown."""
    return threads_text(result.settings.threads[-1])


def axis_of(study: Study, scale: str = "linear", low: float | None = None) -> Axis:
    """Returns the axis of what is measured."""
    return Axis(f"{study.measure.name}, {study.measure.unit}", scale, low=low)


def lines(
    result: Any,
    name: str,
    caption: str,
    places: Mapping[str, Coordinate],
    x: Axis,
    y: Axis,
    *,
    least: float = float("-inf"),
    without: Sequence[str] = (),
    marks: Sequence[Series] = (),
) -> Figure:
    """Returns the values of cases in their places, on the most threads; a line a runtime."""
    series = []
    for runtime in result.runtimes:
        rows = {place: shown_row(result, case, runtime) for case, place in places.items()}
        points = [Point(place, max(row.value, least)) for place, row in rows.items() if row]
        series.append(_line(runtime, [] if runtime in without else points))
    return Figure(name, caption, [*series, *marks], x, y, 5.6, legend=2)


def _line(runtime: str, points: Sequence[Point]) -> Series:
    """Returns a runtime's line; without points it keeps its marker from the others."""
    return Series(shown_name(runtime), points, like=runtime)


def lines_over_threads(
    study: Study, result: Any, cases: Sequence[str] | None = None
) -> list[Figure]:
    """Returns the measure by threads; a figure a case (all if None), a line a runtime."""
    figures = []
    for case in result.cases if cases is None else cases:
        rows = result.rows_of(case=case)
        points = {
            name: [Point(row.threads, row.value) for row in rows if row.runtime == name]
            for name in result.runtimes
        }
        series = [_line(name, points[name] if name != SERIAL else []) for name in points]
        serial = [row.value for row in rows if row.runtime == SERIAL]
        series += [mark(SERIAL, y=value, line=":", is_named=True) for value in serial]
        size = result.settings.sizes.get(case, "")
        caption = f"{case}: {f'{size}; ' if size else ''}{study.measure.better} is better."
        x = Axis("threads", ticks={count: str(count) for count in result.settings.threads})
        y = axis_of(study, "log")
        figures.append(Figure(f"threads-{case}", caption, series, x, y, 5.6, legend=2))
    return figures


def lines_over_sizes(study: Study, result: Any, label: str, sizes: Mapping[str, int]) -> Figure:
    """Returns the measure of these cases, sizes that double, on the most threads."""
    caption = f"By {label}, on {on_most(result)}; {study.measure.better} is better."
    x = Axis(label, "log2", {size: str(size) for size in sizes.values()})
    return lines(result, "sizes", caption, sizes, x, axis_of(study, low=0))


def bars_by_runtime(study: Study, result: Any, cases: Sequence[str] | None = None) -> list[Figure]:
    """Returns the measure of each case by runtime, and the speedup of each on the most threads."""
    names = result.cases if cases is None else cases
    return [
        figure
        for case in names
        for figure in (_values(study, result, case), _speedups(study, result, case))
    ]


def _values(study: Study, result: Any, case: str) -> Figure:
    measure = study.measure
    bars = [
        Point(
            row.value,
            f"{shown_name(row.runtime)}, {threads_text(row.threads)}",
            text=value_text(row.value),
            like=row.runtime,
            is_faint=row.threads > 1,
        )
        for row in result.rows_of(case=case)
    ]
    return Figure(
        f"value-{case}",
        f"{case}: {measure.unit}; fainter on more than one thread; {measure.better} is better.",
        [Series(measure.name, bars, "bars")],
        axis_of(study, "log"),
        height_in=1.2 + HEIGHT_PER_BAR_IN * len(bars),
    )


def _speedups(study: Study, result: Any, case: str) -> Figure:
    threads = result.settings.threads[-1]
    rows = result.rows_of(case=case, threads=threads)
    speedups = {row.runtime: row.speedup for row in rows if row.speedup is not None}
    bars = [Point(speedup, shown_name(name), like=name) for name, speedup in speedups.items()]
    dotted = [mark(CEILING, x=speedups[CEILING], line=":")] if CEILING in speedups else []
    return Figure(
        f"speedup-{case}",
        f"{case}: speedup over {study.speedup_base}; dotted: the ceiling.",
        [Series("speedup", bars, "bars"), *dotted],
        Axis(f"speedup of {threads_text(threads)} over {study.speedup_base}"),
        height_in=1.2 + HEIGHT_PER_BAR_IN * len(bars),
    )
