# SPDX-License-Identifier: Apache-2.0
"""Tables of the experiments that count cycles."""

from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

from rich.table import Table

from finegrain_lab.cycles import CycleRow
from finegrain_lab.ratios import flagged, ratio_text
from finegrain_lab.results import ResultFile
from finegrain_lab.table import new_table

RowT = TypeVar("RowT", bound=CycleRow)


def cycle_table(
    result: ResultFile,
    title: str,
    first: str,
    runtimes: Sequence[str],
    columns: Mapping[str, Callable[[str], RowT | None]],
    text: Callable[[RowT], str],
) -> Table:
    """Returns a table of a line a runtime; a column gives the runtime's row, None if it failed."""
    shown = new_table(title, first)
    for name in columns:
        shown.add_column(name, justify="right", no_wrap=True)
    for runtime in runtimes:
        rows = [row_of(runtime) for row_of in columns.values()]
        shown.add_row(
            flagged(runtime, result), *(text(row) if row else "[red]failed[/red]" for row in rows)
        )
    return shown


def cycles_text(row: CycleRow) -> str:
    """Returns the cycles."""
    return number_text(row.cycles)


def times_text(row: CycleRow) -> str:
    """Returns the cycles over the reference's."""
    return ratio_text(row.of_reference, row.of_reference_ci95)


def number_text(value: float) -> str:
    """Returns a number to three digits at least."""
    return f"{value:,.{2 if value < 10 else 1 if value < 100 else 0}f}"
