# SPDX-License-Identifier: Apache-2.0
"""A folder's pages, served as a user serves them, and a browser for them."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

SERVE = Path(__file__).parents[2] / "examples/browser/serve.py"


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """Yields the address of the folder; ends with a slash."""
    command = [sys.executable, str(SERVE), str(folder), "0"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as server:
        assert server.stdout
        address = server.stdout.readline().strip()
        yield address.rpartition("/")[0] + "/"
        server.terminate()
