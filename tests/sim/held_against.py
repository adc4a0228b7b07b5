# SPDX-License-Identifier: Apache-2.0
"""Holds bands of virtual time against what was measured, and prints the table of docs/scaling.md.

Nothing is tuned by it: the machines' brackets are older than the first comparison.
"""

from __future__ import annotations

import json
import os
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

HERE = Path(__file__).parent
BUILD = Path(os.environ.get("FINEGRAIN_BUILD_DIR", HERE.parents[1] / "build/release"))
SEEDS = range(1, 11)  # at each end of the bracket: 20 runs
FIB_39 = 102_334_154  # its forks


class Row(NamedTuple):
    """A published time a task, and the runs that it is held against."""

    source: str
    published_ns: float
    machine: str
    threads: int
    workload: str
    policy: str
    tasks: int  # a worker
    of_a_worker: float = 0.0  # the published time is a worker's, beyond these ns of a task


def _fib_at_64(runtime: str, us: int) -> Row:
    source = f"fib(39), EPYC 7742, 64 threads: {runtime}"
    return Row(source, us * 1e3 / FIB_39, "2x64", 64, "fib", "private_deque", 4000)


def _pair(source: str, workload: str, tasks: int, *published: float) -> list[Row]:
    hosts = ("EPYC", "Xeon")
    return [
        Row(f"{host}: {source}", ns, "1x2", 2, workload, "private_deque", tasks)
        for host, ns in zip(hosts, published, strict=True)
    ]


ROWS = [
    *_pair("handoff, an empty task", "handoff", 1000, 67.2, 121.1),
    *_pair("handoff, a burst of 64", "handoff-64", 50, 7.34, 28.8),
    *_pair("queues, one way", "queue-one-way", 1000, 87.6, 190.1),
    *_pair("queues, throughput", "queue-throughput", 5000, 16.7, 41.9),
    *_pair("spawn, fib", "fib", 20000, 1.90, 1.48),
    Row("X-OpenMP, Fig. 6: static", 110, "8x24", 192, "flat-all", "xqueue_static", 32, 500),
    Row("X-OpenMP, Fig. 6: stealing", 150, "8x24", 192, "flat-all", "xqueue_nowait", 32, 500),
    Row("X-OpenMP, Fig. 13: static", 8.6e9 / 111_345_631, "8x24", 192, "tree", "xqueue_static", 32),
    _fib_at_64("libfork", 67_544),
    _fib_at_64("TooManyCooks", 98_931),
    _fib_at_64("oneTBB", 269_527),
    _fib_at_64("Taskflow", 263_881),
]


def simulated_ns(row: Row, times: str, seed: int) -> float:
    """Returns the virtual time a task of one jittered run, as the published one is told."""
    words = [
        *(BUILD / "tests/sim/finegrain-sim", "--machine", HERE / f"machines/{row.machine}.toml"),
        *("--threads", row.threads, "--workload", row.workload, "--policy", row.policy),
        *("--tasks-a-worker", row.tasks, "--times", times, "--jitter", 10, "--seed", seed),
    ]
    done = subprocess.run([str(word) for word in words], capture_output=True, check=True)
    found: dict[str, float] = json.loads(done.stdout)
    ns = found["virtual_ns"] / found["tasks"]
    return ns * row.threads - row.of_a_worker if row.of_a_worker else ns


def verdict(published: float, low: float, high: float) -> str:
    """Says whether the band has it, else how far it is off."""
    if low <= published <= high:
        return "hit"
    return (
        f"miss, {low / published:.1f} times"
        if low > published
        else f"miss, {high / published:.2f} times"
    )


def main() -> None:
    """Prints the table."""
    print("| what | measured, ns | simulated band, ns | |")
    print("|---|---|---|---|")
    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as threads:
        for row in ROWS:
            runs = [(row, end, seed) for end in ("low", "high") for seed in SEEDS]
            times = list(threads.map(lambda run: simulated_ns(*run), runs))
            low, high = min(times), max(times)
            told = verdict(row.published_ns, low, high)
            ns = f"{row.published_ns:.3g} | {low:.3g} to {high:.3g}"
            print(f"| {row.source} | {ns} | {told} |", flush=True)


if __name__ == "__main__":
    main()
