# SPDX-License-Identifier: Apache-2.0
"""The report."""

from finegrain_lab import page
from finegrain_lab.drawing import Figures
from finegrain_lab.page import Layout
from finegrain_lab.table import footer_lines
from finegrain_lab.waiting import table
from finegrain_lab.waiting.cases import GAPS_US, HEADING, HINTS, gap_text
from finegrain_lab.waiting.results import Result


def render(result: Result, layout: Layout, figures: Figures) -> str:
    """Returns the report's HTML."""
    return page.render(
        layout,
        result,
        HEADING,
        header=table.header_lines(result),
        footer=footer_lines(result),
        gaps={gap_us: gap_text(gap_us) for gap_us in GAPS_US},
        hints=HINTS,
        burned=table.burned_text,
        figures=figures,
    )
