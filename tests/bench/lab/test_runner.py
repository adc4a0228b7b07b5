# SPDX-License-Identifier: Apache-2.0
"""What runs samples needs Python 3.8's standard library alone: it is to run on clusters' nodes."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

BENCH = Path(__file__).parents[3] / "bench"
LAB = BENCH / "finegrain_lab"
FILES = [
    *sorted((LAB / "run").glob("*.py")),
    *sorted((LAB / "experiments").glob("*.py")),
    *(LAB / "show" / f"{name}.py" for name in ("figures", "tables")),
]
MODULES = [f"{it.parent.name}.{it.stem}" for it in FILES if it.stem != "__init__"]
IMPORT = """
import importlib, sys
bench, *modules = sys.argv[1:]
sys.path.insert(0, bench)
for module in modules:
    importlib.import_module(f"finegrain_lab.{module}")
"""


def test_it_needs_no_package() -> None:
    command = [sys.executable, "-I", "-S", "-c", IMPORT, str(BENCH), *MODULES]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}.{path.stem}")
def test_it_evaluates_no_subscript_of_a_built_in_type(path: Path) -> None:
    # `dict[str, Any]` is an error in Python 3.8 wherever it is evaluated.
    tree = ast.parse(path.read_text(), feature_version=(3, 8))
    annotations = {
        id(part)
        for node in ast.walk(tree)
        for name in ("annotation", "returns")
        if (annotation := getattr(node, name, None)) is not None
        for part in ast.walk(annotation)
    }
    evaluated = [
        ast.unparse(node)
        for node in ast.walk(tree)
        if isinstance(node, ast.Subscript) and id(node) not in annotations
    ]
    built_in = ("dict[", "frozenset[", "list[", "set[", "tuple[", "type[")
    assert [it for it in evaluated if it.startswith(built_in)] == []
