# SPDX-License-Identifier: Apache-2.0
"""The report."""

from finegrain_lab import page
from finegrain_lab.drawing import Drawing, Figures
from finegrain_lab.drop_in import shown_name
from finegrain_lab.page import Layout
from finegrain_lab.serial import unbeaten_cases
from finegrain_lab.table import footer_lines
from finegrain_lab.tasking import table, timeline_plots
from finegrain_lab.tasking.measurements import measurements_of
from finegrain_lab.tasking.results import Result
from finegrain_lab.tasking.study import Study
from finegrain_lab.threads import threads_text


def render(study: Study, result: Result, layout: Layout, figures: Figures) -> str:
    """Returns the report's HTML."""
    timelines = [each for name, each in figures.items() if name.startswith(timeline_plots.NAME)]
    return page.render(
        layout,
        result,
        study.heading,
        header=table.header_lines(result),
        footer=footer_lines(result),
        unbeaten=unbeaten_cases(measurements_of(result)),
        template="tasking",
        study=study,
        threads_text=threads_text,
        cases_on=table.cases_on,
        shown_row=table.shown_row,
        shown_name=shown_name,
        speedup_base=table.speedup_base(result),
        tables=study.tables(study, result),
        digits=table.digits,
        shares_text=table.shares_text,
        timelines=timelines,
        figures=[each for each in figures.values() if each not in timelines],
    )


def drawings(study: Study, result: Result) -> list[Drawing]:
    """The study's own, and the timelines."""
    return study.figures(study, result) + timeline_plots.timelines(result)
