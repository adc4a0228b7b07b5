# SPDX-License-Identifier: Apache-2.0
"""The rows of `handoff`: which one it is about, and one beside another."""

from __future__ import annotations

from typing import Any, Tuple

from finegrain_lab.show.tables import UNSURE, Cell, Interval, number_text, ratio_text

EMPTY = "empty"


def default_row(result: Any, case: str, runtime: str, kind: str) -> Any:
    """Returns the row under the runtime's default policy, None if it has none."""
    policies = result.settings.policies.get(runtime, [""])
    return result.row(case=case, runtime=runtime, policy=policies[0], placement=kind)


def paired(row: Any, over: Any) -> Tuple[Any, Any]:
    """Returns the median of the ratios of two rows, round by round, and its interval."""
    from finegrain_lab.show.measurements import ratios_of
    from finegrain_lab.show.statistics import median_and_ci

    return median_and_ci(ratios_of(row.samples, over.samples) if row and over else [])


def ns_cell(row: Any) -> Cell:
    """Returns the cell of a row's time."""
    return Cell(number_text(row["ns"]), row["ns_ci95"], 1)


def with_half_width(ratio: float, ci95: Interval) -> Cell:
    """Returns the cell of a ratio for the terminal, which shows no interval of a cell."""
    low, high = ci95
    text = ratio_text(ratio, ci95)
    return Cell(text if text == UNSURE else f"{text} ±{(high - low) / 2:.2f}", ci95)
