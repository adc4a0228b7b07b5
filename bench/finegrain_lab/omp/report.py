"""The report."""

from markupsafe import Markup

from finegrain_lab import page
from finegrain_lab.omp import plots, table
from finegrain_lab.omp.cases import CASES, KERNELS
from finegrain_lab.omp.paper import MACHINE, comparisons
from finegrain_lab.omp.results import Result
from finegrain_lab.table import footer_lines


def render(result: Result) -> str:
    """Returns the report's HTML."""
    return page.render(
        result,
        header=table.header_lines(result),
        footer=footer_lines(result),
        known=CASES,
        kernels=KERNELS,
        overheads=table.OVERHEADS,
        names_of=lambda case: [name for part in table.names_of(result, [case]) for name in part],
        digits=table.digits,
        comparisons=comparisons(result),
        machine=MACHINE,
        means=Markup(plots.means_figure(result)) if result.summary else None,
        captions={case: plots.caption(case) for case in result.cases},
        figures={case: Markup(plots.case_figure(result, case)) for case in result.cases},
    )
