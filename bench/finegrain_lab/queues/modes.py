"""How much is measured."""

from dataclasses import dataclass

from finegrain_lab.modes import FULL_BUDGET_S, LEAST_ROUNDS, SURE_ROUNDS, Mode, by_name
from finegrain_lab.queues.cases import ONE_WAY

STREAM_FACTOR = 10  # an item of a stream is done sooner than one that comes back


@dataclass(frozen=True, kw_only=True)
class QueuesMode(Mode):
    """A mode of this experiment: the work of one process."""

    batches: int
    round_trips: int

    def items(self, measure: str) -> int:
        """Returns the items of a batch."""
        return self.round_trips if measure == ONE_WAY else self.round_trips * STREAM_FACTOR


QUICK = QueuesMode(
    name="quick",
    batches=5,
    round_trips=20_000,  # 4 ms a batch at 200 ns: long against the clock
    min_rounds=LEAST_ROUNDS,
    max_rounds=40,  # more is no longer quick
    budget_s=90,
)

FULL = QueuesMode(
    name="full",
    batches=10,
    round_trips=50_000,
    min_rounds=SURE_ROUNDS,
    max_rounds=100,  # past that the host's drift, not the count, sets the interval
    budget_s=FULL_BUDGET_S,
    converged_half_width=0.02,
    converged_rounds=15,
)

MODES = by_name(QUICK, FULL)
