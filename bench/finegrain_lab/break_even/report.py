# SPDX-License-Identifier: Apache-2.0
"""The report."""

from dataclasses import dataclass

from finegrain_lab import page
from finegrain_lab.break_even import table
from finegrain_lab.break_even.cases import ADAPTIVE, ALWAYS, HEADING, MEANING, ORACLE, RUNTIMES
from finegrain_lab.break_even.results import Result, Row
from finegrain_lab.drawing import Drawing, Figures
from finegrain_lab.page import Layout
from finegrain_lab.table import footer_lines


@dataclass(frozen=True)
class Section:
    """A ratio's part of the page."""

    name: str
    break_even: str
    figure: Drawing
    points: list[dict[str, Row]]


def render(result: Result, layout: Layout, figures: Figures) -> str:
    """Returns the report's HTML."""
    return page.render(
        layout,
        result,
        HEADING,
        header=table.header_lines(result),
        footer=footer_lines(result),
        sections=[_section(result, ratio, figures) for ratio in table.ratios_of(result)],
        changes=[_point(result, case) for case in table.changes_of(result)],
        always=ALWAYS,
        adaptive=ADAPTIVE,
        oracle=ORACLE,
    )


def _section(result: Result, ratio: str, figures: Figures) -> Section:
    cases = [row.case for row in result.steady(ratio, ALWAYS) if table.is_whole(result, row.case)]
    return Section(
        name=MEANING[ratio],
        break_even=table.break_even_text(result, ratio),
        figure=figures[f"grain-{ratio}"],
        points=[_point(result, case) for case in cases],
    )


def _point(result: Result, case: str) -> dict[str, Row]:
    return {runtime: row for runtime in RUNTIMES if (row := result.row(case, runtime))}
