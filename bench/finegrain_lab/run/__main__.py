# SPDX-License-Identifier: Apache-2.0
"""Runs an experiment where there is no more than Python: `python3 -m finegrain_lab.run sync`.

It leaves the result file, which `./lab show` and the other commands read elsewhere.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any, List, Optional, Sequence, get_args

from finegrain_lab.experiments import experiment_of
from finegrain_lab.run.allocators import Allocator
from finegrain_lab.run.engine import run
from finegrain_lab.run.errors import LabError
from finegrain_lab.run.exclusive import alone
from finegrain_lab.run.experiment import Request
from finegrain_lab.run.progress import Lines
from finegrain_lab.run.runtimes import Binding, PeerSettings, load_build


def main(arguments: Optional[Sequence[str]] = None) -> int:
    """Runs the experiment that the arguments say, and returns the exit status."""
    asked = _parser().parse_args(arguments)
    options = ("runtimes", "cases", "peers", "allocator", "numa_binding", "machine")
    try:
        chosen = experiment_of(asked.experiment)
        given = [f"--{name.replace('_', '-')}" for name in options if getattr(asked, name)]
        chosen.require_options(given)
        allocator = Allocator(asked.allocator) if asked.allocator else None
        request = Request(
            *(load_build(asked.build), chosen.mode(asked.mode), asked.cpus, asked.runtimes),
            *(asked.cases, asked.peers, allocator, asked.numa_binding),
            machine=asked.machine,
        )
        with alone(request.build):
            print(run(chosen, request, asked.out, Lines(), is_strict=asked.strict))
    except LabError as error:
        print(f"lab: {error}", file=sys.stderr)
        return error.exit_code
    except KeyboardInterrupt:
        print("lab: interrupted: the same command goes on", file=sys.stderr)
        return 130
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python3 -m finegrain_lab.run", description=__doc__)
    add: Any = parser.add_argument
    add("experiment")
    add("--build", type=Path, required=True, metavar="DIR", help="build folder")
    add("--out", type=Path, default=Path(), metavar="DIR", help="folder of the result (else this)")
    modes = parser.add_mutually_exclusive_group()
    for mode in ("quick", "full", "paper"):
        modes.add_argument(f"--{mode}", action="store_const", const=mode, dest="mode")
    parser.set_defaults(mode="quick")
    add("--cpus", type=_pair, metavar="MAIN,ASSISTANT")
    for name in ("runtimes", "cases"):
        add(f"--{name}", type=_names, metavar="A,B,…")
    add("--peers", choices=get_args(PeerSettings))
    add("--allocator", choices=[each.value for each in Allocator])
    add("--numa-binding", choices=get_args(Binding))
    add("--machine", type=Path, metavar="FILE", help="the machine to simulate (else X-OpenMP's)")
    add("--strict", action="store_true", help="refuse where something else runs on its CPUs")
    return parser


def _names(text: str) -> List[str]:
    return [name.strip() for name in text.split(",")]


def _pair(text: str) -> Any:
    main_cpu, assistant = map(int, text.split(","))
    return main_cpu, assistant


if __name__ == "__main__":
    sys.exit(main())
