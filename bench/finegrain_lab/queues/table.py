# SPDX-License-Identifier: Apache-2.0
"""The tables on the terminal, and the words that the report shares with them."""

from functools import partial

from rich.console import Console

from finegrain_lab import table
from finegrain_lab.comparison import comparison_lines
from finegrain_lab.cycle_tables import cycle_table, cycles_text, number_text, times_text
from finegrain_lab.queues.cases import MEASURES
from finegrain_lab.queues.paper import comparisons, stream_text
from finegrain_lab.queues.results import Result, Row
from finegrain_lab.table import print_lines


def print_result(console: Console, result: Result) -> None:
    """Prints the header, three tables by measure, the paper's numbers and the footer."""
    print_lines(console, header_lines(result))
    columns = {measure: partial(result.row, measure) for measure in result.cases}
    for title, text in (
        ("ns an item", ns_text),
        ("cycles an item", cycles_text),
        (f"times {result.settings.reference}, paired", times_text),
    ):
        console.print(cycle_table(result, title, "queue", result.runtimes, columns, text))
    print_lines(console, comparison_lines(comparisons(result)) + table.footer_lines(result))


def header_lines(result: Result) -> list[str]:
    """Returns what must be known before a number is read."""
    return [
        *table.header_lines(result),
        f"the counter ticks at {result.settings.ticks_per_ns:.3f} GHz; queues of 128 items of two "
        "words",
        *(f"{measure}: {what}" for measure, what in MEASURES.items()),
    ]


def ns_text(row: Row) -> str:
    """Returns the time of an item, and how many a second that is in a stream."""
    return "  ".join(filter(None, (number_text(row.ns), stream_text(row))))
