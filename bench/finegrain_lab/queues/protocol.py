# SPDX-License-Identifier: Apache-2.0
"""What `queues` prints (bench/README.md)."""

from pydantic import Field

from finegrain_lab.cycles import CycleSample
from finegrain_lab.processes import Output


class Queue(Output):
    """A queue of `queues --list`."""

    name: str
    version: str
    how_to_get: str  # empty: it is installed


class QueueList(Output):
    """What `queues --list` prints."""

    queues: list[Queue] = Field(min_length=1)


class QueueSample(CycleSample):
    """What `queues` prints: the time of an item, a number a batch."""

    queue: str
    measure: str
    items: int = Field(gt=0)  # of a batch
    main_cpu: int
    task_cpus: list[int]
