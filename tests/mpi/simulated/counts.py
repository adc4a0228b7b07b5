# SPDX-License-Identifier: Apache-2.0
"""Counts what fg::mpi does on simulated ranks: the tables of docs/cluster.md.

    python3 tests/mpi/simulated/counts.py [RANKS...]        default: 2 16 64 512

Each row is the median of three seeds, of one on more than 64 ranks. Exits with status 1 if a search
finds another number of nodes than the published one, or nodes get lost or are counted twice.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median
from typing import Any

HERE = Path(__file__).parent
BUILD = Path(os.environ.get("FINEGRAIN_BUILD_DIR", HERE.parents[2] / "build/release"))
PROGRAM = BUILD / "tests/mpi/simulated/uts_simulated"
PLATFORM = HERE / "platform.xml"

TREES = ("T1", "T3")
RANKS = (2, 16, 64, 512)
SEEDS = (1, 2, 3)
MOST_WITH_ALL_SEEDS = 64  # ranks

# What takes time is a node, as the program says, a message, as the platform says, and a look at
# messages, 1 us; nothing of this machine's.
OPTIONS = {
    "contexts/factory": "raw",  # coroutines
    "smpi/simulate-computation": "no",
    "smpi/host-speed": "1Gf",
    "smpi/iprobe": "1e-6",
    "smpi/test": "0",
    "smpi/grow-injected-times": "no",
    "smpi/coll-selector": "ompi",
    "network/model": "CM02",
    "surf/precision": "1e-9",
}

Counts = dict[str, Any]

COLUMNS: dict[str, Callable[[Counts], float]] = {
    "steals a rank": lambda it: it["steals"] / it["ranks"],
    "messages a steal": lambda it: it["messages"] / max(it["steals"], 1),
    "bytes a steal": lambda it: it["bytes"] / max(it["steals"], 1),
    "idle, %": lambda it: 100 * it["idle_share"],
}


def counted(tree: str, ranks: int, seed: int) -> Counts:
    """Returns what a run counts."""
    options = [f"--cfg={name}:{value}" for name, value in OPTIONS.items()]
    command = [PROGRAM, PLATFORM, tree, ranks, seed, *options, "--log=root.thresh:warning"]
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1) or not done.stdout:
        raise SystemExit(f"counts: {tree} on {ranks} ranks: {done.stderr.strip()}")
    found: Counts = json.loads(done.stdout)
    return found


def complaint(counts: Counts) -> str:
    """Returns what is wrong with a run, nothing if it is right."""
    for what, name in (("found", "nodes"), ("processed", "items")):
        if counts[name] != counts["published"]:
            return f"{what} {counts[name]} nodes of {counts['published']}"
    return ""


def print_rows(trees: Sequence[str], all_ranks: Sequence[int]) -> None:
    """Prints the lines of the table. Raises SystemExit for a run that is wrong."""
    for tree in trees:
        for ranks in all_ranks:
            seeds = SEEDS if ranks <= MOST_WITH_ALL_SEEDS else SEEDS[:1]
            runs = [counted(tree, ranks, seed) for seed in seeds]
            for run in runs:
                if why := complaint(run):
                    raise SystemExit(f"counts: {tree} on {ranks} ranks, seed {run['seed']}: {why}")
            values = [median(of(run) for run in runs) for of in COLUMNS.values()]
            cells = [tree, str(ranks), *map(_text, values)]
            print(f"| {' | '.join(cells)} |", flush=True)


def _text(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.2g}" if value < 1 else f"{value:.1f}"


def main() -> None:
    """Prints the table."""
    all_ranks = list(map(int, sys.argv[1:])) or RANKS
    heads = ["tree", "ranks", *COLUMNS]
    print(f"| {' | '.join(heads)} |\n|{'---|' * len(heads)}")
    print_rows(TREES, all_ranks)


if __name__ == "__main__":
    main()
