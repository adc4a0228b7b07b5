# SPDX-License-Identifier: Apache-2.0
"""What `waiting` prints (bench/README.md)."""

from pydantic import Field

from finegrain_lab.processes import RelicOutput


class WaitingSample(RelicOutput):
    """What `waiting` prints: a number a gap."""

    policy: str
    gap_us: int
    hints: str
    first_task_ns: list[float] = Field(min_length=1)
    burned_share: list[float]
    sleeps: int = Field(ge=0)
    wake_ups: int = Field(ge=0)
