# SPDX-License-Identifier: Apache-2.0
"""The answer, drawn."""

from collections.abc import Sequence

from matplotlib.axes import Axes

from finegrain_lab.drawing import Drawing, drawing
from finegrain_lab.plots import (
    OTHER_COLOUR,
    TEXT,
    draw_intervals,
    figure_and_axes,
    plain_log_ticks,
)
from finegrain_lab.report.answer import Answer
from finegrain_lab.report.standings import Standings

ANSWER = "answer"  # where an experiment's figures have its name
# Blue and vermilion are told apart by colour-blind readers, the marks by all.
COLOURS = {"faster": "#0072B2", "open": OTHER_COLOUR, "slower": "#D55E00"}
MARKERS = {"faster": "o", "open": "D", "slower": "v"}
REACH = "#9a9a9a"  # seen on white and on black, and behind the marks
HEIGHT_PER_EXPERIMENT_IN = 0.3


def standings_drawing(answer: Answer) -> Drawing:
    """A line an experiment: its mean with the interval, and how far its cases reach."""
    lines = answer.compared
    with figure_and_axes(1.2 + HEIGHT_PER_EXPERIMENT_IN * len(lines)) as (figure, axes):
        axes.axvline(1, color=TEXT, linewidth=1, label="_as fast")
        _draw_reach(axes, lines)
        for word in COLOURS:
            _draw_means(axes, lines, word)
        axes.set_yticks(range(len(lines)), [line.experiment for line in lines])
        axes.set_ylim(len(lines) - 0.5, -0.5)
        axes.tick_params(axis="y", length=0)
        axes.set_xscale("log")
        plain_log_ticks(axes.xaxis)
        axes.set_xlabel("times as fast as the best peer of each case")
        figure.legend(loc="outside upper left", ncols=5, columnspacing=1.0, handletextpad=0.3)
        caption = (
            "How many times as fast as the best peer of each case: the geometric mean over the "
            "cases in which a runtime beats serial, with its interval, and grey how far these "
            "cases reach. Right of 1 finegrain is faster."
        )
        return drawing(figure, "standings", caption)


def _draw_reach(axes: Axes, lines: Sequence[Standings]) -> None:
    places = range(len(lines))
    worst, best = [line.least.times for line in lines], [line.most.times for line in lines]
    axes.hlines(places, worst, best, color=REACH, linewidth=2, label="_reach")
    axes.plot(worst, places, marker="4", linestyle="", color=REACH, label="worst case")
    axes.plot(best, places, marker="3", linestyle="", color=REACH, label="best case")


def _draw_means(axes: Axes, lines: Sequence[Standings], word: str) -> None:
    shown = [(at, line) for at, line in enumerate(lines) if _word(line) == word]
    if not shown:
        return
    places, intervals = [at for at, _ in shown], [line.ci95 for _, line in shown]
    means = [line.times for _, line in shown]
    color = COLOURS[word]
    axes.plot(means, places, marker=MARKERS[word], linestyle="", color=color, label=word)
    draw_intervals(axes, places, intervals, word, color=color, horizontal=True)


def _word(standings: Standings) -> str:
    low, high = standings.ci95
    return "faster" if low > 1 else "slower" if high < 1 else "open"
