# SPDX-License-Identifier: Apache-2.0
"""How a program is started that brought the system's libraries along (`./lab pack`).

What was built for a newer glibc than a machine's runs there with the dynamic loader and the glibc
of the machine where it was built, which must be of one version.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from pathlib import Path

# Within the folder of a build, with the libraries beside it.
LOADER = Path("lib/finegrain-loader")


def start_of(
    words: Sequence[str], environment: Mapping[str, str]
) -> tuple[list[str], dict[str, str]]:
    """Returns what to start instead of these words, and with which variables.

    The same, for a program that is in no folder with a loader. What is to be preloaded is told to
    the loader: a command ahead of it is one of the machine's, and could not load it.
    """
    loader = _loader_above(Path(words[0]).parent)
    if loader is None:
        return [*words], {**environment}
    kept = {name: value for name, value in environment.items() if name != "LD_PRELOAD"}
    preloaded = environment.get("LD_PRELOAD")
    return [
        *(str(loader), "--inhibit-cache", "--library-path", str(loader.parent)),
        *(("--preload", preloaded) if preloaded else ()),
        *words,
    ], kept


@functools.lru_cache(maxsize=None)
def _loader_above(folder: Path) -> Path | None:
    found = (each / LOADER for each in (folder, *folder.parents))
    return next((path for path in found if path.is_file()), None)
