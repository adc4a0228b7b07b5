# SPDX-License-Identifier: Apache-2.0
"""The processes of a run as they ended: a run that was killed goes on where it stopped.

A run asks for its processes in an order that follows from its plan, the seed of its order and what
they answered. So their answers, in that order, say how far it had come: started again it asks for
the same processes, and is answered from the file until that is at its end.
"""

import hashlib
import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from finegrain_lab.accounts import Span
from finegrain_lab.errors import LabError, reason_of


class Ended(BaseModel):
    """How a process ended."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    status: int | None  # None: not in time
    output: str
    complaint: str
    seconds: float = Field(ge=0, allow_inf_nan=False)
    beside: Span | None = None  # what else ran meanwhile; None: not recorded


class _Line(BaseModel):
    """A line of the file: a process that ended, or the start of the command."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    asked: str = ""
    ended: Ended | None = None


class Journal:
    """The file of one run. For one thread."""

    def __init__(self, path: Path) -> None:
        """Reads what there is of the file, and notes that the command was started. Raises LabError.

        A last line that is not whole was being written when the command was killed.
        """
        self._path = path
        self.replayed_s = 0.0  # the time of the processes that the file answered for
        try:
            lines = list(self._whole_lines())
        except OSError as error:
            raise LabError(f"can not read {path}: {reason_of(error)}") from error
        except ValidationError as error:
            raise LabError(f"{path} is of no run of this lab: remove it") from error
        self._append(_Line())
        # How many times the run was ended and went on.
        self.resumed = sum(line.ended is None for line in lines)
        self._known = iter([(line.asked, line.ended) for line in lines if line.ended])

    def answer(self, asked: str, run: Callable[[], Ended]) -> Ended:
        """Returns how the process ended before, else runs it. Raises LabError.

        `asked` has to be the same for the same process.
        """
        known = next(self._known, None)
        if known is None:
            ended = run()
            self._append(_Line(asked=asked, ended=ended))
            return ended
        asked_before, ended = known
        if asked_before != asked:
            raise LabError("it was begun by another version of this lab; what it had is given up")
        self.replayed_s += ended.seconds
        return ended

    def _whole_lines(self) -> Iterator[_Line]:
        text = self._path.read_bytes() if self._path.exists() else b""
        whole = text[: text.rfind(b"\n") + 1]
        if whole != text:
            os.truncate(self._path, len(whole))
        for line in whole.splitlines():
            yield _Line.model_validate_json(line)

    def _append(self, line: _Line) -> None:
        try:
            with self._path.open("a", encoding="utf-8") as file:
                file.write(line.model_dump_json() + "\n")
        except OSError as error:
            raise LabError(f"can not write {self._path}: {reason_of(error)}") from error


_current: ContextVar[Journal | None] = ContextVar("journal", default=None)


@contextmanager
def kept(path: Path) -> Iterator[None]:
    """Answers for this run's processes from the file, and adds to it those that are run.

    The file is gone afterwards, unless the command was ended from outside. Raises LabError.
    """
    token = _current.set(Journal(path))
    try:
        yield
    except LabError:
        path.unlink(missing_ok=True)  # what failed as a whole is measured anew
        raise
    finally:
        _current.reset(token)
    path.unlink(missing_ok=True)


@contextmanager
def left_out() -> Iterator[None]:
    """Runs processes whatever a journal knows: those that leave more than what they print."""
    token = _current.set(None)
    try:
        yield
    finally:
        _current.reset(token)


def answer(
    command: Sequence[str | Path], settings: Mapping[str, str], run: Callable[[], Ended]
) -> Ended:
    """Returns how this process ended before, if a journal is kept and knows, else runs it."""
    journal = _current.get()
    return journal.answer(_told(command, settings), run) if journal else run()


def resumed() -> int:
    """Returns how many times this run was ended and went on."""
    journal = _current.get()
    return journal.resumed if journal else 0


def clock() -> float:
    """Returns the seconds of a clock that counts what was measured before, too."""
    journal = _current.get()
    return time.monotonic() + (journal.replayed_s if journal else 0.0)


def _told(command: Sequence[str | Path], settings: Mapping[str, str]) -> str:
    """Returns what tells the process from others; a file by its name, wherever it is."""
    words = [Path(word).name if str(word).startswith("/") else str(word) for word in command]
    words += [f"{name}={value}" for name, value in sorted(settings.items())]
    return hashlib.sha256("\0".join(words).encode()).hexdigest()[:16]
