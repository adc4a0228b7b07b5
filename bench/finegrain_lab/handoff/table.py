# SPDX-License-Identifier: Apache-2.0
"""The tables on the terminal, and the words that the report shares with them."""

from rich.console import Console
from rich.table import Table

from finegrain_lab import table
from finegrain_lab.handoff.cases import BURSTS, EMPTY
from finegrain_lab.handoff.protocol import Placement
from finegrain_lab.handoff.results import Headline, Result, Row
from finegrain_lab.ratios import UNSURE, flagged, ratio_text, with_interval
from finegrain_lab.table import half_width, new_table, print_lines


def print_result(console: Console, result: Result) -> None:
    """Prints the header, a table for each placement, the instructions and the footer."""
    print_lines(console, header_lines(result))
    for placement in result.settings.placements:
        console.print(_placement_table(result, placement))
    print_lines(console, instruction_lines(result) + table.footer_lines(result))


def header_lines(result: Result) -> list[str]:
    """Returns what must be known before a number is read, and relic in a line each placement."""
    relics = [line for line in result.headlines if line.runtime == "relic"]
    return table.header_lines(result) + [flagged(_relic_line(line), result) for line in relics]


def _relic_line(line: Headline) -> str:
    text = (
        f"relic ({line.policy}, {line.placement}): a round trip of {line.ns:.0f} ns, "
        f"{with_interval(line.of_floor, line.of_floor_ci95)} of the floor"
    )
    burst = ratio_text(line.burst_64_of_empty, line.burst_64_of_empty_ci95)
    return f"{text}; a task in a burst of 64 costs {burst} of it" if burst else text


def placement_text(placement: Placement) -> str:
    """Names a placement and its CPUs."""
    return f"{placement.kind}, CPUs {placement.main_cpu} and {placement.assistant_cpu}"


def bursts_of(result: Result) -> list[int]:
    """Returns the bursts that were asked for."""
    return [size for size in BURSTS if f"burst-{size}" in result.cases]


def instruction_lines(result: Result) -> list[str]:
    """Returns the instruction counts in one line, nothing without any."""
    if not result.instructions:
        return []
    counts = "; ".join(f"{i.case} {i.instructions_per_task:.1f}" for i in result.instructions)
    return [f"relic's submit and wait on the main thread, instructions a task: {counts}"]


def _placement_table(result: Result, placement: Placement) -> Table:
    shown = new_table(
        f"{placement_text(placement)}: ns of a round trip, its ratio to the floor ± half of ci95, "
        "ns of a task in a burst",
        "runtime",
    )
    shown.add_column("policy", no_wrap=True)
    for name in (EMPTY, "of floor", *map(str, bursts_of(result))):
        shown.add_column(name, justify="right", no_wrap=True)
    for runtime in result.runtimes:
        for at, policy in enumerate(result.settings.policies[runtime]):
            cells = _cells(result, runtime, policy, placement.kind)
            shown.add_row(flagged("" if at else runtime, result), policy, *cells)
    for missing in result.missing:
        shown.add_row(missing.runtime, "[dim]not installed[/dim]")
    return shown


def _cells(result: Result, runtime: str, policy: str, placement: str) -> list[str]:
    row = result.row(EMPTY, runtime, policy, placement)
    cells = [
        _number(result, EMPTY, runtime, policy, placement),
        _of_floor(row) if row else "",
    ]
    sizes = bursts_of(result)
    return cells + [_number(result, f"burst-{n}", runtime, policy, placement) for n in sizes]


def _of_floor(row: Row) -> str:
    text = ratio_text(row.of_floor, row.of_floor_ci95)
    return text if text == UNSURE else f"{text} ±{half_width(row.of_floor_ci95):.2f}"


def _number(result: Result, case: str, runtime: str, policy: str, placement: str) -> str:
    row = result.row(case, runtime, policy, placement)
    if row is None:
        failed = result.has_failed(case, runtime, policy, placement)
        return "[red]failed[/red]" if failed else ""
    return f"{row.ns:.0f}" if row.ns >= 100 else f"{row.ns:.1f}"
