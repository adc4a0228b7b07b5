# SPDX-License-Identifier: Apache-2.0
"""All experiments into one folder, one after the other; what was ended goes on where it was."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Dict, List, Optional, Tuple, TypeVar

from finegrain_lab.run.errors import LabError, NotWritten, reason_of
from finegrain_lab.run.experiment import Experiment, Request
from finegrain_lab.run.files import write_whole
from finegrain_lab.run.record import result_path
from finegrain_lab.run.runtimes import Build
from finegrain_lab.run.shapes import Misfit, fit, parse_json

NAME = "all"
FILE = "all.json"
THREADS = "--threads"  # the one option of experiments that it has

T = TypeVar("T")  # a result, as the caller reads it


@dataclass(frozen=True)
class Ledger:
    """What a folder's run is of, and what of it could not be had: the file all.json.

    What has been measured is told by the result files beside it, of which one may be partial.
    """

    mode: str
    cpus: Optional[Tuple[int, int]]  # as asked for
    build: str  # the programs' fingerprint
    failed: Dict[str, str] = field(default_factory=dict)  # by experiment, why it has no result
    threads: Optional[List[int]] = None  # as asked for, of the experiments that can be
    schema: int = 1


def begun(experiments: Sequence[Experiment], folder: Path, wanted: Ledger) -> Ledger:
    """Returns the folder's ledger, a new one if it has none.

    Raises LabError where the folder holds a run of something else.
    """
    path = folder / FILE
    if not path.exists():
        for experiment in experiments:
            if result_path(folder, experiment.name):
                raise LabError(
                    f"{folder} has a result of {experiment.name} that is of no run of all: take "
                    "another folder with --out"
                )
        write_ledger(folder, wanted)
        return wanted
    found = _read(path)
    for what, had, has in (
        ("mode", found.mode, wanted.mode),
        ("CPUs", found.cpus, wanted.cpus),
        ("build", found.build, wanted.build),
        ("threads", found.threads, wanted.threads),
    ):
        if had != has:
            raise LabError(
                f"the run in {folder} was begun with the {what} {had}, not {has}: take another "
                "folder with --out"
            )
    return found


def failed_in(folder: Path) -> dict[str, str]:
    """Returns the experiments that a run of all in this folder failed as a whole, and why.

    Raises LabError for a broken ledger.
    """
    path = folder / FILE
    return _read(path).failed if path.exists() else {}


def _read(path: Path) -> Ledger:
    try:
        ledger: Ledger = fit(parse_json(path.read_bytes()), Ledger)
        if ledger.schema != 1:
            raise Misfit(f"its schema is not 1, but {ledger.schema}")
        return ledger
    except OSError as error:
        raise LabError(f"cannot read {path}: {reason_of(error)}") from error
    except Misfit as error:
        raise LabError(f"{path} is not of a run of all: {error}") from error


def write_ledger(folder: Path, ledger: Ledger) -> None:
    """Writes it, whole or not at all. Raises LabError."""
    write_whole(folder / FILE, json.dumps(asdict(ledger), indent=1) + "\n")


def require_options(mode: str, options: Sequence[str]) -> None:
    """Raises LabError for a mode or an option that a run of all does not take."""
    refused = [option for option in options if option != THREADS]
    if refused or mode == "paper":
        raise LabError(f"all takes no {refused[0] if refused else '--paper'}", 2)


def request_of(experiment: Experiment, build: Build, wanted: Ledger) -> Request:
    """Returns what a run of all asks of one experiment."""
    threads = wanted.threads if THREADS in experiment.options else None
    is_brief = wanted.mode == "quick"
    mode = experiment.mode(wanted.mode)
    return Request(build, mode, wanted.cpus, threads=threads, is_brief=is_brief)


def run_all(
    experiments: Sequence[Experiment],
    folder: Path,
    wanted: Ledger,
    measure: Callable[[Experiment], T],
    load: Callable[[Path, Experiment], T],
    say: Callable[[str], None],
) -> tuple[dict[str, T], dict[str, str]]:
    """Measures all experiments that have no result in the folder yet, in this order.

    `measure` runs one, goes on by its journal if there is one, and leaves its files in the folder;
    `load` reads what it left. An experiment that fails as a whole is noted, and does not stop the
    others. Returns the results, and why the others have none. Raises LabError where the folder
    holds a run of something else.
    """
    ledger = begun(experiments, folder, wanted)
    # A broken file is told before anything is measured.
    results = {it.name: load(folder, it) for it in experiments if result_path(folder, it.name)}
    # The command may have been killed after a result was there and before this was noted.
    failed = {name: why for name, why in ledger.failed.items() if name not in results}
    ledger = replace(ledger, failed=failed)
    for number, experiment in enumerate(experiments, 1):
        place = f"{number} of {len(experiments)}, {experiment.name}"
        if experiment.name in results:
            say(f"{place}: measured before")
            continue
        say(place)
        failed = {name: why for name, why in ledger.failed.items() if name != experiment.name}
        try:
            results[experiment.name] = measure(experiment)
        except NotWritten:
            raise
        except LabError as error:
            failed[experiment.name] = str(error)
            say(f"{experiment.name}: failed: {error}")
        ledger = replace(ledger, failed=failed)
        write_ledger(folder, ledger)
    write_ledger(folder, ledger)
    return results, ledger.failed
