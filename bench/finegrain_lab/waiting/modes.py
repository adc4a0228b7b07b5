# SPDX-License-Identifier: Apache-2.0
"""How much is measured."""

from dataclasses import dataclass

from finegrain_lab.modes import FULL_BUDGET_S, LEAST_ROUNDS, SURE_ROUNDS, Mode, by_name


@dataclass(frozen=True, kw_only=True)
class WaitingMode(Mode):
    """A mode of this experiment: the time that one process spends in gaps."""

    gaps_ms: int
    max_gaps: int
    min_gaps: int

    def gaps(self, gap_us: int) -> int:
        """Returns how many gaps of this length a process measures."""
        return max(self.min_gaps, min(self.max_gaps, self.gaps_ms * 1000 // gap_us))


QUICK = WaitingMode(
    name="quick",
    gaps_ms=50,
    max_gaps=200,  # more of 1 us says no more of a median
    min_gaps=2,  # of 100 ms: a tenth of the run already
    min_rounds=LEAST_ROUNDS,
    max_rounds=40,  # more is no longer quick
    budget_s=120,  # 2.5 minutes with the intervals and the report
)

FULL = WaitingMode(
    name="full",
    gaps_ms=200,
    max_gaps=500,
    min_gaps=3,
    min_rounds=SURE_ROUNDS,
    max_rounds=100,  # past that the host's drift, not the count, sets the interval
    budget_s=FULL_BUDGET_S,
)

MODES = by_name(QUICK, FULL)
