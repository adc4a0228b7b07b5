# SPDX-License-Identifier: Apache-2.0
"""What the figures share: their style, and how series are told apart.

Every figure is narrow: it is read on a phone as it is, and stands beside its numbers elsewhere.
"""

import itertools
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, NullFormatter

from finegrain_lab.run.drop_in import WITH_DROP_IN, base_of, shown_name

WIDTH_IN = 5.6
TEXT = "#010203"  # stands for the text colour of the page around it
OTHER_COLOUR = "#777777"
# Of bars that stand side by side without names: where a colour is too near to another's.
HATCHES = {
    "x-openmp-wait": "\\\\\\\\",
    "x-openmp-nowait": "xxxx",
    "taskflow": "////",
    "opencilk": "....",
    "xqueue_nowait:2": "////",
}
# Of those bars that have no colour of their own, in turn.
HATCHES_OF_OTHERS = (None, "////", "....", "xxxx", "----", "\\\\\\\\", "++++", "oooo")
# Of lines: with the kinds of line enough for every runtime there is.
MARKERS = ("o", "s", "^", "v", "D", "X", "P", "*", "<", ">", "+", "x", "1", "2")
LINES, BROKEN_LINES = ("-", "-."), ("--", ":")
FEW_DECADES = 50.0  # from the lowest to the highest value: decades alone label too little of it
# Told apart on white and on black, and by colour-blind readers (Okabe and Ito).
COLOURS = {
    "relic": "#D55E00",
    "relic-paper": "#E69F00",
    "gnu-openmp": "#009E73",
    "llvm-openmp": "#0072B2",
    "intel-openmp": "#56B4E9",
    "x-openmp-static": "#808000",
    "x-openmp-wait": "#A8A838",
    "x-openmp-nowait": "#C8C870",
    "onetbb": "#CC79A7",
    "taskflow": "#8C6BB1",
    "two-threads": "#0072B2",
    "opencilk": "#999999",
    "hpx": "#882255",
    "qthreads": "#44AA99",
    "charm++": "#332288",
    "rayon": "#A50026",
    "chili": "#FDAE61",
    "floor-one-line": "#777777",
    "floor-two-line": "#BBBBBB",
    "boost-spsc": "#009E73",
    "atomic-queue": "#0072B2",
    "moodycamel-rw": "#CC79A7",
    "relic-always": "#0072B2",
    "relic-adaptive": "#D55E00",
    "oracle": "#009E73",
    "spin": "#0072B2",
    "spin_pause": "#56B4E9",
    "spin_then_sleep": "#D55E00",
    "umwait": "#009E73",
    "mwaitx": "#CC79A7",
    "idle": "#0072B2",
    "every-10ms": "#56B4E9",
    "every-1ms": "#E69F00",
    "every-100us": "#D55E00",
    "mutex": "#CC79A7",
    "semaphore": "#0072B2",
    "spinlock": "#009E73",
    "fetch-and-add": "#D55E00",
    "finegrain-spsc": "#D55E00",
    "mutex-mpmc": "#CC79A7",
    "faster": "#0072B2",
    "slower": "#D55E00",
    "worst case": "#9a9a9a",
    "best case": "#9a9a9a",
    "finegrain-clang": "#D55E00",
    "finegrain-gcc": "#E69F00",
    "pool": "#E69F00",
    "pool-private_deque": "#D55E00",
    "pool-chase_lev": "#E69F00",
    # A runtime alone, and the drop-in's policies; nowait:2 is a lighter nowait, with a pattern.
    "alone": "#646464",
    "private_deque": "#D55E00",
    "xqueue_static": "#0072B2",
    "xqueue_wait": "#56B4E9",
    "xqueue_nowait": "#009E73",
    "xqueue_nowait:2": "#7FD1B9",
    "combining": "#CC79A7",
    "chase_lev": "#E69F00",
}


def colour(name: str) -> str:
    """Returns the colour of this runtime or policy; with the drop-in that of its own runtime."""
    return COLOURS.get(base_of(name), OTHER_COLOUR)


def hatches_of(names: Sequence[str]) -> dict[str, str | None]:
    """Returns how bars side by side are hatched, each name's."""
    others = [name for name in names if base_of(name) not in COLOURS]
    own = HATCHES if len(names) > 1 else {}
    found = {name: own.get(name) for name in names}
    return found | dict(zip(others, itertools.cycle(HATCHES_OF_OTHERS), strict=False))


def line_styles(names: Sequence[str]) -> list[tuple[str, dict[str, Any]]]:
    """Returns each name with how its line is drawn: told apart without colours, too.

    With the drop-in a runtime's line is a broken one in the colour of its own.
    """
    styles = []
    for at, name in enumerate(names):
        turn, marker = divmod(at, len(MARKERS))
        lines = BROKEN_LINES if WITH_DROP_IN in name else LINES
        style = {
            "color": colour(name),
            "linestyle": lines[turn % len(lines)],
            "marker": MARKERS[marker],
            "markersize": 5,
            "label": shown_name(name),
        }
        styles.append((name, style))
    return styles


@contextmanager
def figure_and_axes(height_in: float) -> Iterator[tuple[Figure, Axes]]:
    """Gives an empty figure in the style of all; it must be drawn inside."""
    with mpl.rc_context(
        {
            "svg.fonttype": "none",
            "svg.hashsalt": "finegrain",
            "font.sans-serif": ["DejaVu Sans"],  # a search a text for each of them
            "font.size": 11,
            "text.color": TEXT,
            "axes.edgecolor": TEXT,
            "axes.facecolor": "none",
            "axes.labelcolor": TEXT,
            "xtick.color": TEXT,
            "ytick.color": TEXT,
            "axes.spines.top": False,
            "axes.spines.right": False,
            "figure.edgecolor": "none",
            "figure.facecolor": "none",
            "hatch.linewidth": 0.6,
            "legend.frameon": False,
            "legend.fontsize": 10,
        }
    ):
        figure = Figure(figsize=(WIDTH_IN, height_in), layout="constrained")
        yield figure, figure.subplots()


def plain_log_ticks(axis: Axis) -> None:
    """Labels a logarithmic axis with plain numbers, within a decade too."""
    low, high = sorted(axis.get_view_interval())
    if high < FEW_DECADES * low:
        axis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
        axis.set_minor_formatter(NullFormatter())
    axis.set_major_formatter(lambda value, _place: f"{value:,g}")
