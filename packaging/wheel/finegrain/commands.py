# SPDX-License-Identifier: Apache-2.0
"""The commands: each becomes the program of its name."""

import os
import sys
from pathlib import Path


def become(program: str) -> None:
    """Runs a program in the place of this one; it finds its libraries from where it lies."""
    path = Path(__file__).parent / "bin" / program
    os.execv(path, [str(path), *sys.argv[1:]])


def info() -> None:
    """finegrain-info."""
    become("finegrain-info")


def omp() -> None:
    """finegrain-omp."""
    become("finegrain-omp")
