"""The tables on the terminal."""

import os
import sys
from collections.abc import Sequence

from rich import box
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from finegrain_lab import statistics
from finegrain_lab.relic_kernels import KERNELS, SPIN_CASES
from finegrain_lab.results import Host, Lead, Result, Row

PIPE_WIDTH = 100  # of a table that goes to a file or a pipe
DETAIL_WIDTH = 135  # from here on the half width of each interval fits beside its speedup
BEST = "*"
# High over low end of the floor's middle range: 1.1 within one placement of the virtual CPUs here,
# 4 when the host moved them during the run.
UNSTEADY_FLOOR = 1.5


def make_console() -> Console:
    """Returns the console of standard output."""
    piped = not sys.stdout.isatty() and "COLUMNS" not in os.environ
    return Console(width=PIPE_WIDTH if piped else None)


def print_result(console: Console, result: Result) -> None:
    """Prints the header, the kernels' table, the break-even table and the footer."""
    detail = console.width >= DETAIL_WIDTH
    for line in header_lines(result):
        console.print(escape(line), highlight=False)
    kernels = [case for case in KERNELS if case in result.cases]
    spin = [case for case in SPIN_CASES if case in result.cases]
    if kernels:
        console.print(_kernel_table(result, kernels, detail))
    if spin:
        console.print(_spin_table(result, spin))
    for line in footer_lines(result):
        console.print(escape(line), highlight=False)


def header_lines(result: Result) -> list[str]:
    """Returns what must be known before a number is read."""
    host = result.host
    limit = "" if result.bound is None else f", bound of any runtime {result.bound:.3f}"
    low, high = statistics.middle_range(result.floor_samples)
    lines = [
        f"{result.experiment}, {result.mode}: {result.rounds} rounds in {result.seconds:.0f} s, "
        f"peers {result.settings.peers}",
        f"{host.cpu}, CPUs {host.used_cpus[0]} and {host.used_cpus[1]} "
        f"({siblings_text(host)}), {host.kernel}, governor {host.governor}"
        f"{', in a virtual machine' if host.hypervisor else ''}",
        f"floor {result.floor_ns:.0f} ns (one cache line there and back; {low:.0f} to {high:.0f} "
        f"in the middle 80 % of {len(result.floor_samples)} batches){limit}",
    ]
    if high > UNSTEADY_FLOOR * low:
        lines.append("the floor moved during the run: the host changed under it, see the intervals")
    relic, reference = result.summary_of("relic"), result.summary_of("relic-paper")
    if relic and result.bound:
        beside = f", {relic.geomean / reference.geomean:.2f} of relic-paper" if reference else ""
        lines.append(f"relic: {relic.geomean / result.bound:.2f} of the bound{beside}")
    return lines


def siblings_text(host: Host) -> str:
    """Says in words whether the two CPUs share a core."""
    if host.used_cpus_are_siblings is None:
        return "siblings or not: not exposed"
    return "SMT siblings" if host.used_cpus_are_siblings else "not SMT siblings"


def footer_lines(result: Result) -> list[str]:
    """Returns the legend, settings, notes, and what is missing or failed."""
    lines = [f"{BEST} best of its column; shared: share of the tasks that the other thread ran"]
    if leads := [lead for lead in result.leads if lead.case in KERNELS]:
        lines.append(
            "fastest runtime over the next, pair by pair: " + "; ".join(map(lead_text, leads))
        )
    by_settings: dict[str, list[str]] = {}
    for runtime, environment in result.settings.environment.items():
        if environment:
            text = " ".join(f"{name}={value}" for name, value in environment.items())
            by_settings.setdefault(text, []).append(runtime)
    lines += [f"{', '.join(names)}: {text}" for text, names in by_settings.items()]
    lines += [f"{name}: {note}" for name, notes in result.notes.items() for note in notes]
    lines += [f"{line.runtime}: not installed: {line.how_to_get}" for line in result.missing]
    lines += [f"{line.runtime}: failed on {line.case}: {line.reason}" for line in result.failed]
    return lines


def lead_text(lead: Lead) -> str:
    """Says by how much a case's fastest runtime leads."""
    low, high = lead.ci95
    return (
        f"{lead.case} {lead.runtime} {lead.ratio:.2f} of {lead.runner_up} [{low:.2f}, {high:.2f}]"
    )


def best_of(values: Sequence[float | None]) -> float | None:
    """Returns the largest value of a column."""
    return max((value for value in values if value is not None), default=None)


def _kernel_table(result: Result, kernels: Sequence[str], detail: bool) -> Table:
    table = _table("speedup over serial, median of pairs" + (" ± half of ci95" if detail else ""))
    for name in (*kernels, "geomean", "no neg.", "shared"):
        table.add_column(name, justify="right", no_wrap=True)
    best = {case: _best_speedup(result, case) for case in kernels}
    best_geomean = best_of([line.geomean for line in result.summary])
    best_no_negative = best_of([line.geomean_no_negative for line in result.summary])
    for runtime in result.runtimes:
        cells = [_cell(result, case, runtime, best[case], detail) for case in kernels]
        if line := result.summary_of(runtime):
            cells += [
                _number(line.geomean, best_geomean),
                _number(line.geomean_no_negative, best_no_negative),
                f"{line.offloaded_share:.0%}",
            ]
        table.add_row(runtime, *cells)
    for missing in result.missing:
        table.add_row(f"{missing.runtime}\n[dim]not installed[/dim]")
    return table


def _spin_table(result: Result, spin: Sequence[str]) -> Table:
    table = _table("speedup over serial of tasks of one length")
    for case in spin:
        table.add_column(case.removeprefix("spin-"), justify="right", no_wrap=True)
    table.add_column("pays from", justify="right", no_wrap=True)
    best = {case: _best_speedup(result, case) for case in spin}
    for runtime in result.runtimes:
        cells = [_cell(result, case, runtime, best[case], detail=False) for case in spin]
        table.add_row(runtime, *cells, pays_from(result, runtime))
    return table


def pays_from(result: Result, runtime: str) -> str:
    """Returns the task length from which on a runtime beats serial, or a dash."""
    rows = [result.row(case, runtime) for case in SPIN_CASES if case in result.cases]
    first = statistics.first_that_pays({row.case: row.speedup for row in rows if row})
    return first.removeprefix("spin-") if first else "-"


def _table(title: str) -> Table:
    table = Table(title=title, title_justify="left", box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0))
    table.add_column("runtime", no_wrap=True)
    return table


def _best_speedup(result: Result, case: str) -> float | None:
    return best_of([row.speedup for row in result.results if row.case == case])


def _cell(result: Result, case: str, runtime: str, best: float | None, detail: bool) -> str:
    row = result.row(case, runtime)
    if row is None:
        return "[red]failed[/red]" if result.has_failed(case, runtime) else ""
    number = _number(row.speedup, best)
    return f"{number} ±{half_width(row):.2f}" if detail else number


def half_width(row: Row) -> float:
    """Returns half the width of the speedup's interval."""
    return (row.ci95[1] - row.ci95[0]) / 2


def _number(value: float, best: float | None) -> str:
    return f"[bold green]{value:.2f}{BEST}[/bold green]" if value == best else f"{value:.2f} "
