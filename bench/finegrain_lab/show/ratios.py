# SPDX-License-Identifier: Apache-2.0
"""How a ratio is written: no number where nothing is known, a mark where something else ran."""

from typing import Any

from finegrain_lab.run.beside import disturbance
from finegrain_lab.show.tables import UNSURE

MARK = "?"
LEGEND = f"{UNSURE}: the 95 % interval is wider than the ratio itself"
MARK_LEGEND = f"{MARK}: something else ran while this was measured"


def is_disturbed(result: Any) -> bool:
    """Says whether something else ran beside what was measured."""
    return bool(disturbance(result.beside))


def flagged(text: str, result: Any) -> str:
    """Returns a line, or the first cell of a row, with a mark ahead if the result is disturbed."""
    return f"{MARK} {text}" if is_disturbed(result) else text


def marked(text: str, result: Any) -> str:
    """Returns the text of a cell, a number in it marked if the result is disturbed."""
    if is_disturbed(result) and any(map(str.isdigit, text)):
        return text.rstrip() + MARK
    return text
