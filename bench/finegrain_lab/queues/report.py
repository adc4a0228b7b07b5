# SPDX-License-Identifier: Apache-2.0
"""The report."""

from finegrain_lab import page
from finegrain_lab.drawing import Figures
from finegrain_lab.page import Layout
from finegrain_lab.queues import table
from finegrain_lab.queues.cases import HEADING, MEASURES
from finegrain_lab.queues.paper import comparisons
from finegrain_lab.queues.results import Result
from finegrain_lab.table import footer_lines


def render(result: Result, layout: Layout, figures: Figures) -> str:
    """Returns the report's HTML."""
    return page.render(
        layout,
        result,
        HEADING,
        header=table.header_lines(result),
        footer=footer_lines(result),
        measures=MEASURES,
        comparisons=comparisons(result),
        figures=figures,
    )
