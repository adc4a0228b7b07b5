# SPDX-License-Identifier: Apache-2.0
"""What a result is shown as: sections of tables, figures and text, wherever that is."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Callable, List, Mapping, Optional, Sequence, Tuple, Union

from finegrain_lab.show.figures import Figure

Interval = Tuple[float, float]
UNSURE = "noisy"  # what stands in place of a ratio whose interval is wider than the ratio itself


@dataclass(frozen=True)
class Cell:
    """A cell of a table, a number with its interval for instance."""

    text: str
    ci95: Optional[Interval] = None
    digits: int = 2  # of the interval
    is_best: bool = False  # of its column
    is_failed: bool = False


FAILED = Cell("failed", is_failed=True)
AnyCell = Union[str, Cell]
Names = Union[str, Tuple[str, ...]]


@dataclass(frozen=True)
class Table:
    """A table: its first columns name a line."""

    title: str
    heads: Sequence[str]
    lines: Sequence[Sequence[AnyCell]]
    names: int = 1  # how many columns name a line
    on_terminal: bool = True
    on_page: bool = True
    # Many narrow columns: on the terminal they stand beside each other as far as it is wide.
    is_dense: bool = False


@dataclass(frozen=True)
class Statement:
    """What a paper's text states, beside what is so here. Nothing is read off a figure."""

    what: str
    paper: str
    here: str


@dataclass(frozen=True)
class Statements:
    """Some of them."""

    title: str  # which paper, and where in it
    first: str  # what they are of
    lines: Sequence[Statement]
    on_terminal: bool = True


Part = Union[Table, Figure, Statements, str]  # str: a paragraph, on the page only


@dataclass(frozen=True)
class Section:
    """Parts under a heading; without one they belong to the section before."""

    heading: str
    parts: Sequence[Part] = field(default_factory=list)


def grid(
    result: Any,
    title: str,
    first: Names,
    columns: Mapping[str, Mapping[str, Any]],
    cell: Callable[[Any], AnyCell],
    lines: Optional[Mapping[Any, Mapping[str, Any]]] = None,
    on_terminal: bool = True,
) -> Table:
    """Returns a table of a line a runtime, or of these lines, and of a column for each of these.

    Lines and columns are fields of rows under a name each; together they have to tell a row from
    others. Where there is no row the cell says so if the slot failed, else nothing. Lines that more
    than one column names have tuples of names, as has `first`.
    """
    if lines is None:
        lines = {name: {"runtime": name} for name in result.runtimes}
    return Table(
        title,
        [*_names(first), *columns],
        [
            [*_names(name), *(result.at(cell, **fields, **column) for column in columns.values())]
            for name, fields in lines.items()
        ],
        names=len(_names(first)),
        on_terminal=on_terminal,
    )


def _names(names: Names) -> Sequence[str]:
    return (names,) if isinstance(names, str) else names


def is_sure(ratio: float, ci95: Interval) -> bool:
    """Says whether the interval is no wider than the ratio itself."""
    return ci95[1] - ci95[0] <= ratio


def ratio_text(ratio: Optional[float], ci95: Optional[Interval], digits: int = 2) -> str:
    """Returns the ratio for a reader; nothing of none."""
    if ratio is None or ci95 is None:
        return ""
    return f"{ratio:.{digits}f}" if is_sure(ratio, ci95) else UNSURE


def with_interval(ratio: float, ci95: Interval) -> str:
    """Returns the ratio and its interval."""
    low, high = ci95
    return f"{ratio_text(ratio, ci95)} [{low:.2f}, {high:.2f}]"


def ratio(name: str, digits: int = 2) -> Callable[[Any], AnyCell]:
    """Returns what makes a cell of this ratio of a row."""

    def cell(row: Any) -> AnyCell:
        value, ci95 = row[name], row[f"{name}_ci95"]
        return "" if value is None else Cell(ratio_text(value, ci95, digits), ci95, digits)

    return cell


def number(name: str) -> Callable[[Any], AnyCell]:
    """Returns what makes a cell of this number of a row, to three digits at least."""
    return lambda row: Cell(number_text(row[name]), row[f"{name}_ci95"], digits_of(row[name]))


def number_text(value: float) -> str:
    """Returns a number to three digits at least."""
    return f"{value:,.{digits_of(value)}f}"


def digits_of(value: float) -> int:
    """Returns how many digits behind the point make three in all, or two of a number below 1."""
    return 2 if value < 10 else 1 if value < 100 else 0


def statement_lines(statements: Statements) -> List[str]:
    """Returns them for the terminal."""
    return [f"{it.what}: the paper {it.paper}; here {it.here}" for it in statements.lines]
