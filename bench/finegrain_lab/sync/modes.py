"""How much is measured."""

from dataclasses import dataclass

from finegrain_lab.modes import FULL_BUDGET_S, LEAST_ROUNDS, SURE_ROUNDS, Mode, by_name


@dataclass(frozen=True, kw_only=True)
class SyncMode(Mode):
    """A mode of this experiment: the batches of one process."""

    batches: int
    batch_ms: int  # the least time of one; the number of operations doubles until it is reached


QUICK = SyncMode(
    name="quick",
    batches=5,
    batch_ms=20,  # several of the scheduler's turns, where threads share a CPU
    min_rounds=LEAST_ROUNDS,
    max_rounds=15,  # more is no longer quick
    budget_s=90,
)

FULL = SyncMode(
    name="full",
    batches=9,
    batch_ms=50,
    min_rounds=SURE_ROUNDS,
    max_rounds=60,  # past that the host's drift, not the count, sets the interval
    budget_s=FULL_BUDGET_S,
    converged_half_width=0.02,
    converged_rounds=15,
)

MODES = by_name(QUICK, FULL)
