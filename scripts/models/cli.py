# SPDX-License-Identifier: Apache-2.0
"""The command: runs models in parallel, prints what they explored and the orders exercised."""

import os
import subprocess
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from .errors import ModelError
from .orders import met_orders, named_orders, not_exercised, reasons
from .promela import explore, promises_of, title_of

REPOSITORY = Path(__file__).resolve().parents[2]
HEADERS = "include/finegrain"
NOT_MODELLED = REPOSITORY / "tests" / "model" / "not_modelled.toml"
PROMELA = REPOSITORY / "tests" / "model" / "promela"
PROGRAMS = REPOSITORY / "build" / "release" / "tests" / "model"
INTERRUPTED = 130  # what a shell expects of a command that Ctrl-C ended
CANNOT_RUN = 2

app = typer.Typer(add_completion=False, help=__doc__)


def main() -> int:
    """Runs the command with the process's arguments, and returns its exit status."""
    try:
        status = app(prog_name="models", standalone_mode=False)
    except (ModelError, OSError) as error:
        print(f"models: {error}", file=sys.stderr)
        return CANNOT_RUN
    except typer.TyperException as error:
        print(f"models: {' '.join(error.format_message().split())}", file=sys.stderr)
        return CANNOT_RUN
    except KeyboardInterrupt:
        return INTERRUPTED
    return int(status or 0)


@app.command()
def run(
    programs: Annotated[Path, typer.Option(help="where the models were built")] = PROGRAMS,
    jobs: Annotated[int, typer.Option(min=1, help="models at a time")] = os.cpu_count() or 1,
) -> int:
    """Runs all models, prints what they explored, and the memory orders that none of them met."""
    models = sorted(programs.glob("*_model"))
    if not models:
        raise ModelError(f"no models in {programs}: run 'make model'")
    places = [_places_of(model) for model in models]
    start = time.monotonic()
    failed = _run_all(models, jobs)
    for model in sorted(PROMELA.glob("*.pml")):
        models.append(model)
        if not _explore_promela(model):
            failed.append(model)
    print(f"{len(models)} protocols in {time.monotonic() - start:.0f} s; {len(failed)} violated")
    return max(1 if failed else 0, _check_orders(places))


@app.command()
def orders(
    programs: Annotated[Path, typer.Option(help="where the models were built")] = PROGRAMS,
) -> int:
    """Shows which memory orders of the headers the last runs of all models have met."""
    places = sorted(programs.glob("*_model.places"))
    if not places:
        raise ModelError(f"no model was run in {programs}")
    return _check_orders(places)


@app.command()
def promela(
    model: Annotated[Path, typer.Argument(exists=True, help="the model, *.pml")],
) -> int:
    """Explores one Promela model with spin, and its broken variants."""
    return 0 if _explore_promela(model) else 1


@dataclass(frozen=True)
class _Finished:
    """A model's output and status."""

    output: str
    status: int


def _places_of(model: Path) -> Path:
    return model.with_name(f"{model.name}.places")


def _run_one(model: Path) -> _Finished:
    command = [str(model), "--places", str(_places_of(model))]
    done = subprocess.run(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
    )
    return _Finished(done.stdout, done.returncode)


def _run_all(models: Sequence[Path], jobs: int) -> list[Path]:
    """Prints each model's output when it has ended; returns those that were violated."""
    failed = []
    with ThreadPoolExecutor(jobs) as pool:
        running = {pool.submit(_run_one, model): model for model in models}
        for each in as_completed(running):
            finished = each.result()
            print(finished.output, end="", flush=True)
            if finished.status != 0:
                failed.append(running[each])
                print(f"  {running[each].name}: status {finished.status}")
    return failed


def _explore_promela(model: Path) -> bool:
    """Prints what spin has found; returns true if that is what the model promises."""
    promises = promises_of(model)
    explored = explore(model)
    print(f"{title_of(model)} (Promela)")
    print(f"  guaranteed: {', '.join(promises.guaranteed)}")
    if promises.not_guaranteed:
        print(f"  not guaranteed, as spin shows: {', '.join(promises.not_guaranteed)}")
    print(
        f"  {explored.states} states, all; {len(promises.broken)} variants broken on purpose; "
        f"{explored.seconds:.1f} s",
        flush=True,
    )
    for fault in explored.wrong:
        print(f"    VIOLATED: {fault}", flush=True)
    return not explored.wrong


def _check_orders(places: Sequence[Path]) -> int:
    """Prints what no model exercises; returns 1 if any of it has no reason."""
    named = named_orders(REPOSITORY / HEADERS)
    missing = not_exercised(named, met_orders(places, HEADERS))
    why = reasons(NOT_MODELLED)
    known = [each for each in missing if each.file in why]
    unexplained = [each for each in missing if each.file not in why]
    print(
        f"memory orders in {HEADERS}: {len(named)}; exercised by a model: "
        f"{len(named) - len(missing)}; not modelled: {len(known)}; forgotten: {len(unexplained)}"
    )
    for file in sorted({each.file for each in known}):
        print(f"  not modelled: {file}: {why[file]}")
    for each in unexplained:
        print(f"  forgotten: {each}")
    for file in sorted(set(why) - {each.file for each in known}):
        print(f"  no reason is needed any more: {file}")
    return 1 if unexplained or set(why) - {each.file for each in known} else 0
