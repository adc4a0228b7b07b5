# SPDX-License-Identifier: Apache-2.0
"""Runs an experiment where there is no more than Python: `python3 -m finegrain_lab.run sync`.

It prints a plain table, and leaves the result file, which `./lab show` and the other commands read
elsewhere. `all` runs every experiment into one folder, and goes on where it was ended.
"""

from __future__ import annotations

import argparse
import sys
from argparse import ArgumentTypeError
from pathlib import Path
from typing import Any, List, Optional, Sequence, get_args

from finegrain_lab.experiments import EXPERIMENTS, experiment_of
from finegrain_lab.run import all as run_all
from finegrain_lab.run.allocators import Allocator
from finegrain_lab.run.engine import name_of_results, run
from finegrain_lab.run.errors import LabError
from finegrain_lab.run.exclusive import alone
from finegrain_lab.run.experiment import Experiment, Request
from finegrain_lab.run.files import writable
from finegrain_lab.run.plain_table import table_in
from finegrain_lab.run.progress import Lines
from finegrain_lab.run.record import result_path
from finegrain_lab.run.runtimes import Binding, PeerSettings, fingerprint, load_build

MODES = {
    "quick": "2 to 5 minutes (the default)",
    "full": "until converged, some 20 minutes at most",
    "paper": "a paper's own sizes",
}
OPTIONS = ("runtimes", "cases", "peers", "allocator", "numa_binding", "machine", "threads")


def main(
    arguments: Optional[Sequence[str]] = None,
    name: str = "python3 -m finegrain_lab.run",
    build: Optional[Path] = None,
) -> int:
    """Runs the experiment that the arguments say, and returns the exit status.

    `name`: of the command; `build`: the folder where the arguments name none.
    """
    asked = _parser(name, build).parse_args(arguments)
    try:
        return (_run_all if asked.experiment == run_all.NAME else _run_one)(asked)
    except LabError as error:
        print(f"lab: {error}", file=sys.stderr)
        return error.exit_code
    except KeyboardInterrupt:
        print("lab: interrupted: the same command goes on", file=sys.stderr)
        return 130


def _run_one(asked: argparse.Namespace) -> int:
    chosen = experiment_of(asked.experiment)
    chosen.require_options(_given(asked))
    allocator = Allocator(asked.allocator) if asked.allocator else None
    request = Request(
        *(load_build(asked.build), chosen.mode(asked.mode), asked.cpus, asked.runtimes),
        *(asked.cases, asked.peers, allocator, asked.numa_binding),
        machine=asked.machine,
        threads=asked.threads,
    )
    with alone(request.build):
        path = run(chosen, request, asked.out or Path(), Lines(), is_strict=asked.strict)
    print(table_in(path, chosen))
    print(path)
    return 0


def _run_all(asked: argparse.Namespace) -> int:
    run_all.require_options(asked.mode, _given(asked))
    build = load_build(asked.build)
    folder = asked.out or Path("results") / name_of_results(build, asked.cpus)

    wanted = run_all.Ledger(asked.mode, asked.cpus, fingerprint(build), threads=asked.threads)

    def measure(experiment: Experiment) -> Optional[Path]:
        request = run_all.request_of(experiment, build, wanted)
        path = run(experiment, request, folder, Lines(), is_strict=asked.strict)
        print(table_in(path, experiment), flush=True)
        return path

    def found(folder: Path, experiment: Experiment) -> Optional[Path]:
        return result_path(folder, experiment.name)

    with alone(build), writable(folder):
        _, failed = run_all.run_all(EXPERIMENTS, folder, wanted, measure, found, Lines().say)
    for name, why in failed.items():
        print(f"lab: {name}: {why}", file=sys.stderr)
    print(folder)
    return 1 if failed else 0


def _given(asked: argparse.Namespace) -> List[str]:
    return [f"--{name.replace('_', '-')}" for name in OPTIONS if getattr(asked, name)]


def _parser(name: str, build: Optional[Path]) -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(prog=name, description=__doc__)
    add: Any = made.add_argument
    add("experiment", help="its name, or all")
    add("--build", type=Path, required=not build, default=build, metavar="DIR", help="build folder")
    add(
        "--out",
        type=Path,
        metavar="DIR",
        help="folder of the result (else this; of all: results/…)",
    )
    modes = made.add_mutually_exclusive_group()
    for mode, told in MODES.items():
        modes.add_argument(f"--{mode}", action="store_const", const=mode, dest="mode", help=told)
    made.set_defaults(mode="quick")
    pair = "the two CPUs (else SMT siblings, else the first two)"
    add("--cpus", type=_pair, metavar="MAIN,ASSISTANT", help=pair)
    add("--runtimes", type=_names, metavar="A,B,…", help="these beside the reference (else all)")
    add("--cases", type=_names, metavar="A,B,…", help="these (else all)")
    add("--peers", choices=get_args(PeerSettings), help="how the peers are set up (else tuned)")
    allocators = [each.value for each in Allocator]
    add("--allocator", choices=allocators, help="whose malloc the programs call (else glibc's)")
    placed = "off: the system places the threads (else on)"
    add("--numa-binding", choices=get_args(Binding), help=placed)
    counts = "numbers of threads (else all powers of 2)"
    add("--threads", type=_counts, metavar="N,N,…", help=counts)
    add("--machine", type=Path, metavar="FILE", help="the machine to simulate (else X-OpenMP's)")
    add("--strict", action="store_true", help="refuse where something else runs on its CPUs")
    return made


def _names(text: str) -> List[str]:
    names = [name.strip() for name in text.split(",")]
    if not all(names):
        raise ArgumentTypeError(f"wants names with commas between them, not '{text}'")
    return names


def _counts(text: str) -> List[int]:
    parts = text.split(",")
    if not all(part.strip().isdecimal() and int(part) > 0 for part in parts):
        raise ArgumentTypeError(f"wants numbers with commas between them, not '{text}'")
    return list(map(int, parts))


def _pair(text: str) -> Any:
    parts = text.split(",")
    if len(parts) != 2 or not all(part.strip().isdecimal() for part in parts):
        raise ArgumentTypeError(f"wants two CPU numbers, MAIN,ASSISTANT, not '{text}'")
    return int(parts[0]), int(parts[1])


if __name__ == "__main__":
    sys.exit(main())
