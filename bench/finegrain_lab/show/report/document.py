# SPDX-License-Identifier: Apache-2.0
"""The page: the answer, a section a paper, the machines; one HTML file that needs nothing else."""

from collections.abc import Container, Sequence
from dataclasses import dataclass

from finegrain_lab.experiments import experiment_of
from finegrain_lab.papers import PAPERS, Explained, Item, Paper
from finegrain_lab.run.drop_in import shown_name
from finegrain_lab.show.page import Layout, fill
from finegrain_lab.show.report.answer import Answer, standings_text, summary
from finegrain_lab.show.report.limits import ALL, Limit, differences_of
from finegrain_lab.show.report.many_cores import MANY_CORES, Comparison
from finegrain_lab.show.report.measured import Measured
from finegrain_lab.show.report.plots import standings_drawing
from finegrain_lab.show.report.standings import Standings
from finegrain_lab.show.table import siblings_text
from finegrain_lab.show.views import page_of

SECTION = "section.html.j2"
BEYOND = "beyond"  # the place of what no paper has


@dataclass(frozen=True)
class HostView:
    """A host on the page."""

    place: str  # within names
    measured: Measured
    answer: Answer

    @property
    def siblings(self) -> str:
        """Whether its two CPUs share a core."""
        return siblings_text(self.measured.host)

    def standings_of(self, experiment: str) -> Standings | None:
        """Returns the experiment's standings here."""
        found = (each for each in self.answer.standings if each.experiment == experiment)
        return next(found, None)


@dataclass(frozen=True)
class ExperimentView:
    """An experiment's section."""

    name: str
    heading: str
    sections: Sequence[tuple[HostView, str]]  # by host: HTML

    def line_of(self, host: HostView) -> str:
        """Returns what stands there while the section is folded."""
        standings = host.standings_of(self.name)
        return standings_text(standings) if standings else experiment_of(self.name).title


@dataclass(frozen=True)
class ItemView:
    """A figure or a table of a paper, and where its answer is."""

    item: Item
    link: str | None  # on this page
    text: str


@dataclass(frozen=True)
class PaperView:
    """A paper's section."""

    place: str
    name: str
    title: str
    items: Sequence[ItemView]
    differences: Sequence[tuple[HostView, Sequence[Limit]]]  # by host
    experiments: Sequence[ExperimentView]


def render(
    all_measured: Sequence[Measured], answers: Sequence[Answer], many_cores: Sequence[Comparison]
) -> str:
    """Returns the page; of each host its answer."""
    hosts = [
        HostView(f"host{number}", measured, answer)
        for number, (measured, answer) in enumerate(zip(all_measured, answers, strict=True), 1)
    ]
    views = {name: view for name in ALL if (view := _experiment_view(name, hosts))}
    grains = dict.fromkeys(what for host in hosts for what in host.answer.grains)
    return fill(
        "report.html.j2",
        hosts=hosts,
        papers=_paper_views(views, hosts),
        headings={name: experiment_of(name).heading for name in views},
        compared=[name for name in views if any(host.standings_of(name) for host in hosts)],
        grains=list(grains),
        many_cores=many_cores,
        many_cores_place=MANY_CORES,
        summary=summary,
        standings_drawing=standings_drawing,
        shown_name=shown_name,
    )


def _experiment_view(name: str, hosts: Sequence[HostView]) -> ExperimentView | None:
    """Returns an experiment's section, None where no host has a result."""
    having = [host for host in hosts if name in host.measured.results]
    if not having:
        return None
    experiment = experiment_of(name)
    level = 4 if len(hosts) == 1 else 5
    sections = []
    for host in having:
        layout = Layout(SECTION, level, is_first=host is having[0])
        measured = host.measured
        html = page_of(experiment, measured.results[name], layout, measured.drawings[name])
        sections.append((host, html))
    return ExperimentView(name, experiment.heading, sections)


def _paper_views(views: dict[str, ExperimentView], hosts: Sequence[HostView]) -> list[PaperView]:
    """Returns the sections: each experiment in that of the first paper that has it."""
    left = dict(views)
    papers = []
    for paper in PAPERS:
        own = [left.pop(name) for name in paper.experiments() if name in left]
        papers.append(_paper_view(paper, own, views.keys(), hosts))
    if left:
        papers.append(
            PaperView(BEYOND, "Beyond the papers", "What no paper has", [], [], [*left.values()])
        )
    return papers


def _paper_view(
    paper: Paper,
    experiments: Sequence[ExperimentView],
    measured: Container[str],
    hosts: Sequence[HostView],
) -> PaperView:
    return PaperView(
        paper.name.lower(),
        paper.name,
        paper.title,
        [_item_view(item, measured) for item in paper.items],
        [(host, differences_of(paper, host.measured)) for host in hosts],
        experiments,
    )


def _item_view(item: Item, measured: Container[str]) -> ItemView:
    if isinstance(item.answer, Explained):
        return ItemView(item, None, f"a diagram, answered by {item.answer}")
    if item.answer.experiment in measured:
        return ItemView(item, f"#{item.answer.experiment}", str(item.answer))
    return ItemView(item, None, f"not measured here: ./lab run {item.answer}")
