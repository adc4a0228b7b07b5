# SPDX-License-Identifier: Apache-2.0
"""When each thread was at work: what a program notes of a search, and what a result keeps of it.

A search can have some 10,000 stretches of work on a thread, and a run hundreds of searches, so what
is kept is the share of each part of the time that the thread was busy.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, List, Optional, Tuple

from finegrain_lab.run.drop_in import shown_name
from finegrain_lab.run.shapes import Misfit, fit
from finegrain_lab.run.threads import threads_text
from finegrain_lab.show.figures import Axis, Figure, Point, Series

PARTS = 400  # of the time of a search: a figure is about so many pixels wide
DIGITS = 4  # of a share that is kept
MOST_PARTS = 1280  # of all workers of a figure: each is some 50 bytes
HEIGHT_PER_WORKER_IN = 0.5


@dataclass(frozen=True)
class NotedThread:
    """A thread that had a task, as the program prints it."""

    cpu: int
    tasks: int
    busy: List[Tuple[float, float]]  # from, to; ns since the start

    def __post_init__(self) -> None:
        bounds = [bound for stretch in self.busy for bound in stretch]
        if not bounds or bounds != sorted(bounds) or self.tasks <= 0:
            raise Misfit("stretches of work overlap, or are not in order, or there is none")


@dataclass(frozen=True)
class Noted:
    """A timeline as the program prints it."""

    wall_ns: float
    gap_ns: float  # tasks that are nearer to each other are one stretch of work
    threads: List[NotedThread]

    def __post_init__(self) -> None:
        if not self.threads or min(self.wall_ns, self.gap_ns) <= 0:
            raise Misfit("a search without time or threads")


@dataclass(frozen=True)
class Worker:
    """A thread of a search."""

    cpu: Optional[int]  # where its first task was seen; None: it had none
    tasks: int
    busy: float  # the share of the time
    busy_by_part: List[float]  # the share of each of the equal parts of the time


@dataclass(frozen=True)
class Timeline:
    """A search."""

    wall_ns: float
    gap_ns: float
    workers: List[Worker]

    def of_all(self, cpus: Sequence[int]) -> Timeline:
        """Returns it with a worker for each CPU, in their order; those without a task come last."""
        found = sorted(
            self.workers, key=lambda it: cpus.index(it.cpu) if it.cpu in cpus else len(cpus)
        )
        idle = Worker(cpu=None, tasks=0, busy=0.0, busy_by_part=[0.0] * PARTS)
        return replace(self, workers=found + [idle] * max(0, len(cpus) - len(found)))


def kept(output: Any) -> Any:
    """Returns what a program printed, with its timeline in parts; as it is where it has none."""
    try:
        noted = fit(output["timeline"], Noted)
    except (Misfit, LookupError, TypeError):
        return output
    workers = [_worker(thread, noted.wall_ns) for thread in noted.threads]
    return {**output, "timeline": asdict(Timeline(noted.wall_ns, noted.gap_ns, workers))}


def _worker(thread: NotedThread, wall_ns: float) -> Worker:
    part_ns = wall_ns / PARTS
    busy_ns = [0.0] * PARTS
    for begin, end in thread.busy:
        # The clocks of two CPUs may differ by some ticks: a stretch can seem to end behind the end.
        begin, end = max(begin, 0.0), min(end, wall_ns)
        for part in range(int(begin / part_ns), min(math.ceil(end / part_ns), PARTS)):
            within = min(end, (part + 1) * part_ns) - max(begin, part * part_ns)
            busy_ns[part] += max(within, 0.0)
    return Worker(
        cpu=thread.cpu,
        tasks=thread.tasks,
        busy=round(sum(busy_ns) / wall_ns, DIGITS),
        busy_by_part=[round(min(each / part_ns, 1.0), DIGITS) for each in busy_ns],
    )


def of_median(samples: Sequence[Any]) -> Timeline | None:
    """Returns that of the process whose noted search took the median time."""
    noted = sorted((it.timeline for it in samples if it.timeline), key=lambda it: it.wall_ns)
    return noted[(len(noted) - 1) // 2] if noted else None


def in_result(result: Any, case: str) -> dict[str, Timeline]:
    """Returns those of a case on the most threads, by runtime."""
    threads = result.settings.threads[-1]
    return {
        row.runtime: row.timeline.of_all(result.settings.cpus[:threads])
        for row in result.rows_of(case=case, threads=threads)
        if row.timeline
    }


def figures(result: Any) -> list[Figure]:
    """Returns a figure a runtime, of each case that has timelines."""
    on_threads = threads_text(result.settings.threads[-1])
    return [
        _figure(
            timeline,
            f"timeline-{case}-{runtime}",
            f"{shown_name(runtime)}: {case}, {on_threads}, {timeline.wall_ns / 1e6:.0f} ms",
        )
        for case in result.cases
        for runtime, timeline in in_result(result, case).items()
    ]


def _figure(timeline: Timeline, name: str, caption: str) -> Figure:
    from finegrain_lab.show.draw import ROW

    workers, wall_ms = timeline.workers, timeline.wall_ns / 1e6
    labels = [
        ("never at work" if it.cpu is None else f"CPU {it.cpu}", f"{100 * it.busy:.0f} % busy")
        for it in workers
    ]
    series = []
    for row, (worker, label) in enumerate(zip(workers, labels)):
        shares = _coarser(worker.busy_by_part, MOST_PARTS // len(workers))
        # Neighbours that are alike to the eye are one.
        starts = [
            at
            for at, share in enumerate(shares)
            if at == 0 or round(share, 2) != round(shares[at - 1], 2)
        ]
        steps = [Point(wall_ms * at / len(shares), shares[at]) for at in starts]
        end = Point(wall_ms, steps[-1].y)
        series.append(Series(f"worker {row}: {', '.join(label)}", [*steps, end], "steps"))
    return Figure(
        name,
        caption,
        series,
        Axis("time, ms", low=0, high=wall_ms),
        Axis(
            "share at work",
            ticks={0.5 - ROW * row: "\n".join(label) for row, label in enumerate(labels)},
        ),
        height_in=0.6 + HEIGHT_PER_WORKER_IN * len(workers),
    )


def _coarser(shares: Sequence[float], most: int) -> list[float]:
    """Returns at most so many shares, each the mean of as many neighbours."""
    together = math.ceil(PARTS / max(most, 1))
    while PARTS % together:
        together += 1
    starts = range(0, len(shares), together)
    return [statistics.fmean(shares[start : start + together]) for start in starts]
