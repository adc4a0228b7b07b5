# SPDX-License-Identifier: Apache-2.0
"""What every figure keeps to: its names, its numbers, its words, and who can tell its lines."""

import csv
import io
import re
from collections.abc import Mapping
from itertools import combinations
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from conftest import Drawn, with_rows
from markupsafe import escape
from matplotlib.colors import to_rgb
from numpy.typing import NDArray
from test_experiments import FIGURES, NAMES
from test_report import Page

from finegrain_lab.experiments import by_thread, experiment_of, timelines
from finegrain_lab.experiments.break_even import steady
from finegrain_lab.experiments.omp_programs import ALONE
from finegrain_lab.experiments.relic_cases import KERNELS
from finegrain_lab.experiments.relic_summaries import peers_of
from finegrain_lab.experiments.timelines import PARTS
from finegrain_lab.show.description import MOST_NAMED, described
from finegrain_lab.show.draw import BUSY, IDLE
from finegrain_lab.show.drawing import Drawing, by_name
from finegrain_lab.show.figures import Axis, Figure, Point, Series
from finegrain_lab.show.plots import COLOURS, HATCHES, hatches_of, line_styles
from finegrain_lab.show.views import drawings_of

SVG = "{http://www.w3.org/2000/svg}"


def rows_of(drawing: Drawing) -> list[list[str]]:
    """Returns the lines of its CSV, without the header."""
    return list(csv.reader(io.StringIO(drawing.csv)))[1:]


def cells(*values: float | str) -> list[str]:
    return [value if isinstance(value, str) else f"{value:.12g}" for value in values]


@pytest.mark.parametrize("name", NAMES)
def test_every_figure_has_a_name_and_named_numbers(
    drawings: dict[str, list[Drawing]], name: str
) -> None:
    found = drawings[name]
    assert len({drawing.name for drawing in found}) == FIGURES[name]
    assert all(re.fullmatch(r"[\w.-]+", drawing.name) for drawing in found)
    for drawing in found:
        header, *rows = csv.reader(io.StringIO(drawing.csv))
        assert header[0] == "series"
        assert rows
        assert all(len(row) == len(header) for row in rows)
        # An artist without a label of ours has one such as _child1 or _nolegend_.
        assert not any(re.match(r"_|child\d|container\d|nolegend|$", row[0]) for row in rows)


@pytest.mark.parametrize("name", NAMES)
def test_the_page_has_every_figure_with_its_caption_and_its_words(
    drawings: dict[str, list[Drawing]], pages: dict[str, str], name: str
) -> None:
    page = pages[name]
    for drawing in drawings[name]:
        assert f'<svg role="img" aria-label="{escape(drawing.description)}"' in page
        assert f"<figcaption>{escape(drawing.caption)} " in page


@pytest.mark.parametrize("name", NAMES)
def test_every_figure_is_whole_in_a_page_and_as_a_file(
    drawings: dict[str, list[Drawing]], name: str
) -> None:
    for drawing in drawings[name]:
        element = ElementTree.fromstring(drawing.__html__())
        assert element.tag == f"{SVG}svg"
        assert element.get("aria-label") == drawing.description
        assert element.get("width") is None

        file = ElementTree.fromstring(drawing.standalone_svg)
        assert file.tag == f"{SVG}svg"
        assert file.findtext(f"{SVG}title") == drawing.caption
        assert file.findtext(f"{SVG}desc") == drawing.description
        assert re.fullmatch(r"[\d.]+pt", file.get("width", ""))
        assert re.fullmatch(r"[\d.]+pt", file.get("height", ""))
        assert not re.search("currentColor|inherit", drawing.standalone_svg)
        page = Page()
        page.feed(drawing.standalone_svg)
        assert all(reference.removeprefix("#") in page.ids for reference in page.references)


