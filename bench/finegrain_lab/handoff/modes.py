# SPDX-License-Identifier: Apache-2.0
"""How much is measured."""

from dataclasses import dataclass

from finegrain_lab.modes import FULL_BUDGET_S, LEAST_ROUNDS, SURE_ROUNDS, Mode, by_name


@dataclass(frozen=True, kw_only=True)
class HandoffMode(Mode):
    """A mode of this experiment: the work of one process."""

    batches: int
    round_trips: int


QUICK = HandoffMode(
    name="quick",
    batches=5,  # 3 rounds of 8 cases give 120 of the floor; 50 is the rule
    round_trips=5_000,  # 0.8 ms a batch at 150 ns: long against the clock, and hundreds fit
    min_rounds=LEAST_ROUNDS,
    max_rounds=40,  # more is no longer quick
    budget_s=110,  # 2.5 minutes with the instruction counts, the intervals and the report
)

FULL = HandoffMode(
    name="full",
    batches=10,
    round_trips=10_000,
    min_rounds=SURE_ROUNDS,
    max_rounds=100,  # past that the host's drift, not the count, sets the interval
    budget_s=FULL_BUDGET_S,
    converged_half_width=0.01,  # of the 15 % over the floor that a round trip may cost
    converged_rounds=15,
)

MODES = by_name(QUICK, FULL)
