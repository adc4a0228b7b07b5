# SPDX-License-Identifier: Apache-2.0
"""The command: runs each mutant against its checks, and prints a table with the survivors."""

import os
import shutil
import sys
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from scripts.models.orders import met_orders
from scripts.models.orders import reasons as reasons_of_files

from .checks import HEADER_FOLDERS, Checks, Paths, Verdict, measured_s
from .errors import MutantError
from .generated import generated_mutants
from .mutant import Mutant
from .written import Survivors, survivors, written_mutants

REPOSITORY = Path(__file__).resolve().parents[2]
TABLES = REPOSITORY / "tests" / "mutants"
NOT_MODELLED = REPOSITORY / "tests" / "model" / "not_modelled.toml"
BUILD = REPOSITORY / "build" / "release"
INTERRUPTED = 130  # what a shell expects of a command that Ctrl-C ended
CANNOT_RUN = 2
# A mutant has run away when it takes this many times as long as the original, at least this long.
LIMIT_TIMES = 10
LEAST_LIMIT_S = 60.0

app = typer.Typer(add_completion=False, help=__doc__)


def main() -> int:
    """Runs the command with the process's arguments, and returns its exit status."""
    try:
        status = app(prog_name="mutants", standalone_mode=False)
    except (MutantError, OSError) as error:
        print(f"mutants: {error}", file=sys.stderr)
        return CANNOT_RUN
    except typer.TyperException as error:
        print(f"mutants: {' '.join(error.format_message().split())}", file=sys.stderr)
        return CANNOT_RUN
    except KeyboardInterrupt:
        return INTERRUPTED
    return int(status or 0)


@app.command()
def run(
    only: Annotated[str, typer.Option("--filter", help="a part of 'file:line what'")] = "",
    jobs: Annotated[int, typer.Option(min=1, help="mutants at a time")] = os.cpu_count() or 1,
    names: Annotated[bool, typer.Option("--list", help="only name them")] = False,
) -> int:
    """Breaks the headers in one place at a time, and shows which check finds it."""
    paths = Paths(REPOSITORY, BUILD)
    mutants = shipped_mutants(paths.headers)
    chosen = [each for each in mutants if only in str(each)]
    if names:
        print(*chosen, sep="\n")
        return 0
    reasons = shipped_survivors()
    stale = reasons.without_mutant(mutants)
    for reason in stale:
        print(f"a reason without a mutant: {reason.file} {reason.mutation}: {reason.line}")
    with tempfile.TemporaryDirectory() as folder:
        report = _Report(reasons)
        session = _Session(paths, Path(folder))
        session.prepare(chosen)
        with ThreadPoolExecutor(jobs) as pool:
            for judged in pool.map(session.judge, chosen):
                report.add(judged)
    return max(report.finish(), 1 if stale else 0)


def shipped_mutants(headers: Path) -> list[Mutant]:
    """Returns all mutants of these headers.

    Raises MutantError where one does not fit to them.
    """
    beyond_models = reasons_of_files(NOT_MODELLED)
    return [
        *(each for each in generated_mutants(headers) if each.file not in beyond_models),
        *written_mutants(TABLES / "mutants.toml", headers),
    ]


def shipped_survivors() -> Survivors:
    """Returns the reasons why some of them survive."""
    return survivors(TABLES / "survivors.toml")


@dataclass(frozen=True)
class _Judged:
    mutant: Mutant
    verdict: Verdict
    by: str  # the check that killed it, or all checks that it survived
    seconds: float


class _Session:
    """The checks, the fastest first, and the folder where mutants are created."""

    def __init__(self, paths: Paths, folder: Path) -> None:
        self._paths = paths
        self._folder = folder
        self._checks = Checks(paths)
        self._taken: dict[str, float] = {}
        self._places: dict[str, set[tuple[str, int]]] = {}

    def prepare(self, mutants: Sequence[Mutant]) -> None:
        """Runs each check that is needed once without any mutant."""
        needed = sorted({name for mutant in mutants for name in self._names_for(mutant)})
        for name in needed:
            check = self._checks.find(name)
            self._taken[name] = measured_s(check, self._paths, self._folder)
            print(f"{name} without a mutant: {self._taken[name]:.0f} s", flush=True)

    def judge(self, mutant: Mutant) -> _Judged:
        """Runs a mutant's checks until one fails."""
        start = time.monotonic()
        survived = []
        for name in sorted(self._names_for(mutant), key=self._taken.__getitem__):
            verdict = self._try(mutant, name)
            if verdict is not Verdict.SURVIVED:
                return _Judged(mutant, verdict, name, time.monotonic() - start)
            survived.append(name)
        return _Judged(mutant, Verdict.SURVIVED, ", ".join(survived), time.monotonic() - start)

    def _try(self, mutant: Mutant, name: str) -> Verdict:
        with tempfile.TemporaryDirectory(dir=self._folder) as work:
            tree = Path(work)
            for folder in HEADER_FOLDERS:
                shutil.copytree(self._paths.repository / folder, tree / folder)
            mutant.write(tree / "include" / "finegrain")
            limit_s = max(LEAST_LIMIT_S, LIMIT_TIMES * self._taken[name])
            return self._checks.find(name).try_on(tree, tree, self._paths, limit_s)

    def _names_for(self, mutant: Mutant) -> tuple[str, ...]:
        """The checks that the mutant names, else the models that execute its line."""
        return mutant.checks or tuple(
            name for name in self._checks.models() if self._comes_by(name, mutant)
        )

    def _comes_by(self, model: str, mutant: Mutant) -> bool:
        # A call may begin some lines before its argument.
        lines = range(mutant.line - 3, mutant.line + 1)
        return any((mutant.file, line) in self._places_of(model) for line in lines)

    def _places_of(self, model: str) -> set[tuple[str, int]]:
        if model not in self._places:
            file = self._paths.build / "tests" / "model" / f"{model}.places"
            if not file.is_file():
                raise MutantError(f"no {file}: run 'make model' first")
            met = met_orders([file], "include/finegrain")
            self._places[model] = {(order.file, order.line) for order in met}
        return self._places[model]


class _Report:
    """Prints one line per mutant, and the sum."""

    def __init__(self, reasons: Survivors) -> None:
        self._reasons = reasons
        self._console = Console(highlight=False, soft_wrap=True)
        self._killed = 0
        self._explained = 0
        self._survived = 0
        self._not_compiled = 0
        self._needless: list[Mutant] = []

    def add(self, judged: _Judged) -> None:
        """Prints one."""
        reason = self._reasons.reason_for(judged.mutant)
        if judged.verdict is Verdict.NOT_COMPILED:
            self._not_compiled += 1
            said = f"DOES NOT COMPILE with {judged.by}"
        elif judged.verdict is not Verdict.SURVIVED:
            self._killed += 1
            said = f"{judged.verdict} by {judged.by}"
            if reason is not None:
                self._needless.append(judged.mutant)
        elif reason is not None:
            self._explained += 1
            said = f"survives: {reason}"
        else:
            self._survived += 1
            said = f"SURVIVED {judged.by or '(no model comes by there)'}"
        self._console.print(f"{judged.mutant}: {said} ({judged.seconds:.0f} s)", markup=False)

    def finish(self) -> int:
        """Prints the sum; returns the exit status."""
        print(
            f"{self._killed} killed, {self._explained} survive for a reason, "
            f"{self._survived} survived, {self._not_compiled} do not compile"
        )
        for mutant in self._needless:
            print(f"killed, though there is a reason for it to survive: {mutant}")
        return 1 if self._survived or self._not_compiled or self._needless else 0
