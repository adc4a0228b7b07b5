# SPDX-License-Identifier: Apache-2.0
"""What is measured."""

from typing import Literal, TypeAlias

Hints: TypeAlias = Literal["none", "hints"]

NAME = "waiting"
TITLE = "the first task after an idle gap, and the CPU time burned in the gap, by wait policy"
HEADING = "Waiting: what it costs, and what it delays"
GAPS_US = (1, 10, 100, 1_000, 10_000, 100_000)
HINTS: tuple[Hints, ...] = ("none", "hints")
RUNTIME = "relic"
# Spinning without hints: what every row is a multiple of.
REFERENCE_POLICY = "spin_pause"
REFERENCE_HINTS: Hints = "none"


def gap_text(gap_us: int) -> str:
    """Returns a gap's length for a reader."""
    return f"{gap_us / 1000:g}ms" if gap_us >= 1000 else f"{gap_us}us"


def case_of(gap_us: int) -> str:
    """Returns the gap's name in the result file."""
    return f"gap-{gap_text(gap_us)}"
