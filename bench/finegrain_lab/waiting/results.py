# SPDX-License-Identifier: Apache-2.0
"""waiting.json."""

from finegrain_lab.results import Record, ResultFile
from finegrain_lab.waiting.cases import Hints


class Row(Record):
    """A wait policy, with the paper's hints or without, after a gap.

    `of_spin` is the median of the latency's ratios to spinning without hints, round by round.
    """

    case: str
    runtime: str
    policy: str
    hints: Hints
    gap_us: int
    first_task_ns: float
    ci95: tuple[float, float]
    of_spin: float
    of_spin_ci95: tuple[float, float]
    burned_share: float  # CPU time of the assistant in the gap over the gap
    burned_share_ci95: tuple[float, float]
    gaps: int  # measured
    sleeps: int  # of the assistant, in the processes that measured them
    wake_ups: int
    samples: list[float]  # of first_task_ns: a process's median
    burned_samples: list[float]


class Settings(Record):
    """What was run."""

    policies: list[str]  # the first is relic's default
    reference_policy: str
    reference_hints: str
    gaps_per_process: dict[str, int]


class Result(ResultFile):
    """The result file."""

    settings: Settings
    cases: list[str]
    runtimes: list[str]
    results: list[Row]

    def row(self, policy: str, hints: str, gap_us: int) -> Row | None:
        """Returns the row, None if it failed."""
        key = (policy, hints, gap_us)
        found = (row for row in self.results if (row.policy, row.hints, row.gap_us) == key)
        return next(found, None)

    def rows(self, policy: str, hints: str) -> list[Row]:
        """Returns the rows of a policy, by gap."""
        return [row for row in self.results if (row.policy, row.hints) == (policy, hints)]
