# SPDX-License-Identifier: Apache-2.0
"""A result on the terminal."""

from collections.abc import Mapping

from rich.console import Console
from rich.table import Table as RichTable

from finegrain_lab.run.drop_in import shown_name
from finegrain_lab.run.experiment import Experiment
from finegrain_lab.show import table
from finegrain_lab.show.measurements import measurements_of
from finegrain_lab.show.ratios import flagged
from finegrain_lab.show.result import Result
from finegrain_lab.show.serial import unbeaten_cases, unbeaten_lines
from finegrain_lab.show.tables import UNSURE, AnyCell, Statements, Table, statement_lines
from finegrain_lab.show.units import spelled

# Characters beside a name of 22: within the width of a pipe. No column is taken to be narrower than
# its cells may be. A dense table has what the terminal has, and half of each interval if that fits.
WIDTH = 72
LEAST_COLUMN, GAP = 10, 2
BEST = "*"
FLAG = 2  # characters ahead of the first cell, of a disturbed result


def print_result(console: Console, experiment: Experiment, result: Result) -> None:
    """Prints what must be known ahead, the tables, what the paper says, and the footer."""
    table.print_lines(console, header_lines(experiment, result))
    parts = [part for section in experiment.sections(result) for part in section.parts]
    tables = [it for it in parts if isinstance(it, Table) and it.on_terminal and it.lines]
    for part in tables:
        half = part.is_dense and len(_columns(part, console.width, half=True)) == 1
        for columns in _columns(part, console.width, half=half):
            console.print(_rich(part, columns, result, half=half))
    if any(_is_best(cell) for it in tables for line in it.lines for cell in line):
        table.print_lines(console, [f"{BEST} best of its column"])
    table.print_lines(console, unbeaten_lines(unbeaten_cases(measurements_of(experiment, result))))
    for part in parts:
        if isinstance(part, Statements) and part.on_terminal:
            table.print_lines(console, statement_lines(part))
    table.print_lines(console, [f"the paper: {line}" for line in experiment.paper])
    table.print_lines(console, footer_lines(experiment, result))


def table_of_all(results: Mapping[str, Result], failed: Mapping[str, str]) -> RichTable:
    """Returns the table of a run of all: its results, and what has none, by name."""
    shown = table.new_table("all experiments", "")
    for column in ("rounds", "seconds", "failed"):
        shown.add_column(column, justify="right")
    for name, result in results.items():
        shown.add_row(name, str(result.rounds), f"{result.seconds:.0f}", str(len(result.failed)))
    for name in failed:
        shown.add_row(name, "", "", "[red]all[/red]")
    return shown


def header_lines(experiment: Experiment, result: Result) -> list[str]:
    """Returns what must be known before a number is read, and the experiment's own words."""
    return table.header_lines(result, _setting_text(result)) + experiment.header(result)


def footer_lines(experiment: Experiment, result: Result) -> list[str]:
    """Returns the experiment's own last words, the notes, and what is missing or failed."""
    return experiment.footer(result) + table.footer_lines(result)


def _setting_text(result: Result) -> str:
    """Returns what of the settings ends the line of the run."""
    told = {
        "peers": ", peers {}",
        "allocator": ", malloc of {}",
        "numa_binding": ", threads not tied to CPUs",
    }
    usual = {"allocator": "glibc", "numa_binding": "on"}
    return "".join(
        text.format(result.settings[name])
        for name, text in told.items()
        if name in result.settings and result.settings[name] != usual.get(name)
    )


def _columns(part: Table, width: int, *, half: bool = False) -> list[list[int]]:
    """Returns the columns of numbers, those in one list that fit beside each other."""
    texts = [[_lines_of(cell, half=half) for cell in line] for line in (part.heads, *part.lines)]
    widths = [
        max(len(word) for line in texts for word in line[at]) for at in range(len(part.heads))
    ]
    columns = range(part.names, len(part.heads))
    if sum(widths[at] + GAP for at in columns) <= WIDTH:
        return [list(columns)]
    least, whole = LEAST_COLUMN, WIDTH
    if part.is_dense:
        least, whole = 0, width - FLAG - 1 - sum(each + GAP for each in widths[: part.names])
    found: list[list[int]] = []
    room = 0
    for at in columns:
        wanted = max(least, widths[at]) + GAP
        if wanted > room:
            found.append([])
            room = whole
        found[-1].append(at)
        room -= wanted
    return found or [[]]


def _rich(part: Table, columns: list[int], result: Result, *, half: bool) -> RichTable:
    shown = table.new_table(spelled(part.title), part.heads[0])
    for head in part.heads[1 : part.names]:
        shown.add_column(head, no_wrap=True)
    for at in columns:
        shown.add_column(part.heads[at], justify="right", no_wrap=True)
    starred = {at for at in columns if any(_is_best(line[at]) for line in part.lines)}
    for line in part.lines:
        names = [shown_name(_text(cell)) for cell in line[: part.names]]
        cells = [_marked(line[at], half=half, is_starred=at in starred) for at in columns]
        if any(cells) or not columns:
            shown.add_row(flagged(names[0], result), *names[1:], *cells)
    return shown


def _lines_of(cell: AnyCell, *, half: bool) -> list[str]:
    return _text(cell, half=half).split("\n")


def _text(cell: AnyCell, *, half: bool = False, is_starred: bool = False) -> str:
    """Returns a cell's text, with half of its interval if that is wanted."""
    if isinstance(cell, str):
        return cell
    text = cell.text + (BEST if cell.is_best else " " if is_starred else "")
    if not half or cell.ci95 is None or cell.text == UNSURE:
        return text
    return f"{text} \N{PLUS-MINUS SIGN}{table.half_width(cell.ci95):.{cell.digits}f}"


def _marked(cell: AnyCell, *, half: bool, is_starred: bool) -> str:
    text = _text(cell, half=half, is_starred=is_starred)
    if isinstance(cell, str):
        return text
    style = "red" if cell.is_failed else "bold green" if cell.is_best else ""
    return f"[{style}]{text}[/{style}]" if style else text


def _is_best(cell: AnyCell) -> bool:
    return not isinstance(cell, str) and cell.is_best
