"""spawn.json."""

from finegrain_lab.results import Record, ResultFile
from finegrain_lab.runtimes import PeerSettings


class Row(Record):
    """A runtime on a number of threads.

    Ratios are medians of the rounds' own ratios. `speedup` is over the same runtime on one thread
    (the ceiling's: over serial), `of_ceiling` is that over the ceiling's; both are None on one
    thread, and where one thread failed.
    """

    case: str
    runtime: str
    threads: int
    ns: float  # wall time per spawn
    ci95: tuple[float, float]
    of_reference: float  # over the reference on as many threads
    of_reference_ci95: tuple[float, float]
    speedup: float | None
    speedup_ci95: tuple[float, float] | None
    of_ceiling: float | None
    of_ceiling_ci95: tuple[float, float] | None
    offloaded_share: float  # of the leaves, on other threads than the root's
    n: list[int]  # fib of what, in its processes
    samples: list[float]  # of ns: a process's median


class Settings(Record):
    """What was run."""

    reference: str
    threads: list[int]
    cpus: list[int]  # thread by thread
    batches: int
    batch_ms: int
    peers: PeerSettings
    environment: dict[str, dict[str, str]]  # of the most threads
    versions: dict[str, str]


class Result(ResultFile):
    """The result file."""

    settings: Settings
    cases: list[str]
    runtimes: list[str]
    results: list[Row]

    def row(self, runtime: str, threads: int) -> Row | None:
        """Returns the row, None if there is none."""
        key = (runtime, threads)
        return next((row for row in self.results if (row.runtime, row.threads) == key), None)

    def failed_on(self, runtime: str, told: str) -> bool:
        """Says whether the runtime gave no sample of this case."""
        return any((line.runtime, line.case) == (runtime, told) for line in self.failed)
