# SPDX-License-Identifier: Apache-2.0
"""The report."""

from dataclasses import dataclass

from finegrain_lab import page
from finegrain_lab.drawing import Drawing, Figures
from finegrain_lab.handoff import table
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


def render(result: Result, layout: Layout, figures: Figures) -> str:
    """Returns the report's HTML."""
    return page.render(
        layout,
        result,
        HEADING,
        header=table.header_lines(result),
        footer=footer_lines(result),
        sections=[_section(result, placement, figures) for placement in result.settings.placements],
        cases=result.cases,
    )


def _section(result: Result, placement: Placement, figures: Figures) -> Section:
    names = (f"round-trip-{placement.kind}", f"burst-{placement.kind}")
    return Section(
        name=table.placement_text(placement),
        placement=placement.kind,
        headlines=[line for line in result.headlines if line.placement == placement.kind],
        figures=[figures[name] for name in names if name in figures],
    )
