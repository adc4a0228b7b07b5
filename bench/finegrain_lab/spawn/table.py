"""The tables on the terminal, and the words that the report shares with them."""

from collections.abc import Callable, Sequence

from rich.console import Console
from rich.table import Table

from finegrain_lab import table
from finegrain_lab.spawn.cases import threads_text
from finegrain_lab.spawn.results import Result, Row
from finegrain_lab.table import new_table, print_lines


def print_result(console: Console, result: Result) -> None:
    """Prints the header, three tables by number of threads and the footer."""
    threads = result.settings.threads
    reference = result.settings.reference
    print_lines(console, header_lines(result))
    console.print(_table(result, "wall ns per spawn", threads, ns_text))
    console.print(
        _table(result, f"times {reference} on as many threads, paired", threads, times_text)
    )
    console.print(
        _table(
            result,
            "speed-up over its own 1 thread, and that as a share of the ceiling's",
            threads[1:],
            speedup_text,
        )
    )
    print_lines(console, table.footer_lines(result))


def header_lines(result: Result) -> list[str]:
    """Returns what must be known before a number is read, and the reference in a line each."""
    settings = result.settings
    lines = table.header_lines(result, f", peers {settings.peers}")
    for threads in settings.threads:
        row = result.row(settings.reference, threads)
        if row:
            low, high = row.ci95
            line = (
                f"{row.runtime} on {threads_text(threads)}: {ns_text(row)} ns per spawn "
                f"({low:.2f} to {high:.2f})"
            )
            if row.of_ceiling is not None:
                line += f", {row.of_ceiling:.3f} of the ceiling"
            lines.append(line)
    return lines


def ns_text(row: Row) -> str:
    """Returns the time per spawn, to three digits."""
    return f"{row.ns:.2f}" if row.ns < 10 else f"{row.ns:.1f}" if row.ns < 100 else f"{row.ns:.0f}"


def times_text(row: Row) -> str:
    """Returns the time over the reference's."""
    return f"{row.of_reference:.2f}"


def speedup_text(row: Row) -> str:
    """Returns the speed-up and its share of the ceiling."""
    if row.speedup is None or row.of_ceiling is None:
        return ""
    return f"{row.speedup:.2f}  {row.of_ceiling:.2f}"


def _table(result: Result, title: str, threads: Sequence[int], text: Callable[[Row], str]) -> Table:
    shown = new_table(title, "runtime")
    for count in threads:
        shown.add_column(threads_text(count), justify="right", no_wrap=True)
    for runtime in result.runtimes:
        cells = [_cell(result, runtime, count, text) for count in threads]
        if any(cells):
            shown.add_row(runtime, *cells)
    return shown


def _cell(result: Result, runtime: str, threads: int, text: Callable[[Row], str]) -> str:
    row = result.row(runtime, threads)
    if row:
        return text(row)
    return "[red]failed[/red]" if result.failed_on(runtime, threads_text(threads)) else ""
