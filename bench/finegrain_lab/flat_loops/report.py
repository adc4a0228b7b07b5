"""The report."""

from markupsafe import Markup

from finegrain_lab import page
from finegrain_lab.flat_loops import plots, table
from finegrain_lab.flat_loops.results import Result
from finegrain_lab.flat_loops.study import Producers, Study
from finegrain_lab.spawn.cases import threads_text
from finegrain_lab.table import footer_lines, header_lines

CAPTIONS: dict[Producers, str] = {"one": "One thread spawns.", "all": "Every thread spawns."}


def render(study: Study, result: Result) -> str:
    """Returns the report's HTML."""
    kinds = [kind for kind in CAPTIONS if any(case.producers == kind for case in study.cases)]
    return page.render(
        result,
        header=header_lines(result),
        footer=footer_lines(result),
        template="flat-loops",
        study=study,
        threads_text=threads_text,
        cases_on=table.cases_on,
        shown_row=table.shown_row,
        figures=[
            (Markup(plots.value_figure(study, result, kind)), CAPTIONS[kind]) for kind in kinds
        ],
    )