def test_grouped_bars_are_told_with_their_intervals(
    drawings: dict[str, list[Drawing]], whole_results: dict[str, Any]
) -> None:
    result = whole_results["relic-kernels"]
    peers = by_name(drawings["relic-kernels"])["peers"]
    assert peers.csv.startswith("series,x,speedup over serial,low,high\n")
    rows = [result.row(case=case, runtime=name) for name in peers_of(result) for case in KERNELS]
    expected = [cells(row.runtime, row.case, row.speedup, *row.speedup_ci95) for row in rows]
    assert rows_of(peers) == [*expected, ["serial", "", "1", "", ""]]


def test_who_failed_everywhere_is_not_told(whole_results: dict[str, Any]) -> None:
    result = whole_results["relic-kernels"]
    left = [row for row in result.rows if row.runtime != "taskflow"]
    experiment = experiment_of("relic-kernels")
    peers, *_ = drawings_of(experiment, with_rows(result, left))
    assert {row[0] for row in rows_of(peers)} == {*peers_of(result), "serial"} - {"taskflow"}


def test_lines_are_told_with_what_stands_across_them(
    drawings: dict[str, list[Drawing]], whole_results: dict[str, Any]
) -> None:
    result = whole_results["break-even"]
    grain = by_name(drawings["break-even"])["grain-1to1"]
    assert grain.csv.startswith('series,"the shorter branch, ns",speedup over serial,low,high\n')
    rows = rows_of(grain)
    adaptive = steady(result, "1to1", "relic-adaptive")
    assert [row for row in rows if row[0] == "relic-adaptive"] == [
        cells("relic-adaptive", row.grain_ns, row.speedup, *row.speedup_ci95) for row in adaptive
    ]
    assert ["serial", "", "1", "", ""] in rows
    assert cells(f"floor {result.floor_ns:.0f} ns", result.floor_ns, "", "", "") in rows


def test_horizontal_bars_are_told_by_their_names(
    drawings: dict[str, list[Drawing]], whole_results: dict[str, Any]
) -> None:
    result = whole_results["handoff"]
    (placement,) = result.settings.placements
    rows = rows_of(by_name(drawings["handoff"])[f"round-trip-{placement}"])
    empty = result.rows_of(case="empty", placement=placement)
    expected = [
        cells("round trip", row.of_floor, f"{row.runtime} {row.policy}", *row.of_floor_ci95)
        for row in empty
    ]
    assert any(row.of_floor_ci95[0] == row.of_floor_ci95[1] for row in empty)
    assert rows == [*expected, ["floor", "1", "", "", ""]]


def test_words_for_numbers_are_told_as_numbers(
    drawings: dict[str, list[Drawing]], whole_results: dict[str, Any]
) -> None:
    latency = by_name(drawings["waiting"])["latency"]
    gaps = [row[1] for row in rows_of(latency) if row[0] == "spin_pause, hints"]
    assert gaps == ["1", "10", "100", "1000", "10000", "100000"]
    places = {row[1] for row in rows_of(drawings["queue-size"][0]) if row[1]}
    assert places == set(whole_results["queue-size"].cases)  # "growing" is no number


def test_boxes_are_told_by_their_bounds(
    drawings: dict[str, list[Drawing]], whole_results: dict[str, Any]
) -> None:
    result = whole_results["task-distribution"]
    (drawing,) = drawings["task-distribution"]
    (row,) = result.rows_of(runtime="pool-private_deque")
    bounds = np.quantile(by_thread.shares(row.tasks_by_thread), (0, 0.25, 0.5, 0.75, 1))
    told = {
        float(value) for _, value, runtime in rows_of(drawing) if runtime == "pool-private_deque"
    }
    assert sorted(told) == pytest.approx(sorted(set(bounds)))


def test_every_dot_is_told(
    drawings: dict[str, list[Drawing]], whole_results: dict[str, Any]
) -> None:
    result = whole_results["stealing-efficiency"]
    for drawing in drawings["stealing-efficiency"]:
        dots = [row[2] for row in rows_of(drawing) if row[0] == "over all batches"]
        workers = result.settings.threads[-1]  # of two both have the same delta
        assert dots.count("pool-private_deque") == workers == 2


