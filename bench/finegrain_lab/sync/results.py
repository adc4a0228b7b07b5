# SPDX-License-Identifier: Apache-2.0
"""sync.json."""

from finegrain_lab.cycles import CycleRow
from finegrain_lab.results import Record, ResultFile


class Row(CycleRow):
    """A mechanism on a number of threads; times are of one operation, mean over the threads."""

    threads: int
    pinned: bool  # each thread to a CPU of its own
    operations: list[int]  # of a thread in a batch, in its processes


class Settings(Record):
    """What was run."""

    reference: str
    threads: list[int]
    cpus: list[int]
    batches: int
    batch_ms: int
    ticks_per_ns: float
    cycles_per_tick: float


class Result(ResultFile):
    """The result file."""

    settings: Settings
    cases: list[str]
    runtimes: list[str]  # the mechanisms
    results: list[Row]

    def row(self, mechanism: str, threads: int) -> Row | None:
        """Returns the row, None if it failed."""
        key = (mechanism, threads)
        return next((row for row in self.results if (row.runtime, row.threads) == key), None)
