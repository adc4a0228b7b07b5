# SPDX-License-Identifier: Apache-2.0
"""One run at a time: two would measure each other, or write one file."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from finegrain_lab.run.errors import LabError
from finegrain_lab.run.runtimes import MANIFEST, Build


@contextmanager
def alone(build: Build) -> Iterator[None]:
    """Holds the build's programs for this process until the end, however it ends.

    Raises LabError while another one holds them.
    """
    message = f"another run measures with the build in {build.folder}: two at once would"
    with _locked(build.folder / MANIFEST, f"{message} disturb each other"):
        yield


@contextmanager
def alone_in(folder: Path) -> Iterator[None]:
    """Holds the folder of results, in the same way. Raises LabError while another run holds it."""
    with _locked(folder, f"another run writes into {folder}: take another folder with --out"):
        yield


@contextmanager
def _locked(path: Path, refusal: str) -> Iterator[None]:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise LabError(refusal) from error
        except OSError:
            pass  # a file system without such locks, over a network for instance
        yield
    finally:
        os.close(descriptor)
