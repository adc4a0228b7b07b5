# SPDX-License-Identifier: Apache-2.0
"""When each worker was at work, drawn."""

import math

import numpy as np
import numpy.typing as npt
from matplotlib.axes import Axes

from finegrain_lab.drawing import Drawing, drawing
from finegrain_lab.drop_in import shown_name
from finegrain_lab.plots import figure_and_axes
from finegrain_lab.tasking.results import Result
from finegrain_lab.tasking.timeline import PARTS, Timeline, Worker
from finegrain_lab.threads import threads_text

# Okabe and Ito's green, and a grey that is much lighter: told apart without seeing colours.
BUSY = "#009E73"
IDLE = "#BBBBBB"
MOST_PARTS = 1280  # of all workers of a figure: each is some 50 bytes
HEIGHT_PER_WORKER_IN = 0.5
ROW = 1.25  # of a bar
NAME = "timeline"  # of each figure, ahead of what it is of


def timelines(result: Result) -> list[Drawing]:
    """A figure a runtime, of each case that has timelines."""
    threads = result.settings.threads[-1]
    on_threads = threads_text(threads)
    return [
        _drawing(
            timeline,
            f"{NAME}-{case}-{runtime}",
            f"{shown_name(runtime)}: {case}, {on_threads}, {timeline.wall_ns / 1e6:.0f} ms",
        )
        for case in result.cases
        for runtime, timeline in result.timelines(case, threads)
    ]


def _drawing(timeline: Timeline, name: str, caption: str) -> Drawing:
    workers = timeline.workers
    with figure_and_axes(0.6 + HEIGHT_PER_WORKER_IN * len(workers)) as (figure, axes):
        for row, worker in enumerate(workers):
            label = f"worker {row}: {_label(worker)}"
            _draw(
                axes, label, -ROW * row, worker, timeline.wall_ns / 1e6, MOST_PARTS // len(workers)
            )
        middles = [0.5 - ROW * row for row in range(len(workers))]
        axes.set_yticks(middles, [_label(it) for it in workers])
        axes.set_xlim(0, timeline.wall_ns / 1e6)
        axes.set_xlabel("time, ms")
        axes.set_ylabel("share at work")
        return drawing(figure, name, caption)


def _label(worker: Worker) -> str:
    who = "never at work" if worker.cpu is None else f"CPU {worker.cpu}"
    return f"{who}\n{100 * worker.busy:.0f} % busy"


def _draw(
    axes: Axes, label: str, bottom: float, worker: Worker, wall_ms: float, most_parts: int
) -> None:
    """Draws a grey bar, and on it a green one that is as high as the share of the time at work."""
    axes.broken_barh([(0, wall_ms)], (bottom, 1), facecolor=IDLE)
    shares = _coarser(worker.busy_by_part, most_parts)
    edges = np.linspace(0, wall_ms, len(shares) + 1)
    # Neighbours that are alike to the eye are one.
    changes = np.flatnonzero(np.diff(np.round(shares, 2))) + 1
    starts = np.concatenate(([0], changes))
    axes.stairs(
        bottom + shares[starts],
        np.append(edges[starts], wall_ms),
        baseline=bottom,
        fill=True,
        facecolor=BUSY,
        label=label,
    )


def _coarser(shares: list[float], most: int) -> npt.NDArray[np.float64]:
    """Returns at most so many shares, each the mean of as many neighbours."""
    together = math.ceil(PARTS / max(most, 1))
    while PARTS % together:
        together += 1
    parts = np.asarray(shares, dtype=np.float64).reshape(-1, together)
    return np.asarray(parts.mean(axis=1))
