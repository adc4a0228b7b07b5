"""The report."""

from markupsafe import Markup

from finegrain_lab import page
from finegrain_lab.spawn import plots, table
from finegrain_lab.spawn.cases import threads_text
from finegrain_lab.spawn.results import Result
from finegrain_lab.table import footer_lines


def render(result: Result) -> str:
    """Returns the report's HTML."""
    return page.render(
        result,
        header=table.header_lines(result),
        footer=footer_lines(result),
        threads_text=threads_text,
        ns_text=table.ns_text,
        figures={
            "ns": Markup(plots.ns_figure(result)),
            "speedup": Markup(plots.speedup_figure(result)),
        },
    )
