# SPDX-License-Identifier: Apache-2.0
"""The report."""

from finegrain_lab import page
from finegrain_lab.drawing import Figures
from finegrain_lab.omp import table
from finegrain_lab.omp.cases import CASES, HEADING, KERNELS
from finegrain_lab.omp.measurements import measurements_of
from finegrain_lab.omp.paper import MACHINE, comparisons
from finegrain_lab.omp.results import Result
from finegrain_lab.page import Layout
from finegrain_lab.serial import unbeaten_cases
from finegrain_lab.table import footer_lines


def render(result: Result, layout: Layout, figures: Figures) -> str:
    """Returns the report's HTML."""
    return page.render(
        layout,
        result,
        HEADING,
        header=table.header_lines(result),
        footer=footer_lines(result),
        unbeaten=unbeaten_cases(measurements_of(result)),
        known=CASES,
        kernels=KERNELS,
        overheads=table.OVERHEADS,
        names_of=lambda case: [name for part in table.names_of(result, [case]) for name in part],
        digits=table.digits,
        comparisons=comparisons(result),
        machine=MACHINE,
        figures=figures,
    )
