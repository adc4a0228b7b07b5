"""The tables on the terminal, and the words that the report shares with them."""

from collections.abc import Callable

from rich.console import Console

from finegrain_lab import table
from finegrain_lab.flat_loops.results import Result, Row
from finegrain_lab.runtimes import SERIAL
from finegrain_lab.spawn.cases import threads_text
from finegrain_lab.table import new_table, print_lines

MOST_COLUMNS = 6  # of 10 characters, beside a name of 20: within the width of a pipe


def print_result(console: Console, result: Result) -> None:
    """Prints the header, a table a number of threads, what the paper says, and the footer."""
    settings = result.settings
    print_lines(console, table.header_lines(result, f", peers {settings.peers}"))
    for threads in reversed(settings.threads):
        words = f"{settings.measure}, {settings.unit}, {threads_text(threads)}"
        _print_tables(console, result, threads, words, value_text)
    most = settings.threads[-1]
    words = f"times the time of {settings.reference}, {threads_text(most)}, paired"
    _print_tables(console, result, most, words, times_text)
    print_lines(console, [f"the paper: {line}" for line in result.paper])
    print_lines(console, table.footer_lines(result))


def cases_on(result: Result, threads: int) -> list[str]:
    """Returns the cases that were run on so many threads, serial apart."""
    found = {
        row.case
        for row in result.results
        if (row.threads, row.runtime != SERIAL) == (threads, True)
    }
    return [case for case in result.cases if case in found]


def shown_row(result: Result, case: str, runtime: str, threads: int) -> Row | None:
    """Returns the row that stands in this place: serial has its one thread everywhere."""
    return result.row(case, runtime, 1 if runtime == SERIAL else threads)


def value_text(row: Row) -> str:
    """Returns the value to three digits."""
    return f"{row.value:.{2 if abs(row.value) < 10 else 1 if abs(row.value) < 100 else 0}f}"


def times_text(row: Row) -> str:
    """Returns the time over the reference's."""
    return f"{row.of_reference:.2f}"


def _print_tables(
    console: Console, result: Result, threads: int, title: str, text: Callable[[Row], str]
) -> None:
    cases = cases_on(result, threads)
    for first in range(0, len(cases), MOST_COLUMNS):
        shown = new_table(title, "runtime")
        columns = cases[first : first + MOST_COLUMNS]
        for case in columns:
            shown.add_column(case, justify="right", no_wrap=True)
        for runtime in result.runtimes:
            cells = [_cell(result, case, runtime, threads, text) for case in columns]
            if any(cells):
                shown.add_row(runtime, *cells)
        console.print(shown)


def _cell(result: Result, case: str, runtime: str, threads: int, text: Callable[[Row], str]) -> str:
    row = shown_row(result, case, runtime, threads)
    if row:
        return text(row)
    where = f"{case}, {threads_text(threads)}"
    failed = any((line.runtime, line.case) == (runtime, where) for line in result.failed)
    return "[red]failed[/red]" if failed else ""
