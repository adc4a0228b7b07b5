# SPDX-License-Identifier: Apache-2.0
"""Every figure and table of the papers: none is missing, and what answers it is there."""

import re
from pathlib import Path
from typing import Any

import pytest
from conftest import Lab
from fakes import FakeBuild

from finegrain_lab.experiments import EXPERIMENTS, experiment_of
from finegrain_lab.papers import (
    MANY_TASKING,
    OMPI,
    PAPERS,
    RELIC,
    X_OPENMP,
    Explained,
    Paper,
    Repeated,
)
from finegrain_lab.run.allocators import Allocator
from finegrain_lab.run.experiment import Request
from finegrain_lab.run.runtimes import load_build

REPOSITORY = Path(__file__).resolve().parents[3]

# Of no figure and no table: Relic's section VI and what is ours, X-OpenMP's section 2.2, and the
# drop-in on whole programs.
BEYOND_FIGURES = {
    "handoff",
    "break-even",
    "waiting",
    "queues",
    "spawn",
    "omp",
    "omp-regions",
    "scaling",
    "neighbour",
    "periodic",
    "loops",
    "graph",
    "pipeline",
}

ANSWERS = [item.answer for paper in PAPERS for item in paper.items]
REPEATED = [answer for answer in ANSWERS if isinstance(answer, Repeated)]
EXPLAINED = [answer for answer in ANSWERS if isinstance(answer, Explained)]


def captions(figures: int, tables: int) -> list[str]:
    """Returns the names of a paper's captions, which are numbered from 1."""
    return [
        *(f"Fig. {number}" for number in range(1, figures + 1)),
        *(f"Table {number}" for number in range(1, tables + 1)),
    ]


@pytest.mark.parametrize(
    ("paper", "figures", "tables"),
    [(RELIC, 4, 0), (X_OPENMP, 14, 1), (OMPI, 9, 1), (MANY_TASKING, 7, 3)],
)
def test_every_figure_and_table_is_there(paper: Paper, figures: int, tables: int) -> None:
    assert paper in PAPERS
    assert [item.name for item in paper.items] == captions(figures, tables)
    assert all(item.shows for item in paper.items)


def test_every_experiment_of_a_paper_is_reached() -> None:
    known = {experiment.name for experiment in EXPERIMENTS}
    reached = {answer.experiment for answer in REPEATED}
    assert reached <= known
    assert known - reached == BEYOND_FIGURES


@pytest.mark.parametrize("answer", sorted(set(REPEATED), key=str), ids=str)
def test_an_experiment_takes_what_it_is_said_to_be_told(
    two_cpus: None, build: FakeBuild, monkeypatch: pytest.MonkeyPatch, answer: Repeated
) -> None:
    del two_cpus
    experiment = experiment_of(answer.experiment)
    words = answer.options.split()
    options = dict(zip(words[::2], words[1::2], strict=True))
    experiment.require_options(list(options))
    fields: dict[str, Any] = {
        option.removeprefix("--").replace("-", "_"): value.split(",")
        for option, value in options.items()
    }
    if "allocator" in fields:
        monkeypatch.setattr(Allocator, "require", lambda _self: None)
        fields["allocator"] = Allocator(fields["allocator"][0])
    if "numa_binding" in fields:
        assert fields["numa_binding"] == ["off"]
        fields["numa_binding"] = "off"
    experiment.plan(Request(load_build(build.folder), experiment.modes["quick"], **fields))


def anchors_of(page: str) -> set[str]:
    """Returns the anchors of a page's headings, as the places that show Markdown make them."""
    headings = re.findall(r"^#+ (.+)$", (REPOSITORY / page).read_text(), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", each.lower()).replace(" ", "-") for each in headings}


@pytest.mark.parametrize("answer", EXPLAINED, ids=str)
def test_the_page_has_the_section(answer: Explained) -> None:
    assert answer.section in anchors_of(answer.page)


def test_every_section_of_the_page_answers_one() -> None:
    pages = {answer.page: anchors_of(answer.page) for answer in EXPLAINED}
    title = {"the-papers-diagrams"}
    answered = {answer.section for answer in EXPLAINED if answer.page == "docs/papers.md"}
    assert pages["docs/papers.md"] == answered | title


def test_links_between_the_pages_lead_somewhere() -> None:
    for page in {answer.page for answer in EXPLAINED}:
        text = (REPOSITORY / page).read_text()
        for target, anchor in re.findall(r"\]\(([^)#:]+)(?:#([^)]*))?\)", text):
            other = (REPOSITORY / page).parent / target
            assert other.exists(), target
            assert not anchor or anchor in anchors_of(str(other.resolve().relative_to(REPOSITORY)))


def test_list_shows_them_all(
    lab: Lab, build: FakeBuild, capsys: pytest.CaptureFixture[str]
) -> None:
    assert lab("list", "--build", build.folder) == 0
    output = capsys.readouterr().out
    assert "…" not in output
    for paper in PAPERS:
        table = output.partition(paper.title)[2]
        for item in paper.items:
            beginning = re.escape(item.shows[:20])
            assert re.search(rf"^ {re.escape(item.name)} +{beginning}", table, re.MULTILINE)
    words = " ".join(output.split())
    assert all(str(answer) in words for answer in EXPLAINED)
    assert all(answer.experiment in words for answer in REPEATED)
