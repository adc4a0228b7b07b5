# SPDX-License-Identifier: Apache-2.0
"""The report stands alone, and says what the paper says."""

import re
from html.parser import HTMLParser

import pytest

from finegrain_lab.drawing import Figures, by_name
from finegrain_lab.page import ALONE
from finegrain_lab.plots import TEXT
from finegrain_lab.relic_kernels import paper, plots, report
from finegrain_lab.relic_kernels.results import Result

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
    return by_name(plots.drawings(result))


def test_the_page_is_whole_and_needs_nothing_else(result: Result, figures: Figures) -> None:
    text = report.render(result, ALONE, figures)
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


def test_the_paper_s_numbers_stand_beside_ours(result: Result, figures: Figures) -> None:
    averages = {line.what: line for line in report.averages(result)}
    assert averages["GNU OpenMP"].paper == "\N{MINUS SIGN}17.7 %"
    assert averages["GNU OpenMP"].here == "\N{MINUS SIGN}20.0 %"
    assert averages["OpenCilk"].here == "not measured"
    for policy, here in (("static", "20.0"), ("wait", "30.0"), ("nowait", "25.0")):
        line = averages[f"X-OpenMP: x-openmp-{policy}"]
        assert (line.paper, line.here) == ("\N{MINUS SIGN}6.7 %", f"\N{MINUS SIGN}{here} %")
    increases = {line.what: line for line in report.increases(result)}
    assert increases["Intel OpenMP"].paper == "+20.2 %"
    # relic 1.6 over 1.15: 1.391 as a ratio, 45 points.
    assert re.fullmatch(r"\+39\.[01] % \(\+4[45]\.\d\)", increases["Intel OpenMP"].here)
    assert increases["X-OpenMP: x-openmp-wait"].paper == "+33.2 %"
    bests = {line.case: line for line in report.kernel_bests(result)}
    assert bests["pr"].paper_best == "+66.5 % GNU OpenMP"
    assert bests["pr"].paper_increase == "+14.3 %"
    assert bests["pr"].best == "+15.0 % intel-openmp"
    assert bests["bfs"].paper_best == "no peer gains"
    times = {line.what: line for line in report.task_times(result)}
    assert (times["sssp"].paper, times["sssp"].here) == ("6.4 µs", "6.40 µs")
    page = report.render(result, ALONE, figures)
    assert all(line.paper in page for line in (*averages.values(), *increases.values()))


def test_what_a_program_says_can_not_become_markup(result: Result) -> None:
    noted = result.model_copy(update={"notes": {"relic": ["<b>bold</b>"]}})
    text = report.render(noted, ALONE, by_name(plots.drawings(noted)))
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
    assert [time.us for time in paper.TASK_TIMES] == stated["IV"]
    assert [average.percent for average in paper.AVERAGES] == stated["V"]
    assert [best.percent for best in paper.KERNEL_BESTS] == stated["VII best"]
    increases = [best.relic_increase_percent for best in paper.KERNEL_BESTS]
    assert increases == stated["VII increase"]
    assert [increase.percent for increase in paper.INCREASES] == stated["abstract"]
    assert (paper.RELIC_AVERAGE_PERCENT, paper.RELIC_BFS_PERCENT) == (42.1, 5.6)
