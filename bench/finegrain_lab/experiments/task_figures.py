# SPDX-License-Identifier: Apache-2.0
"""Figures that several experiments over tasks have."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from finegrain_lab.experiments.spawning import CEILING
from finegrain_lab.experiments.tasking import Study, shown_row, value_text
from finegrain_lab.run.cores import spread_of
from finegrain_lab.run.drop_in import shown_name
from finegrain_lab.run.runtimes import (
    SERIAL,
)
from finegrain_lab.run.threads import cpus_of, threads_text
from finegrain_lab.show.figures import Axis, Coordinate, Figure, Point, Series, mark

HEIGHT_PER_BAR_IN = 0.22
LEAST_OF_CURVE = 3  # numbers of threads


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
    """Returns the measure by threads; a figure a case (all if None), a line a runtime.

    Where the machine has SMT siblings or NUMA nodes, a case has a figure for each way in which its
    threads are spread over them, with the same axes.
    """
    return [
        _over_threads(study, result, case, spread, counts)
        for case in (result.cases if cases is None else cases)
        for spread, counts in spreads_of(result).items()
    ]


def spreads_of(result: Any) -> Mapping[str, Sequence[int]]:
    """Returns the numbers of threads by how these are spread; one thread begins every spread.

    All in one, without a name, where the host does not tell, the system places the threads, or they
    are never spread in two ways.
    """
    settings = result.settings
    found: dict[str, list[int]] = {}
    for count in settings.threads:
        cpus = cpus_of(count, result.host.used_cpus, settings.cpus)
        found.setdefault(spread_of(result.host, cpus), []).append(count)
    alone = found.pop("", [])
    if len(found) < 2 or settings.numa_binding != "on":
        return {"": settings.threads}
    return {spread: [*alone, *counts] for spread, counts in found.items()}


def _over_threads(
    study: Study, result: Any, case: str, spread: str, counts: Sequence[int]
) -> Figure:
    all_rows = result.rows_of(case=case)
    rows = [row for row in all_rows if row.threads in counts]
    points = {
        name: [Point(row.threads, row.value) for row in rows if row.runtime == name]
        for name in result.runtimes
    }
    series = [_line(name, points[name] if name != SERIAL else []) for name in points]
    serial = [row.value for row in rows if row.runtime == SERIAL]
    series += [mark(SERIAL, y=value, line=":", is_named=True) for value in serial]
    words = (spread, result.settings.sizes.get(case, ""), f"{study.measure.better} is better.")
    x = Axis("threads", ticks={count: str(count) for count in result.settings.threads})
    y = axis_of(study, "log")
    if spread:
        values = [row.value for row in all_rows if row.value > 0]
        x = replace(x, low=0, high=result.settings.threads[-1] * 1.05)
        y = replace(y, low=min(values) / 1.1, high=max(values) * 1.1) if values else y
    return Figure(
        f"threads-{case}" + (f"-{slug_of(spread)}" if spread else ""),
        f"{case}: {'; '.join(filter(None, words))}",
        *(series, x, y, 5.6),
        legend=2,
    )


def slug_of(spread: str) -> str:
    """Returns it as a part of a figure's name."""
    return spread.replace(",", "").replace(" ", "-").lower()


def lines_over_sizes(study: Study, result: Any, label: str, sizes: Mapping[str, int]) -> Figure:
    """Returns the measure of these cases, sizes that double, on the most threads."""
    caption = f"By {label}, on {on_most(result)}; {study.measure.better} is better."
    x = Axis(label, "log2", {size: str(size) for size in sizes.values()})
    return lines(result, "sizes", caption, sizes, x, axis_of(study, low=0))


def bars_by_runtime(study: Study, result: Any, cases: Sequence[str] | None = None) -> list[Figure]:
    """Returns the measure of each case by runtime, and the speedup of each on the most threads.

    The measure of a case on three numbers of threads and more is drawn as curves.
    """
    names = result.cases if cases is None else cases
    return [
        figure
        for case in names
        for figure in (*_values(study, result, case), _speedups(study, result, case))
    ]


def _values(study: Study, result: Any, case: str) -> list[Figure]:
    counts = {row.threads for row in result.rows_of(case=case)}
    if len(counts) >= LEAST_OF_CURVE:
        return lines_over_threads(study, result, [case])
    return [_bars(study, result, case)]


def _bars(study: Study, result: Any, case: str) -> Figure:
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
