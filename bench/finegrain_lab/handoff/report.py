"""The report."""

from collections.abc import Callable
from dataclasses import dataclass

from markupsafe import Markup

from finegrain_lab import page
from finegrain_lab.handoff import plots, table
from finegrain_lab.handoff.protocol import Placement
from finegrain_lab.handoff.results import Headline, Result
from finegrain_lab.table import footer_lines


@dataclass(frozen=True)
class Section:
    """A placement's part of the page."""

    name: str
    placement: str
    headlines: list[Headline]
    figures: dict[str, Markup]


def render(result: Result) -> str:
    """Returns the report's HTML."""
    return page.render(
        result,
        header=table.header_lines(result),
        footer=footer_lines(result),
        sections=[_section(result, placement) for placement in result.settings.placements],
        cases=result.cases,
    )


def _section(result: Result, placement: Placement) -> Section:
    figures: dict[str, Callable[[Result, Placement], str]] = {}
    if plots.has_round_trips(result, placement):
        figures["round_trip"] = plots.round_trip_figure
    if plots.has_bursts(result, placement):
        figures["burst"] = plots.burst_figure
    return Section(
        name=table.placement_text(placement),
        placement=placement.kind,
        headlines=[line for line in result.headlines if line.placement == placement.kind],
        figures={name: Markup(draw(result, placement)) for name, draw in figures.items()},
    )
