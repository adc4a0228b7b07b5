"""tasking-overhead.json, producers.json."""

from finegrain_lab.results import Record, ResultFile
from finegrain_lab.runtimes import PeerSettings


class Row(Record):
    """A runtime on a case and a number of threads.

    `of_reference` is the median of the rounds' own ratios of times.
    """

    case: str
    runtime: str
    threads: int
    producers: int
    ns: float  # wall time per task
    ci95: tuple[float, float]
    value: float  # what the paper plots, by the settings' measure
    value_ci95: tuple[float, float]
    of_reference: float  # time over the reference's on as many threads; serial's: on the most
    of_reference_ci95: tuple[float, float]
    offloaded_share: float  # of the tasks, on other threads than the busiest
    tasks: list[int]  # of a batch, in its processes
    samples: list[float]  # of ns: a process's mean without the best and the worst batch


class Settings(Record):
    """What was run."""

    reference: str
    measure: str
    unit: str
    threads: list[int]
    cpus: list[int]  # thread by thread
    batches: int
    batch_ms: int
    spin_steps_per_us: float | None  # None: no delays
    peers: PeerSettings
    environment: dict[str, dict[str, str]]  # of the most threads
    versions: dict[str, str]


class Result(ResultFile):
    """The result file."""

    settings: Settings
    paper: list[str]  # what the paper's text says of its own machine
    cases: list[str]
    runtimes: list[str]
    results: list[Row]

    def row(self, case: str, runtime: str, threads: int) -> Row | None:
        """Returns the row, None if there is none."""
        key = (case, runtime, threads)
        found = (row for row in self.results if (row.case, row.runtime, row.threads) == key)
        return next(found, None)

    def rows(self, runtime: str, threads: int) -> list[Row]:
        """Returns the runtime's rows on so many threads, in the order of the cases."""
        return [row for case in self.cases if (row := self.row(case, runtime, threads))]
