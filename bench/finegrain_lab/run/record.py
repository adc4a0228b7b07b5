# SPDX-License-Identifier: Apache-2.0
"""The file of a run: every process as it ended, written as it ends. Journal and result are one.

A line is a JSON object. The first says what the run is of. A run asks for its processes in an order
that follows from that, from the seed of its order and from what they answered. So their answers, in
that order, say how far it had come: started again it asks for the same processes, and is answered
from the file until that is at its end. Should it ask for another one than came next, because it is
another version of the lab, or has time for a round that it had none for, it drops what the file has
from there on. The last line says how the run ended; until there is one the file has the suffix
`.partial`, then `.jsonl`.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Dict, Optional

from finegrain_lab.run.accounts import Span
from finegrain_lab.run.errors import LabError, NotWritten, reason_of
from finegrain_lab.run.shapes import Misfit, fit, parse_json

SCHEMA = 4
PARTIAL, WHOLE = ".partial", ".jsonl"
PACKED = WHOLE + ".gz"  # as a run is published
OLD = ".json"  # of schemas 1 to 3


# What of a host has to be the same where a run goes on.
SAME_HOST = ("cpu", "family", "model", "stepping", "kernel", "used_cpus", "node")


@dataclass(frozen=True)
class Ended:
    """How a process ended."""

    status: Optional[int]  # None: not in time, or never started
    output: Any  # on standard output: what the JSON says, or the text that is none
    complaint: str  # on standard error; why it was not started
    seconds: float
    beside: Optional[Span] = None  # what else ran meanwhile; None: not recorded
    was_started: bool = True

    @property
    def fields(self) -> dict[str, Any]:
        """As a line of the file has them; `asdict` would go through all of the output."""
        return {**vars(self), "beside": asdict(self.beside) if self.beside else None}


def result_path(folder: Path, experiment: str) -> Path | None:
    """Returns where an experiment's result file is, None without one; of two the newer kind."""
    paths = (folder / f"{experiment}{suffix}" for suffix in (WHOLE, PACKED, OLD))
    return next((path for path in paths if path.exists()), None)


class Record:
    """The file of one run. For one thread, and no other process meanwhile: see `exclusive`."""

    def __init__(self, folder: Path, name: str, begun: Mapping[str, Any]) -> None:
        """Goes on with the run of this name in the folder, if that was begun as `begun` says.

        Else begins it anew. Raises LabError.
        """
        self._path, self._whole = folder / f"{name}{PARTIAL}", folder / f"{name}{WHOLE}"
        self.replayed_s = 0.0  # the time of the processes that the file answered for
        self.resumed = 0  # how many times the run was ended and went on
        wanted = json.loads(json.dumps({"schema": SCHEMA, "experiment": name, **begun}))
        lines = list(self._read())
        if lines and _essence(lines[0][1]) == _essence(wanted):
            self.resumed = 1 + sum("resumed" in line for _, line in lines)
            self._append({"resumed": self.resumed})
        else:
            lines = []
            self.give_up()
            self._append(wanted)
        self._known = iter([(at, line) for at, line in lines if "asked" in line])

    def answer(self, asked: str, about: Mapping[str, Any], run: Callable[[], Ended]) -> Ended:
        """Returns how the process ended before, else runs it. Raises LabError.

        `asked` has to be the same for the same process, and what it is `about`.
        """
        at, known = next(self._known, (0, None))
        if known and known["asked"] == asked:
            ended: Ended = fit(known, Ended)
            self.replayed_s += ended.seconds
            return ended
        if known:
            self._drop_from(at)
        new = run()
        self._append({"asked": asked, **about, **new.fields})
        return new

    def end(self, ending: Mapping[str, Any]) -> Path:
        """Writes how the run ended, and returns the file, which is whole. Raises LabError."""
        at, known = next(self._known, (0, None))
        if known:
            self._drop_from(at)
        self._append({"ended": ending})
        with self._writing():
            self._path.replace(self._whole)
        return self._whole

    def give_up(self) -> None:
        """Forgets the run: what failed as a whole is measured anew. Raises LabError."""
        with self._writing():
            self._path.unlink(missing_ok=True)

    def _read(self) -> Iterator[tuple[int, dict[str, Any]]]:
        """Returns the lines with where they begin.

        One that is not whole was being written as the command was killed. None of another schema.
        """
        try:
            text = self._path.read_bytes() if self._path.exists() else b""
            whole = text[: text.rfind(b"\n") + 1]
            if whole != text:
                os.truncate(self._path, len(whole))
            at = 0
            for line in whole.splitlines(keepends=True):
                said = fit(parse_json(line), Dict[str, Any])
                if at == 0 and said.get("schema") != SCHEMA:
                    return
                if "asked" in said and fit(said, Ended).seconds < 0:
                    raise Misfit("seconds: are below 0")
                yield at, said
                at += len(line)
        except OSError as error:
            raise LabError(f"cannot read {self._path}: {reason_of(error)}") from error
        except Misfit as error:
            raise LabError(f"{self._path} is of no run of this lab: remove it") from error

    def _drop_from(self, at: int) -> None:
        self._known = iter(())
        with self._writing():
            os.truncate(self._path, at)
        self._append({"resumed": self.resumed})

    def _append(self, line: Mapping[str, Any]) -> None:
        with self._writing(), self._path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")

    @contextmanager
    def _writing(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise NotWritten(f"cannot write {self._path}: {reason_of(error)}") from error


def _essence(begun: Mapping[str, Any]) -> dict[str, Any]:
    host = begun.get("host") or {}
    return {**begun, "host": {key: host.get(key) for key in SAME_HOST}}
