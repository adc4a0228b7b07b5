# SPDX-License-Identifier: Apache-2.0
"""A result as it is read: of a run's file with its samples, or of an older one with its rows."""

from __future__ import annotations

import gzip
import zlib
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from finegrain_lab.experiments import EXPERIMENTS
from finegrain_lab.run.beside import Beside
from finegrain_lab.run.errors import LabError, reason_of
from finegrain_lab.run.experiment import Experiment, Missing, Slot
from finegrain_lab.run.host import Host
from finegrain_lab.run.processes import ProcessFailed
from finegrain_lab.run.record import OLD, WHOLE, result_path
from finegrain_lab.run.shapes import Misfit
from finegrain_lab.show import old_files, rows
from finegrain_lab.show.errors import described
from finegrain_lab.show.rows import Failure, Fields
from finegrain_lab.show.statistics import median
from finegrain_lab.show.tables import FAILED, AnyCell

# What samples raise that no program gave: each has the shape that it should have, at most.
MISFITS = (ArithmeticError, AttributeError, LookupError, ProcessFailed, TypeError, ValueError)


@dataclass(frozen=True)
class Result:
    """What a run came to."""

    experiment: str
    mode: str
    host: Host
    resumed: int  # how many times the run was ended and went on
    beside: Beside | None  # None: not recorded
    floor_samples: Sequence[float]
    rounds: int
    seconds: float
    seed: int
    settings: Fields
    cases: Sequence[str]  # in the order of the tables, as are the runtimes
    runtimes: Sequence[str]
    rows: Sequence[Fields]
    missing: Sequence[Missing] = ()
    failed: Sequence[Failure] = ()
    notes: Mapping[str, Sequence[str]] = field(default_factory=dict)  # by runtime
    where: Callable[[Slot], str] = lambda slot: slot.case  # what a failure is told of

    @property
    def floor_ns(self) -> float:
        """The floor."""
        return median(self.floor_samples)

    @cached_property
    def _found(self) -> dict[tuple[str, ...], defaultdict[tuple[Any, ...], list[Fields]]]:
        """The rows by the values of those of their fields that were asked for: tables ask often."""
        return {}

    def rows_of(self, **fields: Any) -> list[Fields]:
        """Returns the rows that have these fields, in the order of the tables."""
        names = tuple(fields)
        if names not in self._found:
            found = self._found[names] = defaultdict(list)
            for row in self.rows:
                found[tuple(row[name] for name in names)].append(row)
        return list(self._found[names].get(tuple(fields.values()), ()))

    def row(self, **fields: Any) -> Fields | None:
        """Returns the first of them, None if there is none."""
        return next(iter(self.rows_of(**fields)), None)

    def at(self, cell: Callable[[Fields], AnyCell], **fields: Any) -> AnyCell:
        """Returns the cell of a row; that it failed, or nothing, where there is none."""
        if row := self.row(**fields):
            return cell(row)
        return FAILED if self.has_failed(**fields) else ""

    def has_failed(self, **fields: Any) -> bool:
        """Says whether there is no row with these fields because of a failure."""
        slot = Slot.of(**{"case": self.cases[0] if self.cases else "", **fields})
        key = (slot.runtime, self.where(slot))
        return any((failure.runtime, failure.case) == key for failure in self.failed)


def load(folder: Path, experiment: Experiment) -> Result:
    """Reads a result file. Raises LabError if it is missing, broken or of something else."""
    path = result_path(folder, experiment.name) or folder / f"{experiment.name}{WHOLE}"
    try:
        text = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
        reader = old_files if path.suffix == OLD else rows
        return Result(**reader.said(text, experiment), where=experiment.where)
    except OSError as error:
        raise LabError(f"cannot read {path}: {reason_of(error)}") from error
    except (EOFError, zlib.error) as error:
        raise LabError(f"cannot read {path}: its compressed data is broken") from error
    except MISFITS as error:
        told = str(error) if isinstance(error, Misfit | ProcessFailed) else described(error)
        raise LabError(f"{path} is not a result file of this lab: {told}") from error


def results_in(folder: Path) -> dict[Experiment, Result]:
    """Reads the result files of a folder. Raises LabError if one is broken, or there is none."""
    found = [it for it in EXPERIMENTS if result_path(folder, it.name)]
    if not found:
        names = ", ".join(f"{it.name}{WHOLE}" for it in EXPERIMENTS)
        raise LabError(f"no result in {folder} (none of {names})")
    return {experiment: load(folder, experiment) for experiment in found}
