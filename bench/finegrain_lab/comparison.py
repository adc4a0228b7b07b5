# SPDX-License-Identifier: Apache-2.0
"""What a paper's text states, beside what is so here."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Comparison:
    """One statement. Nothing is read off a figure."""

    what: str
    paper: str
    here: str


def comparison_lines(comparisons: Sequence[Comparison]) -> list[str]:
    """Returns them for the terminal."""
    return [f"{line.what}: the paper {line.paper}; here {line.here}" for line in comparisons]
