# SPDX-License-Identifier: Apache-2.0
"""handoff.json."""

from collections.abc import Sequence

from finegrain_lab.handoff.protocol import Placement
from finegrain_lab.results import Failure, Record, ResultFile


class Row(Record):
    """A case on a runtime, under a wait policy, at a placement.

    `ns` is a round trip (`empty`) or one task of a burst. `of_floor` is the median of its ratios to
    the floor that was measured beside it, round by round.
    """

    case: str
    runtime: str
    policy: str
    placement: str
    ns: float
    ci95: tuple[float, float]
    of_floor: float
    of_floor_ci95: tuple[float, float]
    main_cpu: int
    task_cpus: list[int]
    samples: list[float]  # a round's median of batches


class Headline(Record):
    """A runtime's round trip under its default policy, and what it is beside others, paired."""

    runtime: str
    policy: str
    placement: str
    ns: float
    ci95: tuple[float, float]
    of_floor: float
    of_floor_ci95: tuple[float, float]
    of_relic: float | None  # None: relic was not measured, or this is it
    of_relic_ci95: tuple[float, float] | None
    burst_64_of_empty: float | None  # a task of a burst over the round trip; None: no bursts
    burst_64_of_empty_ci95: tuple[float, float] | None


class Instructions(Record):
    """Instructions of submit and wait on relic's main thread; a burst's are shared by its tasks."""

    case: str
    instructions_per_task: float


class HandoffFailure(Failure):
    """A runtime that gave no sample of a case under a policy."""

    policy: str
    placement: str

    def told(self) -> str:
        """Returns the line that tells of it."""
        where = f"{self.policy}, {self.placement}"
        return f"{self.runtime} ({where}): failed on {self.case}: {self.reason}"


class Settings(Record):
    """What was run."""

    placements: list[Placement]
    policies: dict[str, list[str]]  # by runtime; the first is its default
    versions: dict[str, str]
    batches: int
    round_trips: int


class Result(ResultFile):
    """The result file."""

    failed: Sequence[HandoffFailure]
    settings: Settings
    cases: list[str]
    runtimes: list[str]  # measured, in the order of the tables
    results: list[Row]
    headlines: list[Headline]
    instructions: list[Instructions]

    def row(self, case: str, runtime: str, policy: str, placement: str) -> Row | None:
        """Returns the row, None if it failed or was not asked for."""
        key = (case, runtime, policy, placement)
        return next(
            (
                row
                for row in self.results
                if (row.case, row.runtime, row.policy, row.placement) == key
            ),
            None,
        )

    def has_failed(self, case: str, runtime: str, policy: str, placement: str) -> bool:
        """Says whether there is no row because of a failure."""
        key = (case, runtime, policy, placement)
        return any((f.case, f.runtime, f.policy, f.placement) == key for f in self.failed)
