# SPDX-License-Identifier: Apache-2.0
"""The file of a run: every process as it ended, written as it ends. Journal and result are one.

A line is a JSON object. The first says what the run is of. A run asks for its processes in an order
that follows from that, from the seed of its order and from what they answered. So their answers, in
that order, say how far it had come: started again it asks for the same processes, and is answered
from the file until that is at its end. The last line says how it ended; until there is one the file
has the suffix `.partial`, then `.jsonl`.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Dict, Optional

from finegrain_lab.run.accounts import Span
from finegrain_lab.run.errors import LabError, NotWritten, reason_of
from finegrain_lab.run.shapes import Misfit, fit, parse_json

SCHEMA = 4
PARTIAL, WHOLE = ".partial", ".jsonl"


@dataclass(frozen=True)
class Ended:
    """How a process ended."""

    status: Optional[int]  # None: not in time
    output: Any  # on standard output: what the JSON says, or the text that is none
    complaint: str  # on standard error
    seconds: float
    beside: Optional[Span] = None  # what else ran meanwhile; None: not recorded


class Record:
    """The file of one run. For one thread."""

    def __init__(self, folder: Path, name: str, begun: Mapping[str, Any]) -> None:
        """Goes on with the run of this name in the folder, if that was begun as `begun` says.

        Else begins it anew; of the host, the CPUs that were used have to be the same. Raises
        LabError.
        """
        self._path, self._whole = folder / f"{name}{PARTIAL}", folder / f"{name}{WHOLE}"
        self.replayed_s = 0.0  # the time of the processes that the file answered for
        self.resumed = 0  # how many times the run was ended and went on
        wanted = json.loads(json.dumps({"schema": SCHEMA, "experiment": name, **begun}))
        lines = list(self._read())
        if lines and _essence(lines[0]) == _essence(wanted):
            self.resumed = 1 + sum("resumed" in line for line in lines)
            self._append({"resumed": self.resumed})
        else:
            lines = []
            self._path.unlink(missing_ok=True)
            self._append(wanted)
        self._known = iter([line for line in lines if "asked" in line])

    def answer(self, asked: str, about: Mapping[str, Any], run: Callable[[], Ended]) -> Ended:
        """Returns how the process ended before, else runs it. Raises LabError.

        `asked` has to be the same for the same process, and what it is `about`.
        """
        known = next(self._known, None)
        if known is None:
            new = run()
            self._append({"asked": asked, **about, **asdict(new)})
            return new
        if known["asked"] != asked:
            self.give_up()
            raise LabError("it was begun by another version of this lab; what it had is given up")
        ended: Ended = fit(known, Ended)
        self.replayed_s += ended.seconds
        return ended

    def end(self, ending: Mapping[str, Any]) -> Path:
        """Writes how the run ended, and returns the file, which is whole. Raises LabError."""
        self._append({"ended": ending})
        self._path.replace(self._whole)
        return self._whole

    def give_up(self) -> None:
        """Forgets the run: what failed as a whole is measured anew."""
        self._path.unlink(missing_ok=True)

    def _read(self) -> Iterator[dict[str, Any]]:
        """Returns the lines; one that is not whole was being written as the command was killed."""
        try:
            text = self._path.read_bytes() if self._path.exists() else b""
            whole = text[: text.rfind(b"\n") + 1]
            if whole != text:
                os.truncate(self._path, len(whole))
            for line in whole.splitlines():
                said = fit(parse_json(line), Dict[str, Any])
                if "asked" in said and fit(said, Ended).seconds < 0:
                    raise Misfit("seconds: are below 0")
                yield said
        except OSError as error:
            raise LabError(f"cannot read {self._path}: {reason_of(error)}") from error
        except Misfit as error:
            raise LabError(f"{self._path} is of no run of this lab: remove it") from error

    def _append(self, line: Mapping[str, Any]) -> None:
        try:
            with self._path.open("a", encoding="utf-8") as file:
                file.write(json.dumps(line) + "\n")
        except OSError as error:
            raise NotWritten(f"cannot write {self._path}: {reason_of(error)}") from error


def _essence(begun: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in begun.items() if key != "host"}
