# SPDX-License-Identifier: Apache-2.0
"""The tables on the terminal."""

from collections.abc import Sequence

from rich.console import Console
from rich.table import Table

from finegrain_lab import statistics, table
from finegrain_lab.ratios import UNSURE, flagged, is_disturbed, is_sure, with_interval
from finegrain_lab.relic_kernels import means
from finegrain_lab.relic_kernels.cases import KERNELS, SPIN_CASES
from finegrain_lab.relic_kernels.measurements import measurements_of
from finegrain_lab.relic_kernels.results import Lead, Result, Summary
from finegrain_lab.serial import unbeaten_cases, unbeaten_lines
from finegrain_lab.table import half_width, new_table, print_lines

DETAIL_WIDTH = 135  # from here on the half width of each interval fits beside its speedup
BEST = "*"


def print_result(console: Console, result: Result) -> None:
    """Prints the header, the kernels' table, the break-even table and the footer."""
    detail = console.width >= DETAIL_WIDTH
    print_lines(console, header_lines(result))
    kernels = [case for case in KERNELS if case in result.cases]
    spin = [case for case in SPIN_CASES if case in result.cases]
    if kernels:
        console.print(_kernel_table(result, kernels, detail))
    if spin:
        console.print(_spin_table(result, spin))
    print_lines(console, footer_lines(result))


def header_lines(result: Result) -> list[str]:
    """Returns what must be known before a number is read."""
    limit = "" if result.bound is None else f", bound of any runtime {result.bound:.3f}"
    lines = table.header_lines(result, f", peers {result.settings.peers}", limit)
    of_bound = means.of_bound(result, "relic")
    if of_bound:
        of_paper = means.over(result, "relic", "relic-paper")
        beside = f", {of_paper.told} of relic-paper" if of_paper else ""
        text = f"relic, pair by pair: {of_bound.told} of the bound{beside}"
        lines.append(flagged(text, result))
    return lines


def footer_lines(result: Result) -> list[str]:
    """Returns the legend, settings, notes, and what is missing or failed."""
    lines = [f"{BEST} best of its column; shared: share of the tasks that the other thread ran"]
    if leads := leads_of(result):
        lines.append(
            "fastest runtime over the next, pair by pair: "
            + "; ".join(flagged(lead_text(lead), result) for lead in leads)
        )
    lines += unbeaten_lines(unbeaten_cases(measurements_of(result)))
    by_settings: dict[str, list[str]] = {}
    for runtime, environment in result.settings.environment.items():
        if environment:
            text = " ".join(f"{name}={value}" for name, value in environment.items())
            by_settings.setdefault(text, []).append(runtime)
    lines += [f"{', '.join(names)}: {text}" for text, names in by_settings.items()]
    return lines + table.footer_lines(result)


def leads_of(result: Result) -> list[Lead]:
    """Returns who leads on the kernels: without those on which nobody surely beats serial."""
    unbeaten = {each.case for each in unbeaten_cases(measurements_of(result))}
    return [lead for lead in result.leads if lead.case in KERNELS and lead.case not in unbeaten]


def lead_text(lead: Lead) -> str:
    """Says by how much a case's fastest runtime leads."""
    return f"{lead.case} {lead.runtime} {with_interval(lead.ratio, lead.ci95)} of {lead.runner_up}"


def best_of(result: Result, values: Sequence[float]) -> float | None:
    """Returns the largest value of a column; where something else ran, none is the best."""
    return None if is_disturbed(result) else max(values, default=None)


def _kernel_table(result: Result, kernels: Sequence[str], detail: bool) -> Table:
    title = "speedup over serial, median of pairs" + (" ± half of ci95" if detail else "")
    shown = new_table(title, "runtime")
    for name in (*kernels, "geomean", "no neg.", "shared"):
        shown.add_column(name, justify="right", no_wrap=True)
    best = {case: best_speedup(result, case) for case in kernels}
    known = [line for line in result.summary if _is_known(result, line)]
    best_geomean = best_of(result, [line.geomean for line in known])
    best_no_negative = best_of(result, [line.geomean_no_negative for line in known])
    for runtime in result.runtimes:
        cells = [_cell(result, case, runtime, best[case], detail) for case in kernels]
        if line := result.summary_of(runtime):
            cells += [
                _number(line.geomean, best_geomean) if line in known else UNSURE,
                _number(line.geomean_no_negative, best_no_negative) if line in known else UNSURE,
                f"{line.offloaded_share:.0%}",
            ]
        shown.add_row(flagged(runtime, result), *cells)
    for missing in result.missing:
        shown.add_row(f"{missing.runtime}\n[dim]not installed[/dim]")
    return shown


def _is_known(result: Result, line: Summary) -> bool:
    mean = means.speedup(result, line.runtime)
    return mean is not None and is_sure(mean.value, mean.ci95)


def _spin_table(result: Result, spin: Sequence[str]) -> Table:
    shown = new_table("speedup over serial of tasks of one length", "runtime")
    for case in spin:
        shown.add_column(case.removeprefix("spin-"), justify="right", no_wrap=True)
    shown.add_column("pays\nfrom", justify="right", no_wrap=True)
    best = {case: best_speedup(result, case) for case in spin}
    for runtime in result.runtimes:
        cells = [_cell(result, case, runtime, best[case], detail=False) for case in spin]
        shown.add_row(flagged(runtime, result), *cells, pays_from(result, runtime))
    return shown


def pays_from(result: Result, runtime: str) -> str:
    """Returns the task length from which on a runtime beats serial, or a dash."""
    rows = [result.row(case, runtime) for case in SPIN_CASES if case in result.cases]
    first = statistics.first_that_pays({row.case: row.speedup for row in rows if row})
    return first.removeprefix("spin-") if first else "-"


def best_speedup(result: Result, case: str) -> float | None:
    """Returns the best of the case, of what is known."""
    rows = [row for row in result.results if row.case == case and is_sure(row.speedup, row.ci95)]
    return best_of(result, [row.speedup for row in rows])


def _cell(result: Result, case: str, runtime: str, best: float | None, detail: bool) -> str:
    row = result.row(case, runtime)
    if row is None:
        return "[red]failed[/red]" if result.has_failed(case, runtime) else ""
    if not is_sure(row.speedup, row.ci95):
        return UNSURE
    number = _number(row.speedup, best)
    return f"{number} ±{half_width(row.ci95):.2f}" if detail else number


def _number(value: float, best: float | None) -> str:
    return f"[bold green]{value:.2f}{BEST}[/bold green]" if value == best else f"{value:.2f} "