def test_a_timeline_is_told_by_its_steps(whole_results: dict[str, Any]) -> None:
    result = whole_results["uts"]
    figure = timelines.figures(result)[0]
    timeline = next(iter(timelines.in_result(result, "T3").values()))
    rows = list(csv.reader(io.StringIO(figure.csv())))[1:]
    for worker in timeline.workers:
        own = [row for row in rows if f": CPU {worker.cpu}," in row[0]]
        edges, shares = (np.array([float(row[at]) for row in own]) for at in (1, 2))
        assert edges[-1] == pytest.approx(timeline.wall_ns / 1e6)
        parts = (np.arange(PARTS) + 0.5) * timeline.wall_ns / 1e6 / PARTS
        steps = shares[np.searchsorted(edges, parts, side="right") - 1]
        assert steps == pytest.approx(worker.busy_by_part, abs=0.011)  # alike to the eye


def figure(x: str, y: str, series: list[Series]) -> Figure:
    return Figure("name", "a caption", series, Axis(x), Axis(y))


@pytest.mark.parametrize(
    ("figure", "text"),
    [
        (
            figure(
                "threads",
                "ns",
                [
                    Series("a", [Point(1.0, 5000.0), Point(2.0, 1.0)]),
                    Series("b", [Point(1.0, 7.0), Point(2.0, 2.345)]),
                    Series("c", [Point(1.0, 0.125)]),
                    Series("floor", [Point(None, 9000.0)], "mark"),
                ],
            ),
            "x: threads, from 1 to 2. y: ns, from 0.125 to 5,000. 3 series: a; b; c; straight "
            "lines: floor. Highest at the right end: b (2.35); lowest: a (1).",
        ),
        (
            figure(
                "",
                "speedup",
                [
                    Series("a", [Point("bc", 1.5)]),
                    Series("b", [Point("bc", 0.5)]),
                ],
            ),
            "x: bc. y: speedup, from 0.5 to 1.5. 2 series: a; b. Highest: a, bc (1.5); lowest: "
            "b, bc (0.5).",
        ),
        (
            figure("ns", "", [Series("time", [Point(1.0, "a"), Point(2.0, "b")])]),
            "x: ns, from 1 to 2. y: a; b. 1 series: time. Highest: b (2); lowest: a (1).",
        ),
        (
            figure(
                "ms",
                "share",
                [
                    Series("a", [Point(0.0, 1.0), Point(1.0, 0.0), Point(4.0, 0.0)], "steps"),
                    Series("b", [Point(0.0, 0.5), Point(4.0, 0.5)], "steps"),
                ],
            ),
            "x: ms, from 0 to 4. y: share, from 0 to 1. 2 series: a; b. Highest on the average: b "
            "(0.5); lowest: a (0.25).",
        ),
        (
            figure("", "ms", [Series("serial", [Point(None, 1.0)], "mark")]),
            "Nothing to show: nothing was measured.",
        ),
    ],
)
def test_a_figure_is_put_into_words(figure: Figure, text: str) -> None:
    assert described(figure) == text


def test_many_names_are_counted() -> None:
    points = [Point(float(at), f"runtime {at}") for at in range(MOST_NAMED + 1)]
    text = described(figure("ns", "", [Series("time", points)]))
    assert f"y: {MOST_NAMED + 1} names." in text


# ---- colours ----

