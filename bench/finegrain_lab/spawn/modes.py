"""How much is measured."""

from dataclasses import dataclass

from finegrain_lab.modes import Mode


@dataclass(frozen=True, kw_only=True)
class SpawnMode(Mode):
    """A mode of this experiment: the batches of one process."""

    batches: int
    batch_ms: int  # the least time of one; fib's next n takes 1.6 times as long


QUICK = SpawnMode(
    name="quick",
    batches=5,
    batch_ms=30,  # a thread that wakes up late, 50 us, is then a fifth of a percent
    min_rounds=3,  # the fewest processes of which a median and an interval say anything
    max_rounds=15,  # more is no longer quick
    budget_s=90,
)

FULL = SpawnMode(
    name="full",
    batches=9,
    batch_ms=60,
    min_rounds=7,  # a median's interval of fewer processes can be narrow by luck
    max_rounds=60,  # past that the host's drift, not the count, sets the interval
    budget_s=13 * 60,  # 15 minutes, less what follows the rounds
    converged_half_width=0.005,  # a tenth of the 5 % that are at stake against the ceiling
    converged_rounds=15,
)

MODES = {mode.name: mode for mode in (QUICK, FULL)}
