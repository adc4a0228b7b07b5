# SPDX-License-Identifier: Apache-2.0
"""relic-kernels.json."""

from typing import Literal

from finegrain_lab.results import Record, ResultFile


class Row(Record):
    """One case on one runtime."""

    case: str
    runtime: str
    ns: float
    ns_ci95: tuple[float, float]
    serial_ns: float
    speedup: float
    ci95: tuple[float, float]
    offloaded_share: float
    iterations: int
    main_cpu: int
    task_cpus: list[int]
    version: str
    samples: list[float]


class Summary(Record):
    """One runtime over all kernels."""

    runtime: str
    geomean: float
    geomean_no_negative: float
    offloaded_share: float


class Lead(Record):
    """The fastest runtime of a case beside the next one: their times of the same round, divided.

    Where the host changes during a run, two runtimes' intervals over serial can overlap although
    one was faster in every round; this ratio shows it.
    """

    case: str
    runtime: str
    runner_up: str
    ratio: float
    ci95: tuple[float, float]


class Settings(Record):
    """How the peers were set up."""

    peers: Literal["tuned", "default"]
    environment: dict[str, dict[str, str]]


class Built(Record):
    """How one runtime was built."""

    compiler: str
    flags: str


class Result(ResultFile):
    """The result file."""

    settings: Settings
    cases: list[str]
    runtimes: list[str]  # measured, in the order of the tables
    built: dict[str, Built]
    bound: float | None  # None: not all kernels were measured
    bounds: dict[str, float]
    spin_steps_per_us: float | None
    results: list[Row]
    summary: list[Summary]
    leads: list[Lead]

    def row(self, case: str, runtime: str) -> Row | None:
        """Returns the row, None if it failed or was not asked for."""
        return next(
            (row for row in self.results if (row.case, row.runtime) == (case, runtime)), None
        )

    def has_failed(self, case: str, runtime: str) -> bool:
        """Says whether this runtime gave no sample of this case."""
        return any((failure.case, failure.runtime) == (case, runtime) for failure in self.failed)

    def summary_of(self, runtime: str) -> Summary | None:
        """Returns the runtime's summary, None without all kernels."""
        return next((line for line in self.summary if line.runtime == runtime), None)
