# SPDX-License-Identifier: Apache-2.0
"""The command of an archive that `./lab pack` made."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Optional, Sequence

from finegrain_lab.experiments import EXPERIMENTS
from finegrain_lab.run import __main__ as runner
from finegrain_lab.run.errors import LabError
from finegrain_lab.run.loader import start_of
from finegrain_lab.run.runtimes import load_build

USAGE = """finegrain-lab run all|EXPERIMENT [OPTION…]   measures (run --help: the options)
finegrain-lab list                           the experiments
finegrain-lab info [OPTION…]                 what finegrain finds on this machine"""


def main(root: str, arguments: Optional[Sequence[str]] = None) -> int:
    """Does what the arguments say, with the build that the archive in `root` has."""
    command, *rest = [*(sys.argv[1:] if arguments is None else arguments), ""]
    build = Path(root) / "build"
    if command == "run":
        return runner.main(rest[:-1], "finegrain-lab run", build)
    if command == "list":
        for experiment in EXPERIMENTS:
            modes = " ".join(f"--{mode}" for mode in experiment.modes)
            print(f"{experiment.name}: {experiment.title}\n  {modes}")
        return 0
    if command == "info":
        return _info(build, rest[:-1])
    print(USAGE, file=sys.stderr)
    return 0 if command in ("-h", "--help") else 2


def _info(folder: Path, options: Sequence[str]) -> int:
    try:
        build = load_build(folder)
        words, environment = start_of([str(build.program(build.manifest.info)), *options], {})
    except LabError as error:
        print(f"finegrain-lab: {error}", file=sys.stderr)
        return error.exit_code
    return subprocess.call(words, env={**os.environ, **environment})
