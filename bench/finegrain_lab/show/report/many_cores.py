# SPDX-License-Identifier: Apache-2.0
"""What was measured beside what was simulated of the same work, never in one figure."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from finegrain_lab.experiments import scaling
from finegrain_lab.experiments.omp_regions_programs import OUR_CLANGS
from finegrain_lab.show.draw import draw
from finegrain_lab.show.drawing import Drawing
from finegrain_lab.show.figures import Axis, Figure, Point, Series
from finegrain_lab.show.report.measured import Measured
from finegrain_lab.show.result import Result

MANY_CORES = "many-cores"  # what its figures are of
SPACE = 1.2  # beyond the least and the greatest value


@dataclass(frozen=True)
class Work:
    """What is simulated, and measured by another experiment."""

    simulated: str  # a case of scaling
    experiment: str
    case: str
    runtimes: dict[str, str]  # the measured one's, and what the simulation calls it
    ns_a_task: Callable[[Any], tuple[float, float, float]]  # of a row, with its interval
    differs: str  # between the two, for a reader


@dataclass(frozen=True)
class Comparison:
    """The bands of a work, and its curves by host; all have the same axes."""

    work: Work
    band: Drawing
    curves: Sequence[Drawing]

    @property
    def drawings(self) -> Sequence[Drawing]:
        """All of them."""
        return [self.band, *self.curves]


def _ns_a_spawn(row: Any) -> tuple[float, float, float]:
    return row.value, *row.value_ci95


def _ns_a_thread(row: Any) -> tuple[float, float, float]:
    return row.ns / row.threads, *(end / row.threads for end in row.ns_ci95)


WORKS = (
    Work(
        "fib",
        "spawn",
        "fib",
        {f"pool-{policy}": policy for policy in scaling.POLICIES if policy not in scaling.X_OPENMP},
        _ns_a_spawn,
        "The simulated ones fork 250 times a worker, the measured ones for milliseconds.",
    ),
    Work(
        "regions",
        "omp-regions",
        "parallel",
        {OUR_CLANGS: scaling.OPENMP},
        _ns_a_thread,
        "A region's time over its threads. On more threads than the host has CPUs none is shown.",
    ),
)


def comparisons_of(all_measured: Sequence[Measured]) -> list[Comparison]:
    """Returns the works that one of these hosts has simulated, and one or several measured."""
    name = scaling.SCALING.name
    simulated = next((it.results[name] for it in all_measured if name in it.results), None)
    if not simulated:
        return []
    found = [_comparison(work, simulated, all_measured) for work in WORKS]
    return [each for each in found if each]


def _comparison(
    work: Work, simulated: Result, all_measured: Sequence[Measured]
) -> Comparison | None:
    band = scaling.band_figure(simulated, work.simulated)
    curves = [
        replace(_curve(work, measured), name=f"{work.simulated}-measured{number}")
        for measured, number in zip(all_measured, _numbers(len(all_measured)), strict=True)
    ]
    shown = [curve for curve in curves if curve.shown]
    if not band.shown or not shown:
        return None
    figures = [replace(band, name=f"{work.simulated}-simulated"), *shown]
    first, *others = (draw(_alike(figure, figures)) for figure in figures)
    return Comparison(work, first, others)


def _numbers(hosts: int) -> Sequence[str]:
    return [""] if hosts == 1 else [f"-{number}" for number in range(1, hosts + 1)]


def _curve(work: Work, measured: Measured) -> Figure:
    result = measured.results.get(work.experiment)
    series = [
        Series(f"{policy}, measured", _points(work, result, runtime), like=policy)
        for runtime, policy in work.runtimes.items()
        if result
    ]
    return Figure(
        "",
        f"{work.simulated}: time a task by threads, measured on {measured.name}.",
        series,
        x=Axis("threads", "log2"),
        y=Axis("ns a task (measured)", "log"),
        height_in=4.6,
        legend=2,
    )


def _points(work: Work, result: Result, runtime: str) -> list[Point]:
    rows = result.rows_of(case=work.case, runtime=runtime)
    return [
        Point(row.threads, *work.ns_a_task(row))
        for row in rows
        if row.threads <= len(result.host.cpus_allowed)
    ]


def _alike(figure: Figure, figures: Sequence[Figure]) -> Figure:
    """Returns it with axes on which each of them has room."""
    points = [point for each in figures for series in each.shown for point in series.points]
    xs = sorted({point.x for point in points if isinstance(point.x, int | float)})
    ends = [end for point in points for end in point.ends or ()]
    x = replace(figure.x, ticks={x: f"{x:g}" for x in xs}, low=xs[0] / SPACE, high=xs[-1] * SPACE)
    y = replace(figure.y, low=min(ends) / SPACE, high=max(ends) * SPACE)
    return replace(figure, x=x, y=y)
