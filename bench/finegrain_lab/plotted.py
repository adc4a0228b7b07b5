# SPDX-License-Identifier: Apache-2.0
"""What a figure shows, read back from its artists: so nothing else can be said of it.

Every artist with data has a label. Behind an underscore it is one that a legend leaves out; the
lines of `plots.draw_intervals` have that of their series.
"""

import csv
import io
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.collections import LineCollection
from matplotlib.container import BarContainer
from matplotlib.lines import Line2D
from matplotlib.patches import PathPatch, Rectangle, StepPatch
from matplotlib.ticker import ScalarFormatter
from numpy.typing import NDArray

DIGITS = 12  # of a number: more is the noise of a sum

Coordinate: TypeAlias = float | str | None  # str: the label of a tick; None: all along the axis
Kind: TypeAlias = Literal["points", "steps", "mark"]  # mark: a straight line through the figure
Place: TypeAlias = Callable[[float], Coordinate]


class Point(NamedTuple):
    """A point, with the ends of its interval where one is drawn."""

    x: Coordinate
    y: Coordinate
    low: float | None = None
    high: float | None = None


class Series(NamedTuple):
    """What has one name."""

    name: str
    kind: Kind
    points: Sequence[Point]


@dataclass(frozen=True)
class Plotted:
    """All of a figure."""

    x_label: str
    y_label: str
    series: Sequence[Series]

    @classmethod
    def of(cls, axes: Axes) -> "Plotted":
        """Reads a figure that has been drawn."""
        labels = (_one_line(axes.get_xlabel()), _one_line(axes.get_ylabel()))
        found: dict[str, Series] = {}
        for name, kind, points in _read(axes):
            before = found[name].points if name in found else ()
            found[name] = Series(name, kind, [*before, *points])
        return cls(*labels, list(found.values()))

    def csv(self) -> str:
        """Returns its numbers: a line a point, the axes' labels above."""
        rows = [(series.name, *point) for series in self.series for point in series.points]
        header = ["series", self.x_label or "x", self.y_label or "y", "low", "high"]
        columns = 5 if any(low is not None for *_, low, _ in rows) else 3
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(header[:columns])
        writer.writerows([_cell(value) for value in row[:columns]] for row in rows)
        return text.getvalue()


def _read(axes: Axes) -> Iterable[Series]:
    x_of, y_of = _place(axes.xaxis), _place(axes.yaxis)
    intervals = {
        _name(drawn): np.reshape(drawn.get_segments(), (-1, 2, 2))
        for drawn in axes.collections
        if isinstance(drawn, LineCollection)
    }
    for bars in axes.containers:
        if isinstance(bars, BarContainer):
            lies = bars.orientation == "horizontal"
            points = [_end_of(bar, lies, x_of, y_of) for bar in bars]
            ends = intervals.get(_name(bars))
            yield Series(_name(bars), "points", _within(points, ends, "x" if lies else "y"))
    for line in axes.lines:
        points = _points_of(line, axes, x_of, y_of)
        kind: Kind = "mark" if any(None in point[:2] for point in points) else "points"
        yield Series(_name(line), kind, _within(points, intervals.get(_name(line)), "y"))
    for patch in axes.patches:
        if isinstance(patch, StepPatch):
            yield Series(_name(patch), "steps", _steps(patch))
        elif isinstance(patch, PathPatch):
            yield Series(_name(patch), "points", _box(patch, y_of))


def _place(axis: Axis) -> Place:
    """Returns what a number on the axis stands for: itself, or the nearest category.

    Words for ticks are those of categories on a linear axis, and of numbers on another.
    """
    formatter = axis.get_major_formatter()
    if axis.get_scale() != "linear" or isinstance(formatter, ScalarFormatter):
        return float
    at = np.asarray(axis.get_majorticklocs())
    names = [_one_line(name) for name in formatter.format_ticks(at.tolist())]
    return lambda value: names[int(np.argmin(np.abs(at - value)))]


def _end_of(bar: Rectangle, horizontal: bool, x_of: Place, y_of: Place) -> Point:
    if horizontal:
        return Point(x_of(bar.get_width()), y_of(bar.get_y() + bar.get_height() / 2))
    return Point(x_of(bar.get_x() + bar.get_width() / 2), y_of(bar.get_height()))


def _points_of(line: Line2D, axes: Axes, x_of: Place, y_of: Place) -> list[Point]:
    x_is_data, y_is_data = line.get_transform().contains_branch_seperately(axes.transData)
    points = [
        Point(x_of(x) if x_is_data else None, y_of(y) if y_is_data else None)
        for x, y in np.asarray(line.get_xydata(), dtype=np.float64)
    ]
    # The ends of a straight line along a category, or through the figure, are alike.
    return points if line.get_linestyle() == "None" else list(dict.fromkeys(points))


def _within(
    points: Sequence[Point], segments: NDArray[np.float64] | None, along: Literal["x", "y"]
) -> Sequence[Point]:
    """Returns the points with the ends of the straight line of each."""
    if segments is None:
        return points
    ends = segments[:, :, "xy".index(along)].tolist()
    return [
        point._replace(low=low, high=high) for point, (low, high) in zip(points, ends, strict=True)
    ]


def _box(box: PathPatch, y_of: Place) -> list[Point]:
    """Returns the ends of a horizontal box."""
    corners = np.asarray(box.get_path().vertices)
    (left, bottom), (right, top) = corners.min(axis=0), corners.max(axis=0)
    return [Point(end, y_of((bottom + top) / 2)) for end in (left, right)]


def _steps(steps: StepPatch) -> list[Point]:
    """Returns where each step begins, and where the last one ends."""
    values, edges, baseline = steps.get_data()
    heights = values - baseline
    return [Point(x, height) for x, height in zip(edges, [*heights, heights[-1]], strict=True)]


def _name(artist: Any) -> str:
    return _one_line(str(artist.get_label())).removeprefix("_")


def _one_line(text: str) -> str:
    return text.replace(",\n", ", ").replace("\n", ", ")


def _cell(value: float | str | None) -> str:
    if isinstance(value, str):
        return value
    return "" if value is None else f"{value:.{DIGITS}g}"
