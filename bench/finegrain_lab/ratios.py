# SPDX-License-Identifier: Apache-2.0
"""How a ratio is written: no number where nothing is known, a mark where something else ran."""

from finegrain_lab.beside import disturbance
from finegrain_lab.results import ResultFile

UNSURE = "noisy"
MARK = "?"
LEGEND = f"{UNSURE}: the 95 % interval is wider than the ratio itself"
MARK_LEGEND = f"{MARK}: something else ran while this was measured"

Interval = tuple[float, float]


def is_sure(ratio: float, ci95: Interval) -> bool:
    """Says whether the interval is no wider than the ratio itself."""
    return ci95[1] - ci95[0] <= ratio


def ratio_text(ratio: float | None, ci95: Interval | None, digits: int = 2) -> str:
    """Returns the ratio for a reader; nothing of none."""
    if ratio is None or ci95 is None:
        return ""
    return f"{ratio:.{digits}f}" if is_sure(ratio, ci95) else UNSURE


def with_interval(ratio: float, ci95: Interval) -> str:
    """Returns the ratio and its interval."""
    low, high = ci95
    return f"{ratio_text(ratio, ci95)} [{low:.2f}, {high:.2f}]"


def is_disturbed(result: ResultFile) -> bool:
    """Says whether something else ran beside what was measured."""
    return bool(disturbance(result.beside))


def flagged(text: str, result: ResultFile) -> str:
    """Returns a line, or the first cell of a row, with a mark ahead if the result is disturbed."""
    return f"{MARK} {text}" if is_disturbed(result) else text


def marked(text: str, result: ResultFile) -> str:
    """Returns the text of a cell, a number in it marked if the result is disturbed."""
    if is_disturbed(result) and any(map(str.isdigit, text)):
        return text.rstrip() + MARK
    return text
