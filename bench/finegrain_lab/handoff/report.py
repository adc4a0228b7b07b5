# SPDX-License-Identifier: Apache-2.0
"""The report."""

from dataclasses import dataclass

from finegrain_lab import page
from finegrain_lab.drawing import Drawing
from finegrain_lab.handoff import plots, table
from finegrain_lab.handoff.cases import HEADING
from finegrain_lab.handoff.protocol import Placement
from finegrain_lab.handoff.results import Headline, Result
from finegrain_lab.page import Layout
from finegrain_lab.table import footer_lines


@dataclass(frozen=True)
class Section:
    """A placement's part of the page."""

    name: str
    placement: str
    headlines: list[Headline]
    figures: list[Drawing]


def render(result: Result, layout: Layout) -> str:
    """Returns the report's HTML."""
    return page.render(
        layout,
        result,
        HEADING,
        header=table.header_lines(result),
        footer=footer_lines(result),
        sections=[_section(result, placement) for placement in result.settings.placements],
        cases=result.cases,
    )


def _section(result: Result, placement: Placement) -> Section:
    return Section(
        name=table.placement_text(placement),
        placement=placement.kind,
        headlines=[line for line in result.headlines if line.placement == placement.kind],
        figures=plots.drawings_of(result, placement),
    )
