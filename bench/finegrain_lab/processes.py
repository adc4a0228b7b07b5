# SPDX-License-Identifier: Apache-2.0
"""Starts one process of the lab and reads the one JSON object that it prints (bench/README.md)."""

import errno
import functools
import os
import shutil
import subprocess
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from finegrain_lab import beside, journal
from finegrain_lab.errors import reason_of
from finegrain_lab.journal import Ended

TIMEOUT_S = 120.0  # a sample lasts seconds at most; this is a hang
WRONG_RESULT_STATUS = 3

# Variables that steer a runtime, or put other code into the process, never leak in from outside.
FOREIGN_PREFIXES = (
    "OMP_",
    "KMP_",
    "GOMP_",
    "LIBOMP_",
    "TBB_",
    "TCM_",
    "CILK_",
    "TF_",
    "HPX_",
    "QT_",
    "QTHREAD_",
    "FINEGRAIN_",
)
FOREIGN_NAMES = ("LD_PRELOAD",)


class ProcessFailed(Exception):  # noqa: N818 - says what happened
    """A process gave no whole sample; the text says why."""


class WrongResult(ProcessFailed):
    """A kernel's result was wrong: nothing that this build measures can be believed."""


class Output(BaseModel):
    """What any of the lab's processes prints."""

    model_config = ConfigDict(frozen=True, allow_inf_nan=False)


class Sample(Output):
    """What `relic-kernels-<runtime>` prints."""

    runtime: str
    case: str
    iterations: int = Field(gt=0)
    ns: float = Field(gt=0)
    offloaded_share: float = Field(ge=0, le=1)
    main_cpu: int
    task_cpus: list[int]
    version: str
    note: str


class RelicOutput(Output):
    """What a program says of the relic that it made."""

    main_cpu: int
    assistant_cpu: int | None
    note: str = ""

    @property
    def task_cpus(self) -> list[int]:
        """Where tasks were seen."""
        return [] if self.assistant_cpu is None else [self.assistant_cpu]


class Floor(Output):
    """What `floor` prints."""

    floor_ns: list[float] = Field(min_length=1)
    cpus: tuple[int, int]


class Calibration(Output):
    """What `calibrate` prints."""

    spin_steps_per_us: float = Field(gt=0)


OutputT = TypeVar("OutputT", bound=Output)


def clean_environment(settings: Mapping[str, str]) -> dict[str, str]:
    """Returns this process's environment without foreign settings, and with these."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(FOREIGN_PREFIXES) and name not in FOREIGN_NAMES
    }
    return kept | dict(settings)


def run_process(
    command: Sequence[str | Path],
    kind: type[OutputT],
    settings: Mapping[str, str] | None = None,
    timeout_s: float = TIMEOUT_S,
) -> OutputT:
    """Runs the command to its end and returns what it printed: see `run_and_listen`."""
    return run_and_listen(command, kind, settings, timeout_s)[0]


def run_and_listen(
    command: Sequence[str | Path],
    kind: type[OutputT],
    settings: Mapping[str, str] | None = None,
    timeout_s: float = TIMEOUT_S,
) -> tuple[OutputT, list[str]]:
    """Runs the command to its end; returns what it printed, and its lines on standard error.

    The process is over when this returns or raises, also when the caller is interrupted. Raises
    WrongResult for status 3 and ProcessFailed for every other way not to give a whole object.
    """
    settings = settings or {}
    try:
        ended = journal.answer(
            command, settings, functools.partial(_communicate, command, settings, timeout_s)
        )
    except OSError as error:
        raise ProcessFailed(f"can not be started: {reason_of(error)}") from error
    if watch := beside.current():
        watch.note(ended.beside)
    if ended.status is None:
        raise ProcessFailed(f"gave no sample in {timeout_s:g} s")
    if ended.status != 0:
        raise _failure(ended.status, ended.complaint)
    try:
        return kind.model_validate_json(ended.output), ended.complaint.splitlines()
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        raise ProcessFailed(f"printed no valid sample: {where} {first['msg']}".strip()) from error


def _communicate(
    command: Sequence[str | Path], settings: Mapping[str, str], timeout_s: float
) -> Ended:
    if shutil.which(command[0]) is None:  # setpriv would start, and fail behind that
        code = errno.EACCES if Path(command[0]).exists() else errno.ENOENT
        raise OSError(code, os.strerror(code))
    begin = time.monotonic()
    with subprocess.Popen(
        [*_ending_with_parent(), *command],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
        env=clean_environment(settings),
    ) as process:
        try:
            output, complaint = process.communicate(timeout=timeout_s)
            status: int | None = process.returncode
        except subprocess.TimeoutExpired:
            _end(process)
            status, output, complaint = None, "", ""
        except BaseException:
            # subprocess.run would kill it too, but after Ctrl-C would not wait for its end: the
            # next thing that this machine measures then runs beside it.
            _end(process)
            raise
    watch = beside.current()
    return Ended(
        status=status,
        output=output,
        complaint=complaint,
        seconds=time.monotonic() - begin,
        beside=watch.lap() if watch else None,
    )


@functools.cache
def _ending_with_parent() -> tuple[str, ...]:
    """Returns what to put ahead of a command that is to end with this process, however that ends.

    What a killed command left running would disturb the one that goes on. Nothing where there is no
    setpriv, or one that can not. A function between fork and exec would take 4 ms more a process.
    """
    ahead = ("setpriv", "--pdeathsig", "KILL")
    try:
        works = subprocess.run([*ahead, "true"], capture_output=True, check=False).returncode == 0
    except OSError:
        works = False
    return ahead if works else ()


def _end(process: subprocess.Popen[str]) -> None:
    process.kill()
    process.wait()


def _failure(status: int, complaint: str) -> ProcessFailed:
    lines = [line.strip() for line in complaint.splitlines() if line.strip()]
    said = lines[-1] if lines else "it said nothing"
    if status == WRONG_RESULT_STATUS:
        return WrongResult(said)
    ended = f"killed by signal {-status}" if status < 0 else f"exit status {status}"
    return ProcessFailed(f"{ended}: {said}")
