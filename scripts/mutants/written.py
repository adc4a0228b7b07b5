# SPDX-License-Identifier: Apache-2.0
"""Hand-written mutants, and the reasons why some survive: tables in tests/mutants."""

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from .errors import MutantError
from .mutant import Mutant, place_of

_Row = TypeVar("_Row", bound=BaseModel)


class _Change(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    file: str
    what: str
    before: str
    after: str
    checks: tuple[str, ...]


class Survivor(BaseModel):
    """Why a mutant is equivalent to the original, or beyond what is checked."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    file: str
    line: str  # the text of its line
    mutation: str
    reason: str

    def explains(self, mutant: Mutant) -> bool:
        """Whether this is the mutant's reason."""
        return (self.file, self.line, self.mutation) == (mutant.file, mutant.text, mutant.label)


@dataclass(frozen=True)
class Survivors:
    """All reasons."""

    reasons: Sequence[Survivor]

    def reason_for(self, mutant: Mutant) -> str | None:
        """Returns why a mutant may survive; None if it may not."""
        return next((each.reason for each in self.reasons if each.explains(mutant)), None)

    def without_mutant(self, mutants: Sequence[Mutant]) -> list[Survivor]:
        """Returns the reasons for mutants that no longer exist."""
        return [each for each in self.reasons if not any(each.explains(one) for one in mutants)]


def written_mutants(table: Path, headers: Path) -> list[Mutant]:
    """Returns the mutants of a table.

    Raises MutantError where one does not fit to the headers.
    """
    return [_mutant_of(change, headers) for change in _changes(table)]


def survivors(table: Path) -> Survivors:
    """Returns the reasons of a table."""
    return Survivors([_checked(Survivor, row, table) for row in _rows(table, "survivor")])


def _changes(table: Path) -> list[_Change]:
    return [_checked(_Change, row, table) for row in _rows(table, "mutant")]


def _rows(table: Path, name: str) -> list[dict[str, Any]]:
    rows = tomllib.loads(table.read_text("utf-8")).get(name, [])
    if not isinstance(rows, list):
        raise MutantError(f"{table}: [[{name}]] is wanted")
    return rows


def _checked(kind: type[_Row], row: dict[str, Any], table: Path) -> _Row:
    try:
        return kind.model_validate(row)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        raise MutantError(f"{table}: {where}: {first['msg']}: {row}") from error


def _mutant_of(change: _Change, headers: Path) -> Mutant:
    text = (headers / change.file).read_text("utf-8")
    if text.count(change.before) != 1:
        raise MutantError(
            f"{change.file}: '{change.before}' is there {text.count(change.before)} times, not once"
        )
    offset = text.index(change.before)
    line, said = place_of(text, offset)
    return Mutant(
        change.file, offset, change.before, change.after, line, said, change.what, change.checks
    )
