# SPDX-License-Identifier: Apache-2.0
"""The memory orders that the shipped headers name, and those that an exploration has exercised."""

import re
import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from .errors import ModelError

# In a comment or a string, an order is only mentioned.
_SPOKEN_OF = re.compile(r'//[^\n]*|"(?:\\.|[^"\\\n])*"')
_ORDER = re.compile(r"\bmemory_order_(relaxed|acquire|release|acq_rel|seq_cst)\b")
_PLACE = re.compile(r"(?P<file>.+):(?P<line>\d+) (?P<order>\w+)")


@dataclass(frozen=True)
class NamedOrder:
    """One memory order in a header, and the lines of the call that it is an argument of."""

    file: str  # below the folder of the headers
    line: int
    order: str
    first_line: int
    last_line: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line} {self.order}"


@dataclass(frozen=True)
class MetOrder:
    """An operation that an exploration has performed."""

    file: str
    line: int
    order: str


def named_orders(headers: Path) -> list[NamedOrder]:
    """Returns all that the headers below a folder name, except in comments."""
    return [
        order
        for file in sorted(headers.rglob("*.hpp"))
        for order in _orders_of(file.relative_to(headers).as_posix(), file.read_text("utf-8"))
    ]


def met_orders(places: Iterable[Path], headers: str) -> set[MetOrder]:
    """Returns what the models' `--places` files say about the files below a folder.

    Raises ModelError for a line that no model has written.
    """
    met = set()
    for path in places:
        for line in path.read_text("utf-8").splitlines():
            place = _PLACE.fullmatch(line)
            if place is None:
                raise ModelError(f"{path}: not a place: {line}")
            _, found, file = place["file"].rpartition(f"{headers}/")
            if found:
                met.add(MetOrder(file, int(place["line"]), place["order"]))
    return met


def not_exercised(named: Iterable[NamedOrder], met: set[MetOrder]) -> list[NamedOrder]:
    """Returns those that no exploration has exercised."""
    return [
        each
        for each in named
        if not any(
            MetOrder(each.file, line, each.order) in met
            for line in range(each.first_line, each.last_line + 1)
        )
    ]


def reasons(path: Path) -> dict[str, str]:
    """Returns why files, by their path, are not modelled.

    Raises ModelError where a reason is no text.
    """
    table = tomllib.loads(path.read_text("utf-8"))
    for file, reason in table.items():
        if not isinstance(reason, str) or not reason:
            raise ModelError(f"{path}: {file}: a reason is needed")
    return table


def _orders_of(file: str, text: str) -> Iterator[NamedOrder]:
    code = _SPOKEN_OF.sub(lambda found: " " * len(found[0]), text)
    for found in _ORDER.finditer(code):
        begin, end = _call_around(code, found.start())
        yield NamedOrder(
            file,
            _line_at(code, found.start()),
            found[1],
            _line_at(code, begin),
            _line_at(code, end),
        )


def _line_at(code: str, position: int) -> int:
    return code.count("\n", 0, position) + 1


def _call_around(code: str, position: int) -> tuple[int, int]:
    """The innermost parentheses around a position, from the beginning of the statement."""
    begin, depth = position, 1
    while begin > 0 and depth > 0:
        begin -= 1
        depth += {")": 1, "(": -1}.get(code[begin], 0)
    end, depth = position, 1
    while end < len(code) - 1 and depth > 0:
        end += 1
        depth += {"(": 1, ")": -1}.get(code[end], 0)
    # `object\n.load(`: the object may be on a line of its own.
    statement = max(code.rfind(mark, 0, begin) for mark in ";{}") + 1
    return statement + len(code[statement:]) - len(code[statement:].lstrip()), end
