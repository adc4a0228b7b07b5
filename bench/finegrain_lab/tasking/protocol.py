# SPDX-License-Identifier: Apache-2.0
"""What the programs `spawn-RUNTIME` print (bench/README.md)."""

import statistics
from typing import Annotated

from pydantic import BeforeValidator, Field

from finegrain_lab.processes import Output
from finegrain_lab.tasking.timeline import Timeline, in_parts


class TaskSample(Output):
    """What a program prints of one case."""

    runtime: str
    threads: int = Field(gt=0)
    tasks: int = Field(gt=0)  # of a batch
    ns: list[float] = Field(min_length=1)  # wall time per task, a number a batch
    offloaded_share: float = Field(ge=0, le=1)
    cpus: list[int]  # where tasks were seen
    allocator: str  # whose malloc it called
    version: str
    note: str = ""
    # Of one run more the tasks of each thread, in the order of their first ones; with `flat
    # --by-thread` of each batch.
    tasks_by_thread: list[list[Annotated[int, Field(ge=0)]]] = Field(min_length=1)

    @property
    def mean_ns(self) -> float:
        """Wall time per task, the mean over the batches but best and worst."""
        return statistics.fmean(sorted(self.ns)[1:-1] or self.ns)


class ApplicationSample(TaskSample):
    """What a program prints of an application of the Barcelona OpenMP Tasks Suite."""

    tasks_vary: bool  # from run to run: `tasks` are those of plain calls


class UtsSample(TaskSample):
    """What a program prints of an Unbalanced Tree Search; its tasks are the tree's nodes."""

    tree: str
    granularity: int = Field(gt=0)
    nodes: int
    leaves: int
    depth: int
    timeline: Annotated[Timeline | None, BeforeValidator(in_parts)] = None  # of one more search


class TileSample(TaskSample):
    """What a program prints of a tile algorithm."""

    n: int  # rows of the matrix
    tile: int  # rows of a tile
    blas: str  # whose kernels
