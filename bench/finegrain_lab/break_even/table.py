# SPDX-License-Identifier: Apache-2.0
"""The tables on the terminal, and the words that the report shares with them."""

from rich.console import Console
from rich.table import Table

from finegrain_lab import table
from finegrain_lab.break_even.cases import ADAPTIVE, ALWAYS, GRAINS_NS, RATIOS, RUNTIMES, grain_text
from finegrain_lab.break_even.results import Result, Row
from finegrain_lab.ratios import flagged, ratio_text
from finegrain_lab.table import new_table, print_lines

SHORT = {ALWAYS: "always", ADAPTIVE: "adaptive"}


def print_result(console: Console, result: Result) -> None:
    """Prints the header, a table of speedups, the changing sites and the footer."""
    print_lines(console, header_lines(result))
    if ratios := ratios_of(result):
        console.print(_grain_table(result, ratios))
    if changes := changes_of(result):
        console.print(_change_table(result, changes))
    print_lines(console, table.footer_lines(result))


def ratios_of(result: Result) -> list[str]:
    """Returns the ratios that have sites of one grain."""
    return [ratio for ratio in RATIOS if result.steady(ratio, ALWAYS)]


def changes_of(result: Result) -> list[str]:
    """Returns the cases of changing sites that were measured."""
    cases = [case for case in result.cases if case.startswith("change-")]
    return [case for case in cases if is_whole(result, case)]


def is_whole(result: Result, case: str) -> bool:
    """Says whether the case has a row of each runtime."""
    return all(result.row(case, runtime) for runtime in RUNTIMES)


def header_lines(result: Result) -> list[str]:
    """Returns what must be known before a number is read, and the answers in a line each."""
    found = "; ".join(f"{r} {break_even_text(result, r)}" for r in result.break_even_ns)
    lines = table.header_lines(result)
    if found:
        lines.append(flagged(f"handing over pays from (the shorter branch): {found}", result))
    return lines + [flagged(line, result) for line in adaptive_lines(result)]


def adaptive_lines(result: Result) -> list[str]:
    """Says how the controller does where it does worst, and how often it decides wrongly."""
    rows = [row for ratio in RATIOS for row in result.steady(ratio, ADAPTIVE)]
    lines = []
    if rows:
        serial = min(rows, key=lambda row: row.speedup)
        oracle = min(rows, key=lambda row: row.of_oracle or 0.0)
        lines.append(
            f"adaptive at its worst: {ratio_text(serial.speedup, serial.ci95)} of serial "
            f"({serial.case}), {_of_oracle(oracle)} of the oracle ({oracle.case})"
        )
    wrong = result.wrong_share
    if wrong.overall is not None:
        worst = max(wrong.cases, key=lambda case: wrong.cases[case])
        most = f"; most in {worst}, {wrong.cases[worst]:.2%}" if wrong.cases[worst] > 0 else ""
        lines.append(
            f"wrong decisions: {wrong.overall:.2%} over the {len(wrong.cases)} cases where serial "
            f"and always differ by more than {wrong.margin:.0%}{most}"
        )
    return lines


def break_even_text(result: Result, ratio: str) -> str:
    """Returns a ratio's break-even grain in words."""
    grain_ns = result.break_even_ns[ratio]
    if grain_ns is None:
        return "never, as far as measured"
    grains = [row.grain_ns for row in result.steady(ratio, ALWAYS)]
    is_least = bool(grains) and grain_ns <= grains[0]
    return f"{grain_text(grains[0])} or less" if is_least else f"{grain_ns:.0f} ns"


def _grain_table(result: Result, ratios: list[str]) -> Table:
    grains = [g for g in GRAINS_NS if any(_row(result, r, ALWAYS, g) for r in ratios)]
    shown = new_table("speedup over serial by grain (the shorter branch)", "ratio")
    shown.add_column("runtime", no_wrap=True)
    for grain in grains:
        shown.add_column(grain_text(grain), justify="right", no_wrap=True)
    for ratio in ratios:
        for runtime in RUNTIMES:
            rows = [_row(result, ratio, runtime, grain) for grain in grains]
            cells = [ratio_text(row.speedup, row.ci95) if row else "" for row in rows]
            shown.add_row(
                flagged("" if runtime != ALWAYS else ratio, result),
                SHORT.get(runtime, runtime),
                *cells,
            )
        rows = [_row(result, ratio, ADAPTIVE, grain) for grain in grains]
        shown.add_row(
            flagged("", result), "of oracle", *(_of_oracle(row) for row in rows), end_section=True
        )
    return shown


def _change_table(result: Result, cases: list[str]) -> Table:
    shown = new_table("sites whose grain changes, speedup over serial", "case")
    for name in ("always", "adaptive", "oracle", "of oracle", "handed over"):
        shown.add_column(name, justify="right", no_wrap=True)
    for case in cases:
        rows = [row for runtime in RUNTIMES if (row := result.row(case, runtime))]
        speedups = [ratio_text(row.speedup, row.ci95) for row in rows]
        adaptive = rows[RUNTIMES.index(ADAPTIVE)]
        shown.add_row(
            flagged(case, result),
            *speedups,
            _of_oracle(adaptive),
            f"{adaptive.offloaded_share:.0%}",
        )
    return shown


def _of_oracle(row: Row | None) -> str:
    return ratio_text(row.of_oracle, row.of_oracle_ci95) if row else ""


def _row(result: Result, ratio: str, runtime: str, grain_ns: float) -> Row | None:
    found = (row for row in result.steady(ratio, runtime) if row.grain_ns == grain_ns)
    return next(found, None)
