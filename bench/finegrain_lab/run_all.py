# SPDX-License-Identifier: Apache-2.0
"""All experiments into one folder, one after the other; what was ended goes on where it was."""

import hashlib
import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from pydantic import Field, ValidationError
from rich.console import Console

from finegrain_lab.errors import LabError, fault_of, reason_of
from finegrain_lab.experiment import Experiment
from finegrain_lab.results import Record, ResultFile, write_whole
from finegrain_lab.runtimes import Build, Cpus
from finegrain_lab.table import new_table

NAME = "all"
FILE = "all.json"


class Ledger(Record):
    """What a folder's run is of, and what of it could not be had: the file all.json.

    What has been measured is told by the result files beside it, each written whole or not at all,
    and by the journal of the experiment that was under way.
    """

    schema_version: Literal[1] = Field(alias="schema", default=1)
    mode: str
    cpus: Cpus | None  # as asked for
    build: str  # the programs' fingerprint
    failed: dict[str, str]  # by experiment, why it has no result


def fingerprint(build: Build) -> str:
    """Returns what changes when any of the build's programs, or the drop-in, is built again."""
    digest = hashlib.sha256()
    drop_in = [build.drop_in()] if build.manifest.drop_in else []
    for path in sorted((build.folder / "bench").rglob("*")) + drop_in:
        if path.is_file() and (os.access(path, os.X_OK) or path in drop_in):
            status = path.stat()
            digest.update(f"{path.name} {status.st_size} {status.st_mtime_ns}\n".encode())
    return digest.hexdigest()[:16]


def begun(experiments: Sequence[Experiment[Any]], folder: Path, wanted: Ledger) -> Ledger:
    """Returns the folder's ledger, a new one if it has none.

    Raises LabError where the folder holds a run of something else.
    """
    path = folder / FILE
    if not path.exists():
        for experiment in experiments:
            if experiment.is_in(folder):
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
    ):
        if had != has:
            raise LabError(
                f"the run in {folder} was begun with the {what} {had}, not {has}: take another "
                "folder with --out"
            )
    return found


def journal_path(folder: Path, experiment: Experiment[Any]) -> Path:
    """Returns where the processes of an experiment under way are kept."""
    return folder / f"{experiment.name}.partial"


def failed_in(folder: Path) -> dict[str, str]:
    """Returns the experiments that a run of all in this folder failed as a whole, and why.

    Raises LabError for a broken ledger.
    """
    path = folder / FILE
    return _read(path).failed if path.exists() else {}


def _read(path: Path) -> Ledger:
    try:
        return Ledger.model_validate_json(path.read_bytes())
    except OSError as error:
        raise LabError(f"can not read {path}: {reason_of(error)}") from error
    except ValidationError as error:
        raise LabError(f"{path} is not of a run of all: {fault_of(error)}") from error


def write_ledger(folder: Path, ledger: Ledger) -> None:
    """Writes it, whole or not at all. Raises LabError."""
    write_whole(folder / FILE, ledger.model_dump_json(indent=1, by_alias=True) + "\n")


def run_all(
    experiments: Sequence[Experiment[Any]],
    folder: Path,
    wanted: Ledger,
    measure: Callable[[Experiment[Any]], ResultFile],
    console: Console,
) -> bool:
    """Measures all experiments that have no result in the folder yet, in this order.

    `measure` runs one, goes on by its journal if there is one, and leaves its files in the folder.
    An experiment that fails as a whole is noted, and does not stop the others. Returns whether
    nothing at all has failed. Raises LabError where the folder holds a run of something else.
    """
    ledger = begun(experiments, folder, wanted)
    # A broken file is told before anything is measured.
    results: dict[str, ResultFile] = {
        experiment.name: experiment.load(folder)
        for experiment in experiments
        if experiment.is_in(folder)
    }
    for number, experiment in enumerate(experiments, 1):
        place = f"{number} of {len(experiments)}, {experiment.name}"
        if experiment.name in results:
            _say(console, f"{place}: measured before")
            journal_path(folder, experiment).unlink(missing_ok=True)
            continue
        _say(console, place)
        failed = {name: why for name, why in ledger.failed.items() if name != experiment.name}
        try:
            results[experiment.name] = measure(experiment)
        except LabError as error:
            failed[experiment.name] = str(error)
            _say(console, f"{experiment.name}: failed: {error}")
        ledger = ledger.model_copy(update={"failed": failed})
        write_ledger(folder, ledger)
    return _summarize(results, folder, ledger, console)


def _summarize(
    results: Mapping[str, ResultFile], folder: Path, ledger: Ledger, console: Console
) -> bool:
    shown = new_table("all experiments", "")
    for column in ("rounds", "seconds", "failed"):
        shown.add_column(column, justify="right")
    failures: list[str] = []
    for name, result in results.items():
        shown.add_row(name, str(result.rounds), f"{result.seconds:.0f}", str(len(result.failed)))
        failures += [f"{name}: {failure.told()}" for failure in result.failed]
    for name, why in ledger.failed.items():
        shown.add_row(name, "", "", "[red]all[/red]")
        failures.append(f"{name}: failed: {why}")
    console.print(shown)
    for line in failures:
        _say(console, line)
    _say(console, f"the report: ./lab report {folder}")
    return not failures


def _say(console: Console, text: str) -> None:
    console.print(text, highlight=False, markup=False, soft_wrap=True)
