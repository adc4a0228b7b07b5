# SPDX-License-Identifier: Apache-2.0
"""A figure: points and how they are drawn. Its numbers and words come of the same points."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass, field
from typing import Dict, Mapping, Optional, Sequence, Tuple, Union

DIGITS = 12  # of a number: more is the noise of a sum

Coordinate = Union[float, str, None]  # str: a category; None: all along the axis


@dataclass(frozen=True)
class Point:
    """A point, with the ends of its interval where it has one."""

    x: Coordinate
    y: Coordinate
    low: Optional[float] = None
    high: Optional[float] = None
    text: str = ""  # beside a bar's end
    like: str = ""  # whose colour it has; else its series'
    is_faint: bool = False

    @property
    def ends(self) -> Optional[Tuple[float, float]]:
        """The ends of its interval."""
        return None if self.low is None or self.high is None else (self.low, self.high)


@dataclass(frozen=True)
class Series:
    """Points of one name.

    Kinds: `line` joins them, `dots` does not; `bars` reach from an axis of categories, side by side
    where several series have one of the same; `boxes` are of the five quartiles of a category each;
    `steps` begin at each point; a `band` fills what lies between the points' intervals. A `mark` is
    a straight line through the figure.
    """

    name: str
    points: Sequence[Point]
    kind: str = "line"
    like: str = ""  # whose colour and marker it has; else of its own name
    is_named: bool = True  # in the legend
    line: str = ""  # of Matplotlib's kinds of line, where it is not for the figure to choose
    marker: str = "o"  # of dots
    has_markers: bool = True  # of a line; without it has the colour of text


@dataclass(frozen=True)
class Axis:
    """An axis. Without ticks of its own it has those of its scale; of categories all."""

    label: str = ""
    scale: str = "linear"  # or log, log2, symlog
    ticks: Mapping[float, str] = field(default_factory=dict)
    low: Optional[float] = None  # where it ends
    high: Optional[float] = None


@dataclass(frozen=True)
class Figure:
    """A figure. Its name is one of its experiment's, and part of its files' names."""

    name: str
    caption: str
    series: Sequence[Series]
    x: Axis = Axis()
    y: Axis = Axis()
    height_in: float = 4.2
    legend: int = 0  # columns; 0: none

    @property
    def shown(self) -> Sequence[Series]:
        """The series that have points."""
        return [series for series in self.series if series.points]

    def csv(self) -> str:
        """Returns its numbers: a line a point, the axes' labels above."""
        rows = [(it.name, p.x, p.y, p.low, p.high) for it in self.shown for p in it.points]
        header = ["series", one_line(self.x.label) or "x", one_line(self.y.label) or "y"]
        has_intervals = any(row[3] is not None for row in rows)
        columns = 5 if has_intervals else 3
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow([*header, "low", "high"][:columns])
        writer.writerows([_cell(value) for value in row[:columns]] for row in rows)
        return text.getvalue()


def mark(
    name: str,
    *,
    x: Optional[float] = None,
    y: Optional[float] = None,
    line: str = "-",
    is_named: bool = False,
) -> Series:
    """Returns a straight line through the figure at this place."""
    return Series(name, [Point(x, y)], "mark", is_named=is_named, line=line)


def bar(
    label: str,
    value: float,
    ci95: Optional[Tuple[float, float]] = None,
    text: str = "",
    like: str = "",
) -> Point:
    """Returns the point of a horizontal bar; it is like its label where nothing else is said."""
    low, high = ci95 or (None, None)
    return Point(value, label, low, high, text, like or label)


def speedup_by_length(length: str) -> Dict[str, Axis]:
    """Returns the axes of a figure of speedups over serial by this length."""
    ticks = {10.0: "10", 100.0: "100", 1_000.0: "1,000", 10_000.0: "10,000"}
    return {
        "x": Axis(length, "log", ticks),
        "y": Axis("speedup over serial", low=0, high=2.05),
    }


def one_line(text: str) -> str:
    """Returns a label on one line."""
    return text.replace(",\n", ", ").replace("\n", ", ")


def _cell(value: Coordinate) -> str:
    if isinstance(value, str):
        return one_line(value)
    return "" if value is None else f"{value:.{DIGITS}g}"
