# SPDX-License-Identifier: Apache-2.0
"""What runs samples needs the standard library alone: it is to run on the nodes of clusters."""

import subprocess
import sys
from pathlib import Path

import pytest

BENCH = Path(__file__).parents[3] / "bench"
LAB = BENCH / "finegrain_lab"
OF_OLD_EXPERIMENTS = ("rounds",)
MODULES = [
    *(f"run.{path.stem}" for path in sorted((LAB / "run").glob("[a-z]*.py"))),
    *(f"experiments.{path.stem}" for path in sorted((LAB / "experiments").glob("[a-z]*.py"))),
    *("show.figures", "show.tables"),
]
# Its own __init__ knows how experiments are shown.
IMPORT = """
import importlib, sys, types
bench, module = sys.argv[1:]
sys.path.insert(0, bench)
experiments = types.ModuleType("finegrain_lab.experiments")
experiments.__path__ = [f"{bench}/finegrain_lab/experiments"]
sys.modules[experiments.__name__] = experiments
importlib.import_module(f"finegrain_lab.{module}")
"""


@pytest.mark.parametrize("module", [it for it in MODULES if it[4:] not in OF_OLD_EXPERIMENTS])
def test_it_needs_no_package(module: str) -> None:
    command = [sys.executable, "-I", "-S", "-c", IMPORT, str(BENCH), module]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
