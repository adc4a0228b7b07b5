# SPDX-License-Identifier: Apache-2.0
"""Files that are written whole or not at all, and folders that can be written into."""

from __future__ import annotations

import os
import tempfile
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Iterator

from finegrain_lab.run.errors import LabError, reason_of


def write_whole(path: Path, text: str) -> None:
    """Writes the file under another name in its folder and renames it. Raises LabError."""
    try:
        descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        temporary = Path(name)
        try:
            with os.fdopen(descriptor, "w", encoding="utf-8") as file:
                file.write(text)
            temporary.chmod(0o644)  # mkstemp's file is the owner's alone
            temporary.replace(path)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise
    except OSError as error:
        raise LabError(f"cannot write {path}: {reason_of(error)}") from error


@contextmanager
def writable(folder: Path) -> Iterator[None]:
    """Makes the folder and makes sure, before any work, that files can be written into it.

    Folders that it made are gone afterwards if nothing came to be in them. Raises LabError.
    """
    made = [path for path in (folder, *folder.parents) if not path.exists()]
    try:
        try:
            folder.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=folder):
                pass
        except OSError as error:
            raise LabError(f"cannot write into {folder}: {reason_of(error)}") from error
        yield
    finally:
        for path in made:
            with suppress(OSError):  # not empty, or never made
                path.rmdir()
