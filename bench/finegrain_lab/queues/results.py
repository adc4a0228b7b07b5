# SPDX-License-Identifier: Apache-2.0
"""queues.json."""

from finegrain_lab.cycles import CycleRow
from finegrain_lab.results import Record, ResultFile


class Row(CycleRow):
    """A queue, by one measure; times are of one item."""

    million_per_s: float | None  # items; None: not a stream


class Settings(Record):
    """What was run."""

    reference: str
    batches: int
    items: dict[str, int]  # of a batch, by measure
    versions: dict[str, str]
    ticks_per_ns: float


class Result(ResultFile):
    """The result file."""

    settings: Settings
    cases: list[str]  # the measures
    runtimes: list[str]  # the queues
    results: list[Row]

    def row(self, measure: str, queue: str) -> Row | None:
        """Returns the row, None if it failed."""
        key = (measure, queue)
        return next((row for row in self.results if (row.case, row.runtime) == key), None)
