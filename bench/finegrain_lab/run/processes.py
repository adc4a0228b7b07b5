# SPDX-License-Identifier: Apache-2.0
"""Starts processes, and reads the one JSON object that each prints (bench/README.md)."""

from __future__ import annotations

import errno
import functools
import hashlib
import os
import re
import shutil
import subprocess
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

from finegrain_lab.run.ahead import Ahead
from finegrain_lab.run.beside import Watch
from finegrain_lab.run.errors import reason_of
from finegrain_lab.run.experiment import Command
from finegrain_lab.run.loader import start_of
from finegrain_lab.run.record import Ended, Record
from finegrain_lab.run.shapes import Misfit, fit, parse_json

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


T = TypeVar("T")


class Processes:
    """Runs processes, one after the other or ahead, and keeps how they ended. For one thread."""

    def __init__(
        self, record: Record | None = None, watch: Watch | None = None, ahead: Ahead | None = None
    ) -> None:
        """Answers from the record what that has; the watch counts what else runs meanwhile.

        With `ahead` they are started before they are asked for.
        """
        self.record = record
        self.ahead = ahead
        self.runs = 0  # processes that the record did not answer for
        self._watch = watch

    def run(self, command: Command, kind: type[T], about: Mapping[str, Any] | None = None) -> T:
        """Runs the command to its end and returns what it printed: see `listen`."""
        return self.listen(command, kind, about)[0]

    def listen(
        self, command: Command, kind: type[T], about: Mapping[str, Any] | None = None
    ) -> tuple[T, list[str]]:
        """Runs the command to its end; returns what it printed, and its lines on standard error.

        The process is over when this returns or raises, also when the caller is interrupted. Raises
        WrongResult for status 3 and ProcessFailed for every other way not to give a whole object.
        """

        def start() -> Ended:
            self.runs += 1
            return self.ahead.run(command) if self.ahead else communicate(command, self._watch)

        ended = self.record.answer(_told(command), about or {}, start) if self.record else start()
        if self._watch:
            self._watch.note(ended.beside)
        return read(ended, kind, command.timeout_s), ended.complaint.splitlines()

    def clock(self) -> float:
        """Returns the seconds of a clock that counts what was measured before, too."""
        return time.monotonic() + (self.record.replayed_s if self.record else 0.0)


def read(ended: Ended, kind: type[T], timeout_s: float) -> T:
    """Returns what a process printed. Raises ProcessFailed, or WrongResult."""
    if not ended.was_started:
        raise ProcessFailed(f"cannot be started: {ended.complaint}")
    if ended.status is None:
        raise ProcessFailed(f"gave no sample in {timeout_s:g} s")
    if ended.status != 0:
        raise failure_of(ended.status, ended.complaint)
    try:
        found: T = fit(ended.output, kind)
    except Misfit as error:
        raise ProcessFailed(f"printed no valid sample: {error}") from error
    return found


def communicate(command: Command, watch: Watch | None = None) -> Ended:
    """Runs the command to its end, or until its time is over."""
    try:
        return _communicate(command, watch)
    except OSError as error:
        return Ended(None, "", reason_of(error), 0.0, was_started=False)


def _communicate(command: Command, watch: Watch | None) -> Ended:
    """Runs the command to its end, or until its time is over. Raises OSError."""
    if shutil.which(str(command.words[0])) is None:  # setpriv would start, and fail behind that
        code = errno.EACCES if Path(str(command.words[0])).exists() else errno.ENOENT
        raise OSError(code, os.strerror(code))
    words, environment = start_of([str(word) for word in command.words], command.environment)
    begin = time.monotonic()
    with subprocess.Popen(
        [*_ending_with_parent(), *words],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        universal_newlines=True,
        errors="replace",
        env=clean_environment(environment),
    ) as process:
        status: int | None
        try:
            output, complaint = process.communicate(timeout=command.timeout_s)
            status = process.returncode
        except subprocess.TimeoutExpired:
            _end(process)
            status, output, complaint = None, "", ""
        except BaseException:
            # subprocess.run would kill it too, but after Ctrl-C would not wait for its end: the
            # next thing that this machine measures then runs beside it.
            _end(process)
            raise
    said: Any = output
    with suppress(Misfit):  # that is kept as the text that it is: `read` tells what it is not
        said = command.kept(parse_json(output))
    return Ended(
        status=status,
        output=said,
        complaint=complaint,
        seconds=time.monotonic() - begin,
        beside=watch.lap() if watch else None,
    )


def clean_environment(settings: Mapping[str, str]) -> dict[str, str]:
    """Returns this process's environment without foreign settings, and with these."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(FOREIGN_PREFIXES) and name not in FOREIGN_NAMES
    }
    return {**kept, **settings}


@functools.lru_cache(maxsize=None)
def _ending_with_parent() -> tuple[str, ...]:
    """Returns what to put ahead of a command that is to end with this process, however that ends.

    What a killed command left running would disturb the one that goes on. Nothing where there is no
    setpriv, or one that cannot. A function between fork and exec would take 4 ms more a process.
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


def failure_of(status: int, complaint: str) -> ProcessFailed:
    """Returns what to say of a process that ended so."""
    lines = [line.strip() for line in complaint.splitlines() if line.strip()]
    said = lines[-1] if lines else "it said nothing"
    if status == WRONG_RESULT_STATUS:
        return WrongResult(said)
    ended = f"killed by signal {-status}" if status < 0 else f"exit status {status}"
    return ProcessFailed(f"{ended}: {said}")


def _told(command: Command) -> str:
    """Returns what tells the process from others; files by their names, wherever they are."""
    words = list(map(str, command.words))
    words += [f"{name}={value}" for name, value in sorted(command.environment.items())]
    named = (re.sub(r"[^\s:=]*/", "", word) for word in words)
    return hashlib.sha256("\0".join(named).encode()).hexdigest()[:16]
