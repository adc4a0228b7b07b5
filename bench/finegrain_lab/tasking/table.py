# SPDX-License-Identifier: Apache-2.0
"""The tables on the terminal, and the words that the report shares with them."""

import statistics
from collections.abc import Callable, Sequence

from rich.console import Console

from finegrain_lab import table
from finegrain_lab.drop_in import PROVED, shown_name
from finegrain_lab.ratios import flagged, ratio_text
from finegrain_lab.runtimes import SERIAL
from finegrain_lab.serial import unbeaten_cases, unbeaten_lines
from finegrain_lab.table import new_table, print_lines
from finegrain_lab.tasking.contestants import CEILING
from finegrain_lab.tasking.measurements import measurements_of
from finegrain_lab.tasking.results import Result, Row
from finegrain_lab.tasking.study import Study, Table
from finegrain_lab.threads import threads_text

# Characters of a table's columns, with what is between them, beside a name of 22: within the width
# of a pipe. None is taken to be narrower than its cells may be.
COLUMNS_WIDTH = 72
LEAST_WIDTH = 10
GAP = 2


def print_result(study: Study, console: Console, result: Result) -> None:
    """Prints the header, a table a number of threads, ratios, what the paper says, the footer."""
    settings = result.settings
    print_lines(console, header_lines(result))
    for threads in reversed(settings.threads):
        words = f"{settings.measure}, {settings.unit}, {threads_text(threads)}"
        _print_tables(console, result, threads, words, value_text)
    most = settings.threads[-1]
    words = f"times the time of {settings.reference}, {threads_text(most)}, paired"
    _print_tables(console, result, most, words, times_text)
    if settings.speedup_over:
        words = (
            f"speedup of {threads_text(most)} over {speedup_base(result)}, and that as a share of "
            "the ceiling's"
        )
        _print_tables(console, result, most, words, speedup_text)
    for extra in study.tables(study, result):
        _print_extra(console, result, extra)
    print_lines(console, unbeaten_lines(unbeaten_cases(measurements_of(result))))
    print_lines(console, [f"the paper: {line}" for line in result.paper])
    print_lines(console, table.footer_lines(result))


def header_lines(result: Result) -> list[str]:
    """Returns what must be known before a number is read; with a ceiling, the reference's part."""
    settings = result.settings
    allocator = f", malloc of {settings.allocator}" if settings.allocator != "glibc" else ""
    binding = ", threads not tied to CPUs" if settings.numa_binding == "off" else ""
    lines = table.header_lines(result, f", peers {settings.peers}{allocator}{binding}")
    lines += size_lines(result)
    if settings.taken_over:
        lines.append(PROVED)
    lines += [f"checked: {line}" for line in result.checked]
    unbeaten = {each.case for each in unbeaten_cases(measurements_of(result))}
    for case in result.cases if settings.speedup_over else ():
        row = result.row(case, settings.reference, settings.threads[-1])
        if row and row.of_ceiling is not None:
            low, high = row.value_ci95
            is_unbeaten = f"{case}, {threads_text(row.threads)}" in unbeaten
            text = (
                f"{case}: {row.runtime} on {threads_text(row.threads)}: {value_text(row)} "
                f"{settings.unit} ({low:.3g} to {high:.3g}), "
                f"{ratio_text(row.of_ceiling, row.of_ceiling_ci95, 3)} of the ceiling, "
                f"{_rank(result, row)}{', nobody surely beats serial' if is_unbeaten else ''}"
            )
            lines.append(flagged(text, result))
    return lines


def _rank(result: Result, row: Row) -> str:
    """Says how it stands among the runtimes on as many threads, by the medians of the ratios."""
    all_of_it = [
        other
        for other in result.results
        if (other.case, other.threads) == (row.case, row.threads)
        and other.runtime not in (SERIAL, CEILING)
    ]
    faster = [other.runtime for other in all_of_it if other.of_reference < 1]
    return f"behind {', '.join(faster)}" if faster else f"first of {len(all_of_it)}"


def size_lines(result: Result) -> list[str]:
    """Returns what the mode's batches are, the cases that are alike on one line."""
    alike: dict[str, list[str]] = {}
    for case, words in result.settings.sizes.items():
        alike.setdefault(words, []).append(case)
    return [f"{', '.join(cases)}: {words}" for words, cases in alike.items()]


def speedup_base(result: Result) -> str:
    """Says in words what a runtime's speedup is over."""
    return "its own 1 thread" if result.settings.speedup_over == "itself" else "serial"


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
    return f"{row.value:.{digits(row.value)}f}"


def digits(value: float) -> int:
    """Returns how many digits behind the point make three in all."""
    steps = ((1, 3), (10, 2), (100, 1))
    return next((count for below, count in steps if abs(value) < below), 0)


def times_text(row: Row) -> str:
    """Returns the time over the reference's."""
    return ratio_text(row.of_reference, row.of_reference_ci95)


def shares_text(row: Row) -> str:
    """Returns the least and the greatest share of a thread; nothing for one thread alone.

    Medians over what was counted: on many threads a number each would not be readable.
    """
    if row.threads == 1 or row.tasks_by_thread is None:
        return ""
    least, greatest = (
        statistics.median(100 * extreme(counts) / sum(counts) for counts in row.tasks_by_thread)
        for extreme in (min, max)
    )
    return f"{least:.1f} to {greatest:.1f} %"


def speedup_text(row: Row) -> str:
    """Returns the speedup and its share of the ceiling."""
    speedup = ratio_text(row.speedup, row.speedup_ci95)
    return f"{speedup}  {ratio_text(row.of_ceiling, row.of_ceiling_ci95)}" if speedup else ""


def _print_tables(
    console: Console, result: Result, threads: int, title: str, text: Callable[[Row], str]
) -> None:
    for columns in _by_table(cases_on(result, threads)):
        shown = new_table(title, "runtime")
        for case in columns:
            shown.add_column(case, justify="right", no_wrap=True)
        for runtime in result.runtimes:
            cells = [_cell(result, case, runtime, threads, text) for case in columns]
            if any(cells):
                shown.add_row(flagged(shown_name(runtime), result), *cells)
        console.print(shown)


def _by_table(cases: Sequence[str]) -> list[list[str]]:
    """Returns the cases, those in one list that fit beside each other."""
    tables: list[list[str]] = []
    room = 0
    for case in cases:
        width = max(len(case), LEAST_WIDTH) + GAP
        if width > room:
            tables.append([])
            room = COLUMNS_WIDTH
        tables[-1].append(case)
        room -= width
    return tables


def _print_extra(console: Console, result: Result, extra: Table) -> None:
    shown = new_table(extra.title, "runtime")
    for column in extra.columns:
        shown.add_column(column, justify="right", no_wrap=True)
    for name, cells in extra.rows:
        shown.add_row(flagged(shown_name(name), result), *cells)
    console.print(shown)


def _cell(result: Result, case: str, runtime: str, threads: int, text: Callable[[Row], str]) -> str:
    row = shown_row(result, case, runtime, threads)
    if row:
        return text(row)
    where = f"{case}, {threads_text(threads)}"
    return "[red]failed[/red]" if result.failed_on(runtime, where) else ""
