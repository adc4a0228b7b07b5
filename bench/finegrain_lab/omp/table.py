# SPDX-License-Identifier: Apache-2.0
"""The tables on the terminal, and the words that the report shares with them."""

from collections.abc import Callable, Sequence

from rich.console import Console
from rich.table import Table

from finegrain_lab import table
from finegrain_lab.comparison import comparison_lines
from finegrain_lab.drop_in import PROVED, WITH_DROP_IN, base_of, with_policy
from finegrain_lab.omp.cases import CASES, KERNELS, of_kind
from finegrain_lab.omp.measurements import measurements_of
from finegrain_lab.omp.paper import comparisons
from finegrain_lab.omp.results import Result, Row, Summary
from finegrain_lab.ratios import flagged, ratio_text
from finegrain_lab.runtimes import SERIAL
from finegrain_lab.serial import unbeaten_cases, unbeaten_lines
from finegrain_lab.table import new_table, print_lines
from finegrain_lab.threads import threads_text

TIMED = of_kind("kernel", "loop")
OVERHEADS = of_kind("overhead")


def print_result(console: Console, result: Result) -> None:
    """Prints the header, the summary, a table a measure, what the paper says and the footer."""
    print_lines(console, header_lines(result))
    print_lines(console, [f"{case}: {CASES[case].what}" for case in result.cases])
    if result.summary:
        console.print(_summary_table(result))
    for title, cases, text in (
        ("time, ms", TIMED, time_text),
        ("an overhead, ns", OVERHEADS, time_text),
        ("speedup over its own runtime alone, paired", KERNELS, over_own_text),
        (
            "time over that of its own runtime alone, paired (below 1 is faster)",
            [*of_kind("loop"), *OVERHEADS],
            times_own_text,
        ),
        ("speedup over serial, paired", TIMED, over_serial_text),
    ):
        chosen = [case for case in cases if case in result.cases]
        if chosen and (shown := _table(result, title, chosen, text)).row_count:
            console.print(shown)
    print_lines(console, unbeaten_lines(unbeaten_cases(measurements_of(result))))
    print_lines(console, comparison_lines(comparisons(result)) + table.footer_lines(result))


def header_lines(result: Result) -> list[str]:
    """Returns what must be known before a number is read, and the default policy's part."""
    settings = result.settings
    lines = table.header_lines(
        result, f", {threads_text(settings.threads)}, peers {settings.peers}"
    )
    if settings.taken_over:
        lines.append(f"{PROVED}; alone it is not there")
    default = {with_policy(base, settings.default_policy) for base in settings.bases}
    return lines + [
        flagged(f"{line.runtime} over {line.over}: {summary_text(line)}", result)
        for line in result.summary
        if line.runtime in default
    ]


def summary_text(line: Summary) -> str:
    """Returns the geometric mean of the kernels, and the worst of them."""
    low, high = line.ci95
    return (
        f"{ratio_text(line.geomean, line.ci95)} ({low:.2f} to {high:.2f}) over the "
        f"{len(KERNELS)} task kernels, the least {line.least:.2f} on {line.least_case}"
    )


def names_of(result: Result, cases: Sequence[str]) -> list[list[str]]:
    """Returns the runtimes that have a row or failed on these cases: serial, then base by base."""
    bases = [None, *result.settings.bases]
    of_base: dict[str | None, list[str]] = {base: [] for base in bases}
    for name in result.runtimes:
        if any(result.row(case, name) or result.has_failed(case, name) for case in cases):
            of_base[None if name == SERIAL else base_of(name)].append(name)
    return [names for names in of_base.values() if names]


def time_text(row: Row) -> str:
    """Returns the time in the unit of its case."""
    return value_text(row, row.ns)


def value_text(row: Row, ns: float) -> str:
    """Returns a time of the row's case to three digits: ms, of overheads ns."""
    value = ns if row.case in OVERHEADS else ns / 1e6
    return f"{value:.{digits(value)}f}"


def over_own_text(row: Row) -> str:
    """Returns the speedup over its own runtime."""
    return ratio_text(row.over_own, row.over_own_ci95)


def times_own_text(row: Row) -> str:
    """Returns the time over its own runtime's; to three digits behind the point, as 2 % count."""
    return ratio_text(row.times_own, row.times_own_ci95, 3)


def over_serial_text(row: Row) -> str:
    """Returns the speedup over serial."""
    if row.over_serial is None:
        return ""
    # Serial fib is a hundred times as fast.
    return ratio_text(row.over_serial, row.over_serial_ci95, digits(row.over_serial))


def digits(value: float) -> int:
    """Returns how many digits behind the point make three in all."""
    steps = ((1, 3), (10, 2), (100, 1))
    return next((count for below, count in steps if abs(value) < below), 0)


def _summary_table(result: Result) -> Table:
    shown = new_table(
        f"speedup, geometric mean of the {len(KERNELS)} task kernels, with its 95 % interval",
        "runtime",
    )
    shown.add_column("over")
    shown.add_column("mean", justify="right", no_wrap=True)
    shown.add_column("interval", no_wrap=True)
    shown.add_column("least", no_wrap=True)
    for line in result.summary:
        low, high = line.ci95
        least = f"{line.least:.2f} {line.least_case}"
        interval = f"{low:.2f} to {high:.2f}"
        shown.add_row(
            flagged(line.runtime, result),
            line.over,
            ratio_text(line.geomean, line.ci95),
            interval,
            least,
        )
    return shown


def _table(result: Result, title: str, cases: Sequence[str], text: Callable[[Row], str]) -> Table:
    """Returns a table of the runtimes, a section each where any of it has something to say."""
    shown = new_table(title, "runtime")
    for case in cases:
        shown.add_column(case, justify="right", no_wrap=True)
    for names in names_of(result, cases):
        rows = {name: [_cell(result, case, name, text) for case in cases] for name in names}
        if any(any(cells) for cells in rows.values()):
            for name, cells in rows.items():
                shown.add_row(flagged(_short(name), result), *cells)
            shown.add_section()
    return shown


def _short(name: str) -> str:
    """Returns the name under its own runtime's: a column has no room for the whole."""
    base, plus, policy = name.partition(f"{WITH_DROP_IN}:")
    return f"  +{policy}" if plus else base


def _cell(result: Result, case: str, runtime: str, text: Callable[[Row], str]) -> str:
    row = result.row(case, runtime)
    if row:
        return text(row)
    return "[red]failed[/red]" if result.has_failed(case, runtime) else ""
