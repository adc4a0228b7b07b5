# SPDX-License-Identifier: Apache-2.0
"""One run at a time: two would measure each other."""

from __future__ import annotations

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager

from finegrain_lab.run.errors import LabError
from finegrain_lab.run.runtimes import MANIFEST, Build


@contextmanager
def alone(build: Build) -> Iterator[None]:
    """Holds the build's programs for this process until the end, however it ends.

    Raises LabError while another one holds them.
    """
    with (build.folder / MANIFEST).open("rb") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise LabError(
                f"another run measures with the build in {build.folder}: two at once would "
                "disturb each other"
            ) from error
        yield
