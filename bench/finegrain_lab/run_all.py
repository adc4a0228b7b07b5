# SPDX-License-Identifier: Apache-2.0
"""All experiments into one folder, one after the other; what was ended goes on where it was."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

from rich.console import Console

from finegrain_lab.run.errors import LabError, NotWritten, reason_of
from finegrain_lab.run.experiment import Experiment
from finegrain_lab.run.files import write_whole
from finegrain_lab.run.shapes import Misfit, fit, parse_json
from finegrain_lab.show.result import Result, load, result_path
from finegrain_lab.show.table import new_table

NAME = "all"
FILE = "all.json"


@dataclass(frozen=True)
class Ledger:
    """What a folder's run is of, and what of it could not be had: the file all.json.

    What has been measured is told by the result files beside it, of which one may be partial.
    """

    mode: str
    cpus: tuple[int, int] | None  # as asked for
    build: str  # the programs' fingerprint
    failed: dict[str, str] = field(default_factory=dict)  # by experiment, why it has no result
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


def run_all(
    experiments: Sequence[Experiment],
    folder: Path,
    wanted: Ledger,
    measure: Callable[[Experiment], Result],
    console: Console,
) -> bool:
    """Measures all experiments that have no result in the folder yet, in this order.

    `measure` runs one, goes on by its journal if there is one, and leaves its files in the folder.
    An experiment that fails as a whole is noted, and does not stop the others. Returns whether
    nothing at all has failed. Raises LabError where the folder holds a run of something else.
    """
    ledger = begun(experiments, folder, wanted)
    # A broken file is told before anything is measured.
    results: dict[str, Result] = {
        experiment.name: load(folder, experiment)
        for experiment in experiments
        if result_path(folder, experiment.name)
    }
    # The command may have been killed after a result was there and before this was noted.
    failed = {name: why for name, why in ledger.failed.items() if name not in results}
    ledger = replace(ledger, failed=failed)
    for number, experiment in enumerate(experiments, 1):
        place = f"{number} of {len(experiments)}, {experiment.name}"
        if experiment.name in results:
            _say(console, f"{place}: measured before")
            continue
        _say(console, place)
        failed = {name: why for name, why in ledger.failed.items() if name != experiment.name}
        try:
            results[experiment.name] = measure(experiment)
        except NotWritten:
            raise
        except LabError as error:
            failed[experiment.name] = str(error)
            _say(console, f"{experiment.name}: failed: {error}")
        ledger = replace(ledger, failed=failed)
        write_ledger(folder, ledger)
    write_ledger(folder, ledger)
    return _summarize(results, folder, ledger, console)


def _summarize(
    results: Mapping[str, Result], folder: Path, ledger: Ledger, console: Console
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
