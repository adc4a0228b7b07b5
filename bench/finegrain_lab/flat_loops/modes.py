"""How much is measured."""

from dataclasses import dataclass

from finegrain_lab.modes import FULL_BUDGET_S, LEAST_ROUNDS, SURE_ROUNDS, Mode, by_name


@dataclass(frozen=True, kw_only=True)
class FlatMode(Mode):
    """A mode of these experiments: the batches of one process."""

    batches: int  # best and worst are dropped
    batch_ms: int  # the least time of one; the number of tasks is a power of two thousands


QUICK = FlatMode(
    name="quick",
    batches=5,
    batch_ms=5,  # a thread that wakes up late, 50 us, is then a hundredth
    min_rounds=LEAST_ROUNDS,
    max_rounds=9,  # more is no longer quick
    budget_s=90,
)

FULL = FlatMode(
    name="full",
    batches=12,  # as OMPi's authors did
    batch_ms=30,
    min_rounds=SURE_ROUNDS,
    max_rounds=40,  # past that the host's drift, not the count, sets the interval
    budget_s=FULL_BUDGET_S,
    converged_half_width=0.02,
    converged_rounds=15,
)

MODES = by_name(QUICK, FULL)