# All that an experiment over tasks can have in a figure, and some to come.
EVERY_RUNTIME = [
    *("serial", "ceiling", "pool-private_deque", "pool-xqueue_static", "pool-xqueue_wait"),
    *("pool-xqueue_nowait", "pool-xqueue_nowait:2", "pool-combining", "pool-chase_lev"),
    *("gnu-openmp", "gnu-openmp+finegrain:private_deque"),
    *("llvm-openmp", "llvm-openmp+finegrain:private_deque"),
    *("intel-openmp", "intel-openmp+finegrain:private_deque"),
    *("onetbb", "taskflow", "rayon", "chili", "opencilk", "hpx", "qthreads", "charm", "another"),
]
KERNEL_PEERS = [
    *("gnu-openmp", "llvm-openmp", "intel-openmp", "onetbb", "taskflow", "opencilk"),
    *("x-openmp-static", "x-openmp-wait", "x-openmp-nowait"),
]
POLICIES = [
    *(ALONE, "private_deque", "xqueue_static", "xqueue_wait", "xqueue_nowait", "xqueue_nowait:2"),
    *("combining", "chase_lev"),
]
# The eye's primaries without one of the three cones (Machado, Oliveira and Fernandes, 2009).
SEEN = {
    "all cones": np.eye(3),
    "no red": np.array(
        [
            [0.152286, 1.052583, -0.204868],
            [0.114503, 0.786281, 0.099216],
            [-0.003882, -0.048116, 1.051998],
        ]
    ),
    "no green": np.array(
        [
            [0.367322, 0.860646, -0.227968],
            [0.280085, 0.672501, 0.047413],
            [-0.011820, 0.042940, 0.968881],
        ]
    ),
    "no blue": np.array(
        [
            [1.255528, -0.076749, -0.178779],
            [-0.078411, 0.930809, 0.147602],
            [0.004733, 0.691367, 0.303900],
        ]
    ),
}
TO_XYZ = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])
WHITE = np.array([0.9505, 1, 1.089])
LEAST_DIFFERENCE = 15  # CIE 1976; 2 is just seen, and the nearest two of Okabe and Ito's have 16


def lab(colour: str, seen: NDArray[np.float64]) -> NDArray[np.float64]:
    """Returns a colour, as it is seen, in the space where distances are differences to the eye."""
    rgb = np.array(to_rgb(colour))
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    xyz = TO_XYZ @ np.clip(seen @ linear, 0, 1) / WHITE
    x, y, z = np.where(xyz > 0.008856, np.cbrt(xyz), 7.787 * xyz + 16 / 116)
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


def confused(colours: Mapping[str, str], hatches: Mapping[str, str]) -> list[tuple[str, str]]:
    """Returns the pairs that somebody takes for one."""
    return [
        (one, other)
        for one, other in combinations(colours, 2)
        if hatches.get(one) == hatches.get(other)
        and min(
            float(np.linalg.norm(lab(colours[one], seen) - lab(colours[other], seen)))
            for seen in SEEN.values()
        )
        < LEAST_DIFFERENCE
    ]


@pytest.mark.parametrize(
    ("colours", "hatches"),
    [
        ({name: COLOURS[name] for name in KERNEL_PEERS}, HATCHES),
        ({name: COLOURS[name] for name in ("relic", "relic-paper")}, HATCHES),
        ({name: COLOURS[name] for name in POLICIES}, HATCHES),
        ({"busy": BUSY, "idle": IDLE}, {}),
    ],
)
def test_nobody_takes_two_areas_for_one(
    colours: Mapping[str, str], hatches: Mapping[str, str]
) -> None:
    assert confused(colours, hatches) == []


def test_bars_of_what_has_no_colour_are_hatched() -> None:
    assert hatches_of(["cold", "relic", "warm"]) == {"cold": None, "relic": None, "warm": "////"}
    assert hatches_of(["taskflow"]) == {"taskflow": None}  # alone


def test_every_runtime_s_line_is_told_without_colours() -> None:
    styles = [style for _, style in line_styles(EVERY_RUNTIME)]
    assert len({(style["marker"], style["linestyle"]) for style in styles}) == len(EVERY_RUNTIME)


@pytest.mark.parametrize("name", NAMES)
def test_the_lines_of_a_figure_are_told_without_colours(drawn: dict[str, Drawn], name: str) -> None:
    assert len(drawn[name].axes) == FIGURES[name]
    for axes in drawn[name].axes:
        if axes.figure.legends:
            shown = [line for line in axes.lines if not str(line.get_label()).startswith("_")]
            assert len({(line.get_marker(), line.get_linestyle()) for line in shown}) == len(shown)
