"""How much is measured."""

from dataclasses import dataclass

from finegrain_lab.modes import FULL_BUDGET_S, LEAST_ROUNDS, SURE_ROUNDS, Mode, by_name


@dataclass(frozen=True, kw_only=True)
class SpawnMode(Mode):
    """A mode of this experiment: the batches of one process."""

    batches: int
    batch_ms: int  # the least time of one; fib's next n takes 1.6 times as long


QUICK = SpawnMode(
    name="quick",
    batches=5,
    batch_ms=30,  # a thread that wakes up late, 50 us, is then a fifth of a percent
    min_rounds=LEAST_ROUNDS,
    max_rounds=15,  # more is no longer quick
    budget_s=90,
)

FULL = SpawnMode(
    name="full",
    batches=9,
    batch_ms=60,
    min_rounds=SURE_ROUNDS,
    max_rounds=60,  # past that the host's drift, not the count, sets the interval
    budget_s=FULL_BUDGET_S,
    converged_half_width=0.005,  # a tenth of the 5 % that are at stake against the ceiling
    converged_rounds=15,
)

MODES = by_name(QUICK, FULL)
