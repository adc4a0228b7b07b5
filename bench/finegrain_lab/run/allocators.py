# SPDX-License-Identifier: Apache-2.0
"""Memory allocators that the programs can be run with, ahead of the system's."""

from __future__ import annotations

import subprocess
import sys
from enum import Enum

from finegrain_lab.run.errors import LabError

# By its file's name, in which the loader finds it, and the Debian package that has it.
_LIBRARIES = {
    "tcmalloc": ("libtcmalloc_minimal.so.4", "libtcmalloc-minimal4"),
    "jemalloc": ("libjemalloc.so.2", "libjemalloc2"),
    "mimalloc": ("libmimalloc.so.2", "libmimalloc2.0"),
}


class Allocator(str, Enum):
    """Whose `malloc` a process calls."""

    GLIBC = "glibc"
    TCMALLOC = "tcmalloc"
    JEMALLOC = "jemalloc"
    MIMALLOC = "mimalloc"

    def __str__(self) -> str:
        return str(self.value)

    @property
    def variables(self) -> dict[str, str]:
        """The environment variables of a process that shall call it."""
        return {} if self is Allocator.GLIBC else {"LD_PRELOAD": _LIBRARIES[self][0]}

    def require(self) -> None:
        """Raises LabError where it is not installed: the loader would go on without it."""
        if self is Allocator.GLIBC:
            return
        library, package = _LIBRARIES[self]
        if not _can_load(library):
            raise LabError(f"{self} is not installed: no {library} (Debian: {package})")


def _can_load(library: str) -> bool:
    # In a process of its own: two allocators in one are one too many.
    load = "import ctypes, sys; ctypes.CDLL(sys.argv[1])"
    command = [sys.executable, "-c", load, library]
    return subprocess.run(command, capture_output=True, check=False).returncode == 0
