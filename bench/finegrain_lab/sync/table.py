# SPDX-License-Identifier: Apache-2.0
"""The tables on the terminal, and the words that the report shares with them."""

from functools import partial

from rich.console import Console

from finegrain_lab import table
from finegrain_lab.comparison import comparison_lines
from finegrain_lab.cycle_tables import cycle_table, cycles_text, number_text, times_text
from finegrain_lab.sync.paper import comparisons
from finegrain_lab.sync.results import Result, Row
from finegrain_lab.table import print_lines
from finegrain_lab.threads import threads_text


def print_result(console: Console, result: Result) -> None:
    """Prints the header, three tables by number of threads, the paper's numbers and the footer."""
    print_lines(console, header_lines(result))
    columns = {
        threads_text(count): partial(result.row, threads=count) for count in result.settings.threads
    }
    for title, text in (
        ("cycles per operation, mean over the threads", cycles_text),
        ("ns per operation", ns_text),
        (f"times {result.settings.reference} on as many threads, paired", times_text),
    ):
        console.print(cycle_table(result, title, "mechanism", result.runtimes, columns, text))
    print_lines(console, comparison_lines(comparisons(result)) + table.footer_lines(result))


def header_lines(result: Result) -> list[str]:
    """Returns what must be known before a number is read."""
    settings = result.settings
    rate = f"a cycle is a tick of the time-stamp counter, {settings.ticks_per_ns:.3f} GHz"
    if settings.cycles_per_tick != 1:
        rate = f"{settings.cycles_per_tick:.1f} cycles a tick of the counter, as measured"
    return [
        *table.header_lines(result),
        f"{rate}; more threads than {len(settings.cpus)} share the CPUs as the system likes",
    ]


def ns_text(row: Row) -> str:
    """Returns the time of an operation."""
    return number_text(row.ns)
