# SPDX-License-Identifier: Apache-2.0
"""What the tables on the terminal share: the console, and the lines above and below."""

import os
import sys
from typing import Any

from rich import box
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from finegrain_lab.run.beside import disturbance
from finegrain_lab.run.host import Host
from finegrain_lab.show import statistics
from finegrain_lab.show.ratios import LEGEND, MARK_LEGEND, is_disturbed
from finegrain_lab.show.units import spelled

PIPE_WIDTH = 100  # of a table that goes to a file or a pipe
# High over low end of the floor's middle range: 1.1 within one placement of the virtual CPUs here,
# 4 when the host moved them during the run.
UNSTEADY_FLOOR = 1.5


def make_console() -> Console:
    """Returns the console of standard output."""
    piped = not sys.stdout.isatty() and "COLUMNS" not in os.environ
    return Console(width=PIPE_WIDTH if piped else None)


def print_lines(console: Console, lines: list[str]) -> None:
    """Prints text that may come from elsewhere: nothing in it is markup."""
    for line in lines:
        console.print(escape(spelled(line)), highlight=False)


def header_lines(result: Any, setting: str = "") -> list[str]:
    """Returns what must be known before a number is read; `setting` ends the line of the run."""
    host = result.host
    low, high = statistics.middle_range(result.floor_samples)
    lines = [
        f"{result.experiment}, {result.mode}: {result.rounds} rounds in {result.seconds:.0f} s"
        f"{_resumed_text(result)}{setting}",
        f"{host.cpu}, CPUs {host.used_cpus[0]} and {host.used_cpus[1]} "
        f"({siblings_text(host)}), {host.kernel}, governor {host.governor}"
        f"{', in a virtual machine' if host.hypervisor else ''}",
        f"floor {result.floor_ns:.0f} ns (one cache line there and back; {low:.0f} to {high:.0f} "
        f"in the middle 80 % of {len(result.floor_samples)} batches)",
    ]
    if text := disturbance(result.beside):
        lines.append(f"DISTURBED: {text}: these numbers are not to be quoted")
    if result.beside and result.beside.left_out:
        count = result.beside.left_out
        lines.append(f"rounds that are left out, as something else ran beside them: {count}")
    if floor_moved(result):
        lines.append(f"the floor moved during the run: {_mover(result)}, see the intervals")
    if result.beside is None:
        lines.append("what else ran on these CPUs was not recorded")
    return lines


def floor_moved(result: Any) -> bool:
    """Says whether the floor was not the same during the run."""
    low, high = statistics.middle_range(result.floor_samples)
    return high > UNSTEADY_FLOOR * low


def _mover(result: Any) -> str:
    """Says what moved the floor: the host, where nothing else did."""
    if is_disturbed(result):
        return "something else ran beside it"
    return "the host changed under it" if result.beside else "nothing tells what did"


def _resumed_text(result: Any) -> str:
    times = "once" if result.resumed == 1 else f"{result.resumed} times"
    return f", ended {times} and gone on" if result.resumed else ""


def footer_lines(result: Any) -> list[str]:
    """Returns the legend that all tables share, the notes, and what is missing or failed."""
    lines = [LEGEND, *([MARK_LEGEND] if is_disturbed(result) else [])]
    lines += [f"{name}: {note}" for name, notes in result.notes.items() for note in notes]
    lines += [f"{line.runtime}: not installed: {line.how_to_get}" for line in result.missing]
    lines += [failure.told() for failure in result.failed]
    return lines


def siblings_text(host: Host) -> str:
    """Says in words whether the two CPUs share a core."""
    if host.used_cpus_are_siblings is None:
        return "siblings or not: not exposed"
    return "SMT siblings" if host.used_cpus_are_siblings else "not SMT siblings"


def new_table(title: str, first: str) -> Table:
    """Returns an empty table with the column that names its rows."""
    table = Table(title=title, title_justify="left", box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0))
    table.add_column(first, no_wrap=True)
    return table


def half_width(interval: tuple[float, float]) -> float:
    """Returns half the width of an interval."""
    return (interval[1] - interval[0]) / 2
