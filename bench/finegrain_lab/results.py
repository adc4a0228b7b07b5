"""The result file: its schema, and reading and writing it whole or not at all."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from finegrain_lab.errors import LabError, reason_of


class Record(BaseModel):
    """Part of a result file."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class Host(Record):
    """Where and with what the numbers were measured. No names of machines."""

    cpu: str
    vendor: str
    family: str
    model: str
    stepping: str
    architecture: str
    cpus_online: int
    cpus_allowed: list[int]
    used_cpus: tuple[int, int]
    placement: str
    smt: str
    used_cpus_are_siblings: bool | None  # None: not exposed
    caches: list[str]
    hypervisor: bool
    kernel: str
    governor: str
    cgroup_quota_cpus: float | None
    compiler: str
    flags: str
    build_type: str
    commit: str
    dirty: bool | None
    python: str
    time_utc: str
    load_before: tuple[float, float, float]
    load_after: tuple[float, float, float]


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


class Missing(Record):
    """A runtime that the build does not have."""

    runtime: str
    how_to_get: str


class Failure(Record):
    """A runtime that gave no sample of a case."""

    runtime: str
    case: str
    reason: str


class Settings(Record):
    """How the peers were set up."""

    peers: Literal["tuned", "default"]
    environment: dict[str, dict[str, str]]


class Built(Record):
    """How one runtime was built."""

    compiler: str
    flags: str


class Result(Record):
    """One experiment's result file."""

    schema_version: Literal[1] = Field(alias="schema")
    experiment: str
    mode: str
    host: Host
    settings: Settings
    cases: list[str]
    runtimes: list[str]  # measured, in the order of the tables
    built: dict[str, Built]
    missing: list[Missing]
    failed: list[Failure]
    notes: dict[str, list[str]]  # by runtime: what a reader must know
    floor_ns: float
    floor_samples: list[float]
    bound: float | None  # None: not all kernels were measured
    bounds: dict[str, float]
    spin_steps_per_us: float | None
    rounds: int
    seconds: float
    seed: int
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


def result_path(folder: Path, experiment: str) -> Path:
    """Returns where an experiment's result file is."""
    return folder / f"{experiment}.json"


def save_result(folder: Path, result: Result) -> Path:
    """Writes the result file, whole or not at all. Raises LabError."""
    path = result_path(folder, result.experiment)
    write_whole(path, result.model_dump_json(indent=1, by_alias=True) + "\n")
    return path


def load_result(folder: Path, experiment: str) -> Result:
    """Reads a result file. Raises LabError if it is missing, broken or of something else."""
    path = result_path(folder, experiment)
    try:
        result = Result.model_validate_json(path.read_bytes())
    except FileNotFoundError as error:
        raise LabError(f"no result in {folder} ({path.name} is missing)") from error
    except OSError as error:
        raise LabError(f"can not read {path}: {reason_of(error)}") from error
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"]) or "the file"
        raise LabError(
            f"{path} is not a result file of this lab: {where}: {first['msg']}"
        ) from error
    if result.experiment != experiment:
        raise LabError(f"{path} is a result of '{result.experiment}', not of '{experiment}'")
    return result


def write_whole(path: Path, text: str) -> None:
    """Writes the file under another name in its folder and renames it. Raises LabError."""
    try:
        descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        temporary = Path(name)
        try:
            with os.fdopen(descriptor, "w", encoding="utf-8") as file:
                file.write(text)
            temporary.chmod(0o644)  # mkstemp's file is the owner's alone
            temporary.replace(path)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise
    except OSError as error:
        raise LabError(f"can not write {path}: {reason_of(error)}") from error


@contextmanager
def writable(folder: Path) -> Iterator[None]:
    """Makes the folder and makes sure, before any work, that files can be written into it.

    Folders that it made are gone afterwards if nothing came to be in them. Raises LabError.
    """
    made = [path for path in (folder, *folder.parents) if not path.exists()]
    try:
        try:
            folder.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=folder):
                pass
        except OSError as error:
            raise LabError(f"can not write into {folder}: {reason_of(error)}") from error
        yield
    finally:
        for path in made:
            with suppress(OSError):  # not empty, or never made
                path.rmdir()
