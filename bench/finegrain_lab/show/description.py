# SPDX-License-Identifier: Apache-2.0
"""A figure in words, for who can not see it."""

from collections.abc import Sequence
from operator import itemgetter

import numpy as np

from finegrain_lab.show.figures import Coordinate, Figure, Point, Series, one_line

MOST_NAMED = 16  # of more only the number is told


def described(figure: Figure) -> str:
    """Returns what the axes and the series are, and which of them is highest and lowest."""
    marks = [series.name for series in figure.shown if series.kind == "mark"]
    shown = [series for series in figure.shown if series.kind != "mark"]
    points = [point for series in shown for point in series.points]
    if not points:
        return "Nothing to show: nothing was measured."
    sentences = (
        f"x: {_axis(one_line(figure.x.label), [point.x for point in points])}.",
        f"y: {_axis(one_line(figure.y.label), [point.y for point in points])}.",
        f"{len(shown)} series: {_named([series.name for series in shown])}"
        + (f"; straight lines: {_named(marks)}." if marks else "."),
        _extremes(shown),
    )
    return " ".join(sentence for sentence in sentences if sentence)


def _axis(label: str, values: Sequence[Coordinate]) -> str:
    numbers = [value for value in values if isinstance(value, int | float)]
    if numbers:
        return f"{label}, from {_number(min(numbers))} to {_number(max(numbers))}"
    names = _named(list(dict.fromkeys(str(value) for value in values)))
    return f"{label}: {names}" if label else names


def _named(names: Sequence[str]) -> str:
    return "; ".join(names) if len(names) <= MOST_NAMED else f"{len(names)} names"


def _extremes(shown: Sequence[Series]) -> str:
    where, values = _compared(shown)
    if len(values) < 2:
        return ""
    (least, lowest), *_, (most, highest) = sorted(values, key=itemgetter(1))
    return f"Highest{where}: {most} ({_number(highest)}); lowest: {least} ({_number(lowest)})."


def _compared(shown: Sequence[Series]) -> tuple[str, list[tuple[str, float]]]:
    """Returns in what the series are compared, and the values, each with whose it is."""
    named = [(series.name, point) for series in shown for point in series.points]
    of_categories = [_of_category(name, point, len(shown) == 1) for name, point in named]
    if of_categories[0]:
        return "", [value for value in of_categories if value]
    if shown[0].kind == "steps":
        return " on the average", [(series.name, _average(series)) for series in shown]
    end = max(float(point.x or 0) for _, point in named)
    return " at the right end", [
        (name, float(point.y or 0)) for name, point in named if point.x == end
    ]


def _of_category(name: str, point: Point, alone: bool) -> tuple[str, float] | None:
    for value, category in ((point.x, point.y), (point.y, point.x)):
        if isinstance(category, str) and isinstance(value, int | float):
            return category if alone else f"{name}, {category}", float(value)
    return None


def _average(steps: Series) -> float:
    edges = [float(point.x or 0) for point in steps.points]
    heights = [float(point.y or 0) for point in steps.points]
    return float(np.average(heights[:-1], weights=np.diff(edges)))


def _number(value: float) -> str:
    return f"{float(f'{value:.3g}'):,g}"
