# SPDX-License-Identifier: Apache-2.0
"""When each thread was at work: what a program notes of a search, and what a result keeps of it.

A search can have some 10,000 stretches of work on a thread, and a run hundreds of searches, so what
is kept is the share of each part of the time that the thread was busy.
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from pydantic import Field, model_validator

from finegrain_lab.processes import Output
from finegrain_lab.results import Record

PARTS = 400  # of the time of a search: a figure is about so many pixels wide
DIGITS = 4  # of a share that is kept


class NotedThread(Output):
    """A thread that had a task, as the program prints it."""

    cpu: int
    tasks: int = Field(gt=0)
    busy: list[tuple[float, float]] = Field(min_length=1)  # from, to; ns since the start

    @model_validator(mode="after")
    def _is_in_order(self) -> "NotedThread":
        bounds = [bound for stretch in self.busy for bound in stretch]
        if any(later < earlier for earlier, later in pairwise(bounds)):
            raise ValueError("stretches of work overlap, or are not in order")
        return self


class Noted(Output):
    """A timeline as the program prints it."""

    wall_ns: float = Field(gt=0)
    gap_ns: float = Field(gt=0)  # tasks that are nearer to each other are one stretch of work
    threads: list[NotedThread] = Field(min_length=1)


class Worker(Record):
    """A thread of a search."""

    cpu: int | None  # where its first task was seen; None: it had none
    tasks: int
    busy: float  # the share of the time
    busy_by_part: list[float]  # the share of each of the equal parts of the time


class Timeline(Record):
    """A search."""

    wall_ns: float
    gap_ns: float
    workers: list[Worker]

    def of_all(self, cpus: Sequence[int]) -> "Timeline":
        """Returns it with a worker for each CPU, in their order; those without a task come last."""
        found = sorted(
            self.workers, key=lambda it: cpus.index(it.cpu) if it.cpu in cpus else len(cpus)
        )
        idle = Worker(cpu=None, tasks=0, busy=0.0, busy_by_part=[0.0] * PARTS)
        missing = max(0, len(cpus) - len(found))
        return self.model_copy(update={"workers": found + [idle] * missing})


def in_parts(printed: Any) -> Timeline | None:
    """Turns what a program printed into what is kept. Raises ValidationError."""
    if printed is None:
        return None
    noted = Noted.model_validate(printed)
    return Timeline(
        wall_ns=noted.wall_ns,
        gap_ns=noted.gap_ns,
        workers=[_worker(thread, noted.wall_ns) for thread in noted.threads],
    )


def _worker(thread: NotedThread, wall_ns: float) -> Worker:
    # The clocks of two CPUs may differ by some ticks: a stretch can seem to end behind the end.
    bounds = np.clip(np.asarray(thread.busy, dtype=np.float64), 0, wall_ns)
    busy_ns = np.cumsum(bounds[:, 1] - bounds[:, 0])
    # The time worked so far: flat between stretches, and as steep as time itself within one.
    worked = np.column_stack((np.concatenate(([0.0], busy_ns[:-1])), busy_ns)).ravel()
    edges = np.linspace(0, wall_ns, PARTS + 1)
    by_part = np.diff(np.interp(edges, bounds.ravel(), worked, left=0.0)) * PARTS / wall_ns
    return Worker(
        cpu=thread.cpu,
        tasks=thread.tasks,
        busy=round(float(busy_ns[-1]) / wall_ns, DIGITS),
        busy_by_part=[round(min(max(float(share), 0.0), 1.0), DIGITS) for share in by_part],
    )
