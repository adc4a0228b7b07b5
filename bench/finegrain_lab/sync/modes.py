# SPDX-License-Identifier: Apache-2.0
"""How much is measured."""

from dataclasses import dataclass

from finegrain_lab.cycles import FULL_END, QUICK_END, CycleMode
from finegrain_lab.modes import by_name


@dataclass(frozen=True, kw_only=True)
class SyncMode(CycleMode):
    """A mode of this experiment."""

    batch_ms: int  # the least time of one; the number of operations doubles until it is reached


# Several of the scheduler's turns in a batch, where threads share a CPU.
QUICK = SyncMode(**QUICK_END, max_rounds=15, batches=5, batch_ms=20)
FULL = SyncMode(**FULL_END, max_rounds=60, batches=9, batch_ms=50)

MODES = by_name(QUICK, FULL)
