# SPDX-License-Identifier: Apache-2.0
"""The report stands alone, and says what the paper says."""

import re
from html.parser import HTMLParser

import pytest
from conftest import changed

from finegrain_lab.experiments import relic_paper as paper
from finegrain_lab.experiments.relic_kernels import RELIC_KERNELS
from finegrain_lab.experiments.relic_statements import averages, best_here, increases, task_times
from finegrain_lab.show.drawing import Figures, by_name
from finegrain_lab.show.plots import TEXT
from finegrain_lab.show.result import Result
from finegrain_lab.show.views import drawings_of, page_of

VOID = {"meta", "br", "img", "link", "input", "hr"}


class Page(HTMLParser):
    """Collects a page's names and references, and sees that its elements close in order."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.count: dict[str, int] = {}
        self.ids: list[str] = []
        self.references: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.count[tag] = self.count.get(tag, 0) + 1
        if tag not in VOID:
            self.open.append(tag)
        self._look(attrs)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.count[tag] = self.count.get(tag, 0) + 1
        self._look(attrs)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def _look(self, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if (value or "").startswith("data:"):
                continue  # within the page
            if name == "id":
                self.ids.append(value or "")
            elif name in ("src", "href", "xlink:href", "data", "action"):
                self.references.append(value or "")
            self.references += re.findall(r"url\(([^)]*)\)", value or "")


@pytest.fixture(scope="module")
def figures(result: Result) -> Figures:
    return by_name(drawings_of(RELIC_KERNELS, result))


def test_the_page_is_whole_and_needs_nothing_else(result: Result) -> None:
    text = page_of(RELIC_KERNELS, result)
    page = Page()
    page.feed(text)
    page.close()
    assert page.open == []
    assert page.count["svg"] == 4
    assert len(page.ids) == len(set(page.ids))
    elsewhere = [each for each in page.references if not each.startswith("data:")]
    assert elsewhere
    assert all(reference.removeprefix("#") in page.ids for reference in elsewhere)
    assert "@import" not in text
    assert "script" not in page.count
    assert 'name="viewport"' in text
    assert "prefers-color-scheme: dark" in text


def test_figures_take_colour_and_font_from_the_page(figures: Figures) -> None:
    for drawing in figures.values():
        figure = drawing.__html__()
        assert TEXT not in figure
        assert "currentColor" in figure
        assert "DejaVu" not in figure
        assert not re.search(r"<svg[^>]* (width|height)=", figure)
        assert not re.search(r"(fill|stroke): ?(#000000|black)", figure)


def test_each_figure_shows_its_own_runtimes(figures: Figures) -> None:
    peers, relic, average, _ = (drawing.svg for drawing in figures.values())
    assert all(f">{name}<" in peers for name in ("gnu-openmp", "onetbb", "taskflow"))
    assert ">relic<" not in peers
    assert ">relic<" in relic
    assert ">relic-paper<" in relic
    assert ">taskflow<" not in relic
    assert all(f">{name}<" in average for name in ("relic", "relic-paper", "taskflow"))
    assert ">serial<" not in average


def test_the_paper_s_numbers_stand_beside_ours(result: Result) -> None:
    means = {line.what: line for line in averages(result)}
    assert means["GNU OpenMP"].paper == "\N{MINUS SIGN}17.7 %"
    assert means["GNU OpenMP"].here == "\N{MINUS SIGN}20.0 %"
    assert means["OpenCilk"].here == "not measured"
    for policy, here in (("static", "20.0"), ("wait", "30.0"), ("nowait", "25.0")):
        line = means[f"X-OpenMP: x-openmp-{policy}"]
        assert (line.paper, line.here) == ("\N{MINUS SIGN}6.7 %", f"\N{MINUS SIGN}{here} %")
    added = {line.what: line for line in increases(result)}
    assert added["Intel OpenMP"].paper == "+20.2 %"
    # relic 1.6 over 1.15: 1.391 as a ratio, 45 points.
    assert re.fullmatch(r"\+39\.[01] % \(\+4[45]\.\d\)", added["Intel OpenMP"].here)
    assert added["X-OpenMP: x-openmp-wait"].paper == "+33.2 %"
    assert paper.BESTS["pr"].peer_text == "+66.5 % GNU OpenMP"
    assert paper.BESTS["pr"].increase_text == "+14.3 %"
    assert best_here(result, "pr")[0] == "+15.0 % intel-openmp"
    assert paper.BESTS["bfs"].peer_text == "no peer gains"
    times = {line.what: line for line in task_times(result)}
    assert (times["sssp"].paper, times["sssp"].here) == ("6.4 µs", "6.40 µs")
    page = page_of(RELIC_KERNELS, result)
    assert all(line.paper in page for line in (*means.values(), *added.values()))


def test_what_a_program_says_can_not_become_markup(result: Result) -> None:
    text = page_of(RELIC_KERNELS, changed(result, notes={"relic": ["<b>bold</b>"]}))
    assert "<b>bold" not in text
    assert "&lt;b&gt;bold" in text


def test_every_number_of_the_paper_is_in_its_text() -> None:
    """Holds the data module against the sentences that it quotes, by section."""
    stated = {
        "IV": [1.1, 0.5, 0.4, 4.3, 6.4, 1.3, 1.1],
        "V": [13.9, -17.7, 11.3, -6.7, -1.9, 11.8, 12.6],
        "VII best": [5.7, None, 9.4, 66.5, 55.7, 51.4, 23.5],
        "VII increase": [30.4, None, 30.1, 14.3, 21.3, None, 8.6],
        "abstract": [19.1, 31.0, 20.2, 33.2, 30.1, 23.0, 21.4],
    }
    assert list(paper.TASK_US.values()) == stated["IV"]
    assert [peer.average for peer in paper.PEERS] == stated["V"]
    assert [best.gain for best in paper.BESTS.values()] == stated["VII best"]
    assert [best.increase for best in paper.BESTS.values()] == stated["VII increase"]
    assert [peer.increase for peer in paper.PEERS] == stated["abstract"]
    assert (paper.RELIC_AVERAGE, paper.RELIC_BFS) == (42.1, 5.6)
