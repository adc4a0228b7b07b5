# SPDX-License-Identifier: Apache-2.0
"""omp.json."""

from finegrain_lab.drop_in import TakenOver
from finegrain_lab.results import Record, ResultFile
from finegrain_lab.runtimes import PeerSettings

Interval = tuple[float, float]


class Row(Record):
    """A runtime, alone or with the drop-in, on a case.

    Ratios are medians of the rounds' own ratios, None where one of the two has none; `own` is the
    program's own runtime alone. An overhead of 0 or less has no ratios.
    """

    case: str
    runtime: str
    base: str | None  # the program's own runtime; None: serial
    policy: str | None  # the drop-in's; None: alone
    threads: int
    ns: float  # wall time of a batch; of an overhead, of one construct less its reference
    ci95: Interval
    over_own: float | None  # speedup: own time over this one; with the drop-in only
    over_own_ci95: Interval | None
    times_own: float | None  # the same ratio turned over: this time over the own one
    times_own_ci95: Interval | None
    over_serial: float | None  # speedup over the serial process
    over_serial_ci95: Interval | None
    offloaded_share: float  # of the tasks, on other threads than the one with most
    tasks: int  # explicit ones of a batch
    samples: list[float]  # of ns: a round's median over the batches of its processes


class Summary(Record):
    """A runtime with the drop-in over another one alone: all five kernels."""

    runtime: str
    over: str
    geomean: float  # of the kernels' speedups
    ci95: Interval
    least: float  # of them
    least_case: str


class Settings(Record):
    """What was run."""

    bases: list[str]
    policies: list[str]
    default_policy: str
    threads: int
    cpus: list[int]  # thread by thread
    peers: PeerSettings
    environment: dict[str, dict[str, str]]  # without where the drop-in is
    beside: dict[str, dict[str, str]]  # by case: variables of its own
    sizes: dict[str, list[int]]  # by case, as the programs told
    batches: dict[str, int]  # of a process, by case
    processes: dict[str, int]  # of a round, by case
    spin_steps_per_us: float | None
    taken_over: dict[str, TakenOver]  # by runtime, in a process ahead of the timed ones
    versions: dict[str, str]


class Result(ResultFile):
    """The result file."""

    settings: Settings
    cases: list[str]
    runtimes: list[str]
    results: list[Row]
    summary: list[Summary]

    def row(self, case: str, runtime: str) -> Row | None:
        """Returns the row, None if there is none."""
        key = (case, runtime)
        return next((row for row in self.results if (row.case, row.runtime) == key), None)

    def summary_of(self, runtime: str, over: str) -> Summary | None:
        """Returns the line, None where a kernel is missing."""
        key = (runtime, over)
        return next((line for line in self.summary if (line.runtime, line.over) == key), None)

    def has_failed(self, case: str, runtime: str) -> bool:
        """Says whether the runtime gave no sample of this case."""
        return any((line.case, line.runtime) == (case, runtime) for line in self.failed)
