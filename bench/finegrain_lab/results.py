# SPDX-License-Identifier: Apache-2.0
"""The result file: its schema, and reading and writing it whole or not at all."""

import json
import os
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Literal, TypedDict, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from finegrain_lab.errors import LabError, fault_of, reason_of


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


class Beside(Record):
    """What else ran on a run's CPUs, by the kernel's accounts: by round, in shares of one CPU."""

    cpus: list[int] = Field(min_length=1)  # the run's, and their SMT siblings
    foreign: list[float] = Field(min_length=1)  # used by other processes and by the kernel
    stolen: list[float]  # given to others by the hypervisor
    disturbed: list[int]  # the rounds, from 0, that had more of either than a quiet machine has
    repeated: int = Field(ge=0)  # how many rounds were taken again for that
    left_out: int = Field(ge=0)  # and how many are not among these


class Missing(Record):
    """A runtime that the build does not have."""

    runtime: str
    how_to_get: str


class Failure(Record):
    """A runtime that gave no sample of a case."""

    runtime: str
    case: str
    reason: str

    def told(self) -> str:
        """Returns the line that tells of it."""
        return f"{self.runtime}: failed on {self.case}: {self.reason}"


class ResultFile(Record):
    """What every experiment's result file says beside its own rows."""

    schema_version: Literal[3] = Field(alias="schema")
    experiment: str
    mode: str
    host: Host
    resumed: int = Field(ge=0)  # how many times the run was ended and went on
    beside: Beside | None  # None: not recorded
    missing: list[Missing]
    failed: Sequence[Failure]
    notes: dict[str, list[str]]  # by runtime: what a reader must know
    floor_ns: float
    floor_samples: list[float] = Field(min_length=1)
    rounds: int
    seconds: float
    seed: int


class Header(TypedDict):
    """The part of a result file that is made alike for every experiment."""

    schema: Literal[3]
    experiment: str
    mode: str
    host: Host
    resumed: int
    beside: Beside | None
    floor_ns: float
    floor_samples: list[float]
    rounds: int
    seconds: float
    seed: int


ResultT = TypeVar("ResultT", bound=ResultFile)

SCHEMA = 3
# From this schema to the next one: returns what the file says, as that has it.
_MIGRATIONS: dict[int, Callable[[dict[str, Any]], dict[str, Any]]] = {
    1: lambda said: said | {"resumed": 0},  # a run that was ended left no file
    2: lambda said: said | {"beside": None},
}


def result_path(folder: Path, experiment: str) -> Path:
    """Returns where an experiment's result file is."""
    return folder / f"{experiment}.json"


def save_result(folder: Path, result: ResultFile) -> Path:
    """Writes the result file, whole or not at all. Raises LabError."""
    path = result_path(folder, result.experiment)
    write_whole(path, result.model_dump_json(indent=1, by_alias=True) + "\n")
    return path


def load_result(folder: Path, experiment: str, kind: type[ResultT]) -> ResultT:
    """Reads a result file, of an older schema too.

    Raises LabError if it is missing, broken, of a newer schema or of something else.
    """
    path = result_path(folder, experiment)
    try:
        result = kind.model_validate(_migrated(path, json.loads(path.read_bytes())))
    except OSError as error:
        raise LabError(f"can not read {path}: {reason_of(error)}") from error
    except ValidationError as error:
        raise LabError(f"{path} is not a result file of this lab: {fault_of(error)}") from error
    except (ValueError, RecursionError) as error:  # no JSON, no text, or too deep
        raise LabError(f"{path} is not a result file of this lab: {error}") from error
    if result.experiment != experiment:
        raise LabError(f"{path} is a result of '{result.experiment}', not of '{experiment}'")
    return result


def _migrated(path: Path, said: Any) -> Any:
    """Returns what the file says as today's schema has it; what has no schema, as it is."""
    schema = said.get("schema") if isinstance(said, dict) else None
    if not isinstance(schema, int):
        return said
    if schema > SCHEMA:
        raise LabError(f"{path}: schema {schema} is newer than this lab knows ({SCHEMA})")
    for older in range(schema, SCHEMA):
        if older not in _MIGRATIONS:
            raise LabError(f"{path}: schema {schema} is older than this lab can read")
        said = _MIGRATIONS[older](said) | {"schema": older + 1}
    return said


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
