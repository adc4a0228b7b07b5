# SPDX-License-Identifier: Apache-2.0
"""The tables on the terminal, and the words that the report shares with them."""

from collections.abc import Callable

from rich.console import Console
from rich.table import Table

from finegrain_lab import table
from finegrain_lab.ratios import flagged, ratio_text
from finegrain_lab.table import new_table, print_lines
from finegrain_lab.waiting.cases import GAPS_US, HINTS, gap_text
from finegrain_lab.waiting.results import Result, Row


def print_result(console: Console, result: Result) -> None:
    """Prints the header, three tables by gap and the footer."""
    print_lines(console, header_lines(result))
    reference = f"{result.settings.reference_policy} without hints"
    console.print(_gap_table(result, "first task after the gap, ns", lambda r: latency_text(r)))
    console.print(_gap_table(result, f"over {reference}, paired", lambda r: spin_text(r)))
    console.print(
        _gap_table(result, "CPU burned in the gap, share of one CPU", lambda r: burned_text(r))
    )
    print_lines(console, table.footer_lines(result))


def header_lines(result: Result) -> list[str]:
    """Returns what must be known before a number is read, and the default policy in two lines."""
    default = result.settings.policies[0]
    lines = table.header_lines(result)
    for hints in HINTS:
        row = result.row(default, hints, GAPS_US[-1])
        if row:
            words = "with hints" if hints == "hints" else "without hints"
            text = (
                f"{default} {words}, after {gap_text(row.gap_us)}: first task "
                f"{latency_text(row)} ns, {spin_text(row)} of spinning, "
                f"{burned_text(row)} of a CPU burned"
            )
            lines.append(flagged(text, result))
    return lines


def latency_text(row: Row) -> str:
    """Returns the latency in ns."""
    return f"{row.first_task_ns:,.0f}"


def spin_text(row: Row) -> str:
    """Returns the latency over that of spinning."""
    return ratio_text(row.of_spin, row.of_spin_ci95)


def burned_text(row: Row) -> str:
    """Returns the share that was burned; what is under a hundredth of a percent is 0."""
    share = row.burned_share
    return f"{share:.0%}" if share >= 0.1 else f"{max(share, 0.0):.2%}"


def _gap_table(result: Result, title: str, text: Callable[[Row], str]) -> Table:
    shown = new_table(title, "policy")
    shown.add_column("hints", no_wrap=True)
    for gap_us in GAPS_US:
        shown.add_column(gap_text(gap_us), justify="right", no_wrap=True)
    for policy in result.settings.policies:
        for hints in HINTS:
            rows = [result.row(policy, hints, gap_us) for gap_us in GAPS_US]
            cells = [text(row) if row else "[red]failed[/red]" for row in rows]
            shown.add_row(flagged("" if hints == "hints" else policy, result), hints, *cells)
    return shown
