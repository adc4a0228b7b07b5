# SPDX-License-Identifier: Apache-2.0
"""What `sync` prints (bench/README.md)."""

from pydantic import Field

from finegrain_lab.cycles import CycleSample


class SyncSample(CycleSample):
    """What `sync` prints: the time of an operation, mean over the threads, a number a batch."""

    mechanism: str
    threads: int = Field(gt=0)
    pinned: bool  # a CPU for each thread
    operations: int = Field(gt=0)  # of a thread in a batch
    cpus: list[int]  # where threads were seen
