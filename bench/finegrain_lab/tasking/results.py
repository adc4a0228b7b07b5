# SPDX-License-Identifier: Apache-2.0
"""The result file of each of these experiments."""

from typing import Literal

from pydantic import Field

from finegrain_lab.drop_in import TakenOver
from finegrain_lab.results import Record, ResultFile
from finegrain_lab.runtimes import Binding, PeerSettings
from finegrain_lab.tasking.timeline import Timeline


class Row(Record):
    """A runtime on a case and a number of threads.

    Ratios are medians of the rounds' own ratios. `speedup` is over what the settings say (the
    ceiling's: over serial), `of_ceiling` is that over the ceiling's on as many CPUs; both are None
    in an experiment without speedups, for what a speedup is over, and where that failed.
    """

    case: str
    runtime: str
    threads: int
    ns: float  # wall time per task
    ci95: tuple[float, float]
    value: float  # what the paper plots, by the settings' measure
    value_ci95: tuple[float, float]
    of_reference: float  # time over the reference's on as many threads; serial's: on the most
    of_reference_ci95: tuple[float, float]
    speedup: float | None
    speedup_ci95: tuple[float, float] | None
    of_ceiling: float | None
    of_ceiling_ci95: tuple[float, float] | None
    offloaded_share: float  # of the tasks, on other threads than the one with most
    tasks: list[int]  # of a batch, in its processes
    # Of the counted run of each process, or of each of its batches where the experiment counts them
    # all, by thread: in the order in which they had their first task. None: the ceiling's, each
    # process of which has a thread of its own.
    tasks_by_thread: list[list[int]] | None
    timeline: Timeline | None  # of the process whose noted search took the median time
    samples: list[float]  # of ns: a process's mean without the best and the worst batch


class Settings(Record):
    """What was run."""

    reference: str
    measure: str
    unit: str
    speedup_over: Literal["itself", "serial"] | None
    threads: list[int]
    cpus: list[int]  # thread by thread
    batches: int
    batch_ms: int
    spin_steps_per_us: float | None  # None: no delays
    peers: PeerSettings
    allocator: str = "glibc"  # whose malloc every process called
    numa_binding: Binding = (
        "on"  # each thread on a CPU of its own; off: wherever the system puts it
    )
    environment: dict[str, dict[str, str]]  # of the most threads
    sizes: dict[str, str]  # by case, in words, where the mode chooses them
    beside: dict[str, dict[str, str]]  # by case and runtime: options and variables of its own
    # By runtime with the drop-in, in a process ahead of the timed ones.
    taken_over: dict[str, TakenOver] = Field(default_factory=dict)
    versions: dict[str, str]


class Result(ResultFile):
    """The result file."""

    settings: Settings
    checked: list[str]  # in words, what every process had to hold
    paper: list[str]  # which one, and what its text says of its own machine
    cases: list[str]
    runtimes: list[str]
    results: list[Row]

    def row(self, case: str, runtime: str, threads: int) -> Row | None:
        """Returns the row, None if there is none."""
        key = (case, runtime, threads)
        found = (row for row in self.results if (row.case, row.runtime, row.threads) == key)
        return next(found, None)

    def timelines(self, case: str, threads: int) -> list[tuple[str, Timeline]]:
        """Returns the runtimes that have a timeline of this case, with it."""
        return [
            (row.runtime, row.timeline)
            for row in self.results
            if (row.case, row.threads) == (case, threads) and row.timeline is not None
        ]

    def failed_on(self, runtime: str, where: str) -> bool:
        """Says whether the runtime gave no sample of this case."""
        return any((line.runtime, line.case) == (runtime, where) for line in self.failed)
