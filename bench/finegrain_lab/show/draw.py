# SPDX-License-Identifier: Apache-2.0
"""Draws a figure."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Literal

from matplotlib.axes import Axes
from matplotlib.axis import Axis as AxisOfAxes

from finegrain_lab.show.drawing import Drawing, drawing_of
from finegrain_lab.show.figures import Axis, Coordinate, Figure, Point, Series
from finegrain_lab.show.plots import (
    TEXT,
    colour,
    figure_and_axes,
    hatches_of,
    line_styles,
    plain_log_ticks,
)

GROUP_WIDTH = 0.86  # of bars beside each other, as a share of the distance between categories
BAR = 0.92  # of its part of that
ROW = 1.25  # the distance between two bars of steps, each of height 1
# Okabe and Ito's green, and a grey that is much lighter: told apart without seeing colours.
BUSY, IDLE = "#009E73", "#BBBBBB"


def draw(figure: Figure) -> Drawing:
    """Draws it."""
    with figure_and_axes(figure.height_in) as (drawn, axes):
        canvas = _Canvas(figure, axes)
        for series in figure.shown:
            canvas.kinds[series.kind](series)
        canvas.scale(axes.xaxis, figure.x, canvas.xs)
        canvas.scale(axes.yaxis, figure.y, canvas.ys)
        if canvas.lies:
            axes.invert_yaxis()
        if figure.legend and axes.get_legend_handles_labels()[0]:  # nothing where all failed
            drawn.legend(loc="outside upper left", ncols=figure.legend)
        return drawing_of(drawn, figure)


class _Canvas:
    """What is drawn on, and where categories lie on it."""

    def __init__(self, figure: Figure, axes: Axes) -> None:
        points = [point for series in figure.shown for point in series.points]
        self.xs = _categories(point.x for point in points)
        self.ys = _categories(point.y for point in points)
        self.lies = bool(self.ys)  # bars and intervals do
        self.kinds: dict[str, Callable[[Series], None]] = {
            "line": self._draw_line,
            "dots": self._draw_dots,
            "mark": self._draw_mark,
            "bars": self._draw_bars,
            "boxes": self._draw_boxes,
            "steps": self._draw_steps,
            "band": self._draw_band,
        }
        self._axes = axes
        lines = [series.like or series.name for series in figure.series if series.kind == "line"]
        self._styles = dict(line_styles(list(dict.fromkeys(lines))))
        bars = [series for series in figure.shown if series.kind == "bars"]
        self._bars = [series.name for series in bars]
        self._hatches = hatches_of([series.like or series.name for series in bars])
        self._steps = [series.name for series in figure.shown if series.kind == "steps"]

    def scale(self, drawn: AxisOfAxes, axis: Axis, categories: dict[str, int]) -> None:
        """Gives an axis its scale, its ticks, its ends and its label."""
        name: Literal["x", "y"] = "x" if drawn is self._axes.xaxis else "y"
        if axis.scale != "linear":
            options = {"log2": {"base": 2}, "symlog": {"linthresh": 1}}.get(axis.scale, {})
            getattr(self._axes, f"set_{name}scale")(axis.scale.replace("2", ""), **options)
        if categories:
            drawn.set_ticks(list(categories.values()), list(categories))
            self._axes.tick_params(name, length=0)
        elif axis.ticks:
            drawn.set_ticks(list(axis.ticks), list(axis.ticks.values()))
            drawn.minorticks_off()
        elif axis.scale == "log":
            plain_log_ticks(drawn)
        if name == "x" and self.lies and self._bars:
            self._axes.margins(x=0.15)  # for the texts at the bars' ends
        getattr(self._axes, f"set_{name}lim")(axis.low, axis.high)
        drawn.set_label_text(axis.label)

    def _draw_line(self, series: Series) -> None:
        style: dict[str, Any] = self._styles[series.like or series.name] | _label(series)
        if series.line:
            style["linestyle"] = series.line
        if not series.has_markers:
            style |= {"marker": "", "color": TEXT}
        self._axes.plot(*self._places(series.points), **style)
        self._draw_intervals(series.points, style["color"])

    def _draw_dots(self, series: Series) -> None:
        xs, ys = self._places(series.points)
        for x, y, point in zip(xs, ys, series.points, strict=True):
            shade = colour(point.like or series.like or series.name)
            style: dict[str, Any] = {"color": shade, "linestyle": "", "marker": series.marker}
            self._axes.plot([x], [y], **style)
            self._draw_intervals([point], shade)
        if series.is_named:
            self._axes.plot([], [], **(style | _label(series)))

    def _draw_band(self, series: Series) -> None:
        shade = colour(series.like or series.name)
        lows, highs = zip(*(point.ends for point in series.points if point.ends), strict=True)
        xs, _ = self._places(series.points)
        self._axes.fill_between(
            xs, lows, highs, color=shade, alpha=0.25, hatch="..", linestyle=":", **_label(series)
        )

    def _draw_mark(self, series: Series) -> None:
        style: dict[str, Any] = {
            "color": TEXT,
            "linewidth": 1,
            "linestyle": series.line or "-",
        } | _label(series)
        for point in series.points:
            if point.x is None:
                self._axes.axhline(_number(point.y), **style)
            else:
                self._axes.axvline(_number(point.x), **style)

    def _draw_bars(self, series: Series) -> None:
        width = GROUP_WIDTH / len(self._bars)
        shift = (self._bars.index(series.name) - (len(self._bars) - 1) / 2) * width
        xs, ys = self._places(series.points)
        places, ends = ([y + shift for y in ys], xs) if self.lies else ([x + shift for x in xs], ys)
        bars = (self._axes.barh if self.lies else self._axes.bar)(
            places,
            ends,
            width * BAR,
            color=[colour(point.like or series.like or series.name) for point in series.points],
            hatch=self._hatches[series.like or series.name],
            hatchcolor=TEXT,
            **_label(series),
        )
        for bar, place, end, point in zip(bars, places, ends, series.points, strict=True):
            bar.set_alpha(0.6 if point.is_faint else 1.0)
            if point.text:
                beside = end if point.high is None else point.high
                self._axes.text(beside, place, f" {point.text}", va="center")
        self._draw_intervals(series.points, TEXT, shift)

    def _draw_boxes(self, series: Series) -> None:
        for place in sorted(set(self._places(series.points)[1])):
            own = [point for point in series.points if _place(point.y, self.ys) == place]
            least, low, middle, high, greatest = sorted(_number(point.x) for point in own)
            shade = colour(own[0].like or series.like or series.name)
            self._axes.hlines(place, least, greatest, color=TEXT, linewidth=1)
            self._axes.barh(place, high - low, 0.6, left=low, color=shade)
            self._axes.vlines(middle, place - 0.3, place + 0.3, color=TEXT, linewidth=1)

    def _draw_steps(self, series: Series) -> None:
        """Draws a grey bar, and on it a green one as high as each step."""
        bottom = -ROW * self._steps.index(series.name)
        xs, heights = self._places(series.points)
        self._axes.broken_barh([(xs[0], xs[-1] - xs[0])], (bottom, 1), facecolor=IDLE)
        tops = [bottom + height for height in heights[:-1]]
        style = _label(series) | {"baseline": bottom, "fill": True, "facecolor": BUSY}
        self._axes.stairs(tops, xs, **style)

    def _draw_intervals(self, points: Sequence[Point], color: str, shift: float = 0.0) -> None:
        """Draws a thin line for each point that has an interval."""
        places = self._places(points)[1 if self.lies else 0]
        has = [(at + shift, p.low, p.high) for at, p in zip(places, points, strict=True) if p.ends]
        if has:
            draw_lines = self._axes.hlines if self.lies else self._axes.vlines
            at, lows, highs = zip(*has, strict=True)
            draw_lines(at, lows, highs, color=color, linewidth=1)

    def _places(self, points: Sequence[Point]) -> tuple[list[float], list[float]]:
        """Returns where points lie, a category at its place."""
        return [_place(p.x, self.xs) for p in points], [_place(p.y, self.ys) for p in points]


def _categories(values: Iterable[Coordinate]) -> dict[str, int]:
    names = dict.fromkeys(value for value in values if isinstance(value, str))
    return {name: at for at, name in enumerate(names)}


def _place(value: Coordinate, categories: dict[str, int]) -> float:
    return categories[value] if isinstance(value, str) else _number(value)


def _number(value: Coordinate) -> float:
    assert isinstance(value, int | float)
    return float(value)


def _label(series: Series) -> dict[str, Any]:
    return {"label": series.name if series.is_named else f"_{series.name}"}
