# SPDX-License-Identifier: Apache-2.0
"""How much is measured."""

from dataclasses import dataclass

from finegrain_lab.modes import FULL_BUDGET_S, LEAST_ROUNDS, SURE_ROUNDS, Mode, by_name


@dataclass(frozen=True, kw_only=True)
class BreakEvenMode(Mode):
    """A mode of this experiment: the work of one process."""

    batches: int  # a multiple of three: serial, always and adaptive then come first equally often
    batch_ms: int


QUICK = BreakEvenMode(
    name="quick",
    batches=6,
    batch_ms=4,  # 100 calls even of 40 us, and short against the host's drift
    min_rounds=LEAST_ROUNDS,
    max_rounds=40,  # more is no longer quick
    budget_s=115,  # 2.5 minutes with the intervals and the report
)

FULL = BreakEvenMode(
    name="full",
    batches=12,
    batch_ms=4,
    min_rounds=SURE_ROUNDS,
    max_rounds=80,  # past that the host's drift, not the count, sets the interval
    budget_s=FULL_BUDGET_S,
    converged_half_width=0.01,  # of the 4 % that the controller may lose
    converged_rounds=15,
)

MODES = by_name(QUICK, FULL)
