# SPDX-License-Identifier: Apache-2.0
"""The answer, drawn."""

from finegrain_lab.show.draw import draw
from finegrain_lab.show.drawing import Drawing
from finegrain_lab.show.figures import Axis, Figure, Point, Series, mark
from finegrain_lab.show.report.answer import Answer
from finegrain_lab.show.report.standings import Standings

ANSWER = "answer"  # where an experiment's figures have its name
# Blue and vermilion are told apart by colour-blind readers, the marks by all.
MARKERS = {"faster": "o", "open": "D", "slower": "v"}
HEIGHT_PER_EXPERIMENT_IN = 0.3


def standings_drawing(answer: Answer) -> Drawing:
    """A line an experiment: its mean with the interval, and how far its cases reach."""
    lines = answer.compared
    reach = [(it.experiment, it.least.times, it.most.times) for it in lines]
    worst = [Point(low, name, low, high) for name, low, high in reach]
    best = [Point(high, name) for name, _, high in reach]
    means = [
        Series(
            word,
            [Point(it.times, it.experiment, *it.ci95) for it in lines if _word(it) == word],
            "dots",
            marker=marker,
        )
        for word, marker in MARKERS.items()
    ]
    caption = (
        "How many times as fast as the best peer of each case: the geometric mean over the "
        "cases in which a runtime beats serial, with its interval, and grey how far these "
        "cases reach. Right of 1 finegrain is faster."
    )
    return draw(
        Figure(
            "standings",
            caption,
            [
                mark("as fast", x=1),
                Series("worst case", worst, "dots", marker="4"),
                Series("best case", best, "dots", marker="3"),
                *means,
            ],
            x=Axis("times as fast as the best peer of each case", "log"),
            height_in=1.2 + HEIGHT_PER_EXPERIMENT_IN * len(lines),
            legend=5,
        )
    )


def _word(standings: Standings) -> str:
    low, high = standings.ci95
    return "faster" if low > 1 else "slower" if high < 1 else "open"
