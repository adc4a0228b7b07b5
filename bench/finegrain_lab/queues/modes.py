# SPDX-License-Identifier: Apache-2.0
"""How much is measured."""

from dataclasses import dataclass

from finegrain_lab.cycles import FULL_END, QUICK_END, CycleMode
from finegrain_lab.modes import by_name
from finegrain_lab.queues.cases import ONE_WAY

STREAM_FACTOR = 10  # an item of a stream is done sooner than one that comes back


@dataclass(frozen=True, kw_only=True)
class QueuesMode(CycleMode):
    """A mode of this experiment."""

    round_trips: int

    def items(self, measure: str) -> int:
        """Returns the items of a batch."""
        return self.round_trips if measure == ONE_WAY else self.round_trips * STREAM_FACTOR


# 4 ms a batch at 200 ns already in the quick mode: long against the clock.
QUICK = QueuesMode(**QUICK_END, max_rounds=40, batches=5, round_trips=20_000)
FULL = QueuesMode(**FULL_END, max_rounds=100, batches=10, round_trips=50_000)

MODES = by_name(QUICK, FULL)
