# SPDX-License-Identifier: Apache-2.0
"""The report."""

from finegrain_lab import page
from finegrain_lab.drawing import Figures
from finegrain_lab.page import Layout
from finegrain_lab.sync import table
from finegrain_lab.sync.cases import HEADING
from finegrain_lab.sync.paper import comparisons
from finegrain_lab.sync.results import Result
from finegrain_lab.table import footer_lines
from finegrain_lab.threads import threads_text


def render(result: Result, layout: Layout, figures: Figures) -> str:
    """Returns the report's HTML."""
    return page.render(
        layout,
        result,
        HEADING,
        header=table.header_lines(result),
        footer=footer_lines(result),
        threads_text=threads_text,
        comparisons=comparisons(result),
        figures=figures,
    )
