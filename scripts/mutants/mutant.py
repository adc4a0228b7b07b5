# SPDX-License-Identifier: Apache-2.0
"""A mutant: one change in a header."""

from dataclasses import dataclass
from pathlib import Path

from .errors import MutantError


@dataclass(frozen=True)
class Mutant:
    """A header of the library with `before` replaced by `after` in one place."""

    file: str  # relative to include/finegrain
    offset: int
    before: str
    after: str
    line: int
    text: str  # the line, stripped: identifies the reason for survival
    label: str  # what was changed, in a few words
    checks: tuple[str, ...] = ()  # the checks that must find it; empty: the models that execute it

    def __str__(self) -> str:
        return f"{self.file}:{self.line} {self.label}"

    def write(self, headers: Path) -> None:
        """Changes a copy of the headers.

        Raises MutantError where the copy is not what the mutant was made for.
        """
        path = headers / self.file
        text = path.read_text("utf-8")
        if not text.startswith(self.before, self.offset):
            raise MutantError(f"{self}: there is no '{self.before}'")
        path.write_text(
            text[: self.offset] + self.after + text[self.offset + len(self.before) :], "utf-8"
        )


def place_of(text: str, offset: int) -> tuple[int, str]:
    """Returns the number and the text of the line at an offset."""
    begin = text.rfind("\n", 0, offset) + 1
    return text.count("\n", 0, offset) + 1, text[begin:].split("\n", 1)[0].strip()
