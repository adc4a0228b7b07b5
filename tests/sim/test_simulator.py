# SPDX-License-Identifier: Apache-2.0
"""The simulator as a program, and that its checks can fail."""

from __future__ import annotations

import json
import os
import re
import resource
import subprocess
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).parent
TESTS = HERE.parent
BUILD = Path(os.environ.get("FINEGRAIN_BUILD_DIR", TESTS.parent / "build/release")) / "tests"

WORKLOADS = ["fib", "flat-one", "flat-all", "parallel-for", "tree", "graph"]
OF_OPENMP = ["regions", "barriers"]

HIT = "hit = [1, 1, 4]\n"  # of machines/1x2.toml

# Of the directory: what is replaced, and by what.
BROKEN = {
    "a line's owner keeps it": ("    it.owner = 0;\n", ""),
    "a writer leaves the copies of others": ("    it.sharers = {};\n", ""),
    "a writer takes no copy from others": ("    done.lost = it.sharers;\n", ""),
    "a reader gets no copy": ("  it.sharers.add(core);\n", ""),
    "an owner that is read keeps no copy": ("    it.sharers.add(owner);\n", ""),
    "every line comes from memory": ("if (it.owner != 0) {", "if (false) {"),
    "a writer does not own its line": ("  it.owner = plus_one(core);\n  it.busy", "  it.busy"),
}


def simulated(*options: Any) -> tuple[dict[str, Any], float]:
    """Returns what a run counts, and its CPU time in seconds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    machine = HERE / "machines" / "8x24.toml"
    command = [BUILD / "sim/finegrain-sim", "--machine", machine, *options]
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return json.loads(done.stdout), after.ru_utime - before.ru_utime


def test_the_same_seed_gives_the_same_counts() -> None:
    options = ("--threads", 24, "--policy", "xqueue_wait", "--tasks-a-worker", 50)
    first, _ = simulated(*options, "--seed", 1)
    assert simulated(*options, "--seed", 1)[0] == first
    other, _ = simulated(*options, "--seed", 2)
    assert {**other, "seed": 1} != first


def test_virtual_time_grows_with_the_bracket_and_differs_with_jitter() -> None:
    options = ("--threads", 8, "--workload", "fib", "--tasks-a-worker", 250)
    low, usual, high = (
        simulated(*options, "--times", times)[0]["virtual_ns"] for times in ("low", "usual", "high")
    )
    assert 250 < 2 * low < high
    runs = [
        simulated(*options, "--jitter", 10, "--seed", seed)[0]["virtual_ns"] for seed in (1, 2, 1)
    ]
    assert runs[0] != runs[1]
    assert runs[0] == runs[2] != usual


def test_a_machine_without_brackets_has_the_same_times_everywhere(tmp_path: Path) -> None:
    text = (HERE / "machines/1x2.toml").read_text()
    machine = tmp_path / "machine.toml"
    machine.write_text(re.sub(r"\[\d+, (\d+), \d+\]", r"\1", text))
    options = ("--threads", 2, "--tasks-a-worker", 100, "--machine", machine)
    low, high = (simulated(*options, "--times", times)[0] for times in ("low", "high"))
    assert {**low, "times": "high"} == high
    with_brackets, _ = simulated(*options[:-1], HERE / "machines/1x2.toml")
    assert {**low, "times": "usual"} == with_brackets


def test_fib_25_on_192_cores_takes_at_most_5_s() -> None:
    counted, seconds = simulated("--threads", 192, "--workload", "fib")
    assert counted["tasks"] == 121_392, "fib(25)"
    assert counted["steals"] >= 192, "its work has been shared"
    assert seconds <= 5


@pytest.mark.parametrize("workload", [*WORKLOADS, *OF_OPENMP])
def test_one_worker_moves_no_line(workload: str) -> None:
    counted, _ = simulated("--threads", 1, "--workload", workload)
    assert counted["line_transfers"] == counted["wake_ups"] == counted["steals"] == 0


@pytest.mark.parametrize("workload", WORKLOADS)
def test_several_workers_share_the_work(workload: str) -> None:
    counted, _ = simulated("--threads", 8, "--workload", workload, "--tasks-a-worker", 64)
    assert 8 * 64 * 0.6 <= counted["tasks"] <= 8 * 64
    assert counted["steals"] >= 1 or workload == "flat-all"  # where each has enough


def most_below_one(threads: int) -> int:
    """Returns how many threads the leader of a region starts and waits for."""
    if threads <= 8:
        return threads - 1  # flat
    return sum(
        digit * step < threads for step in (1, 4, 16, 64) for digit in (1, 2, 3)
    )  # in a tree to the base 4: 1 2 3, 4 8 12, ...


@pytest.mark.parametrize("threads", [2, 3, 8, 9, 64, 256])
def test_a_region_moves_a_line_there_and_back_twice_for_each_worker(threads: int) -> None:
    regions = 20
    counted, _ = simulated(
        "--threads", threads, "--workload", "regions", "--tasks-a-worker", regions
    )
    # The thread above asks for the line to write it, and to read it again; so does the worker.
    assert counted["line_transfers"] == 4 * (threads - 1) * regions
    assert counted["most_line_transfers"] == 2 * most_below_one(threads) * regions


@pytest.mark.parametrize("threads", [3, 8, 9, 64, 256])
def test_a_barrier_moves_as_much_as_a_region(threads: int) -> None:
    barriers, others, below = 20, threads - 1, most_below_one(threads)
    counted, _ = simulated(
        "--threads", threads, "--workload", "barriers", "--tasks-a-worker", barriers
    )
    # Beside those of the region around the barriers.
    assert 0 <= counted["line_transfers"] - 4 * others * barriers <= 8 * others
    assert 0 <= counted["most_line_transfers"] - 2 * below * barriers <= 4 * others


@pytest.mark.parametrize("workload", ["handoff", "queue-one-way"])
def test_what_is_passed_on_moves_two_lines_twice(workload: str) -> None:
    """A task's and its completion's, or an item's and its position's: to be written and read."""
    counted, _ = simulated("--threads", 2, "--workload", workload, "--tasks-a-worker", 2000)
    assert counted["line_transfers"] / counted["tasks"] == pytest.approx(4, rel=0.02)


def test_eight_items_of_a_queue_move_their_line_twice() -> None:
    counted, _ = simulated("--threads", 2, "--workload", "queue-throughput")
    lines, in_the_first_lap = counted["tasks"] / 8, 1024 / 8
    assert counted["line_transfers"] >= 2 * lines - in_the_first_lap


def test_wide_regions_take_little_longer_than_narrow_ones() -> None:
    """The virtual time, which says little itself, shows that nothing is done one after another."""
    for workload in OF_OPENMP:
        few, many = (
            simulated("--threads", threads, "--workload", workload, "--tasks-a-worker", 20)[0]
            for threads in (8, 192)
        )
        assert many["virtual_ns"] < 6 * few["virtual_ns"], "24 times as many threads"


def test_a_sleeper_is_woken() -> None:
    counted, _ = simulated("--threads", 8, "--start", "asleep")
    assert counted["wake_ups"] >= 1
    assert counted["longest_wake_up_chain"] >= 1


def test_the_rings_of_xqueue_grow_with_the_square_of_the_workers() -> None:
    few, _ = simulated("--threads", 8, "--policy", "xqueue_static", "--tasks-a-worker", 10)
    many, _ = simulated("--threads", 64, "--policy", "xqueue_static", "--tasks-a-worker", 10)
    assert many["pool_bytes"] > 16 * few["pool_bytes"]


@pytest.mark.parametrize(
    "options",
    [
        ["--workload", "none"],
        ["--threads", "0"],
        ["--threads", "257"],
        ["--seed"],
        ["--times", "best"],
        ["--jitter", "101"],
    ],
)
def test_it_refuses_what_it_does_not_know(options: Any) -> None:
    done = subprocess.run(
        [BUILD / "sim/finegrain-sim", *options], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("finegrain-sim: ")


@pytest.mark.parametrize(
    ("before", "after", "told"),
    [
        (HIT, "", "it has no cycles.hit"),
        (HIT, "hit = 1\nmiss = 1\n", "there is no entry cycles.miss"),
        (HIT, "hit = 1\nhit = 2\n", "it has cycles.hit twice"),
        (HIT, "hit = 0\n", "cycles.hit is no positive number"),
        (HIT, "hit = [1, 2, x]\n", "cycles.hit is no positive number"),
        (HIT, "hit = [1, 2]\n", "cycles.hit is not [low, usual, high]"),
        (HIT, "hit = [2, 1, 4]\n", "cycles.hit is not [low, usual, high]"),
        (HIT, "hit = [1, 1.5, 4]\n", "cycles.hit is no whole number up to a million"),
        ("packages = 1", "packages = 0.5", "cores.packages is no whole number up to a million"),
        ("packages = 1", "packages", "not understood: packages"),
        ('name = "1x2"', "name = 1x2", "name is no string"),
        ('name = "1x2"', 'name = "1\\x2"', "name is empty, or has a quote or a backslash"),
    ],
)
def test_it_refuses_a_bad_machine(before: str, after: str, told: str, tmp_path: Path) -> None:
    text = (HERE / "machines/1x2.toml").read_text()
    assert before in text
    machine = tmp_path / "machine.toml"
    machine.write_text(text.replace(before, after))
    done = subprocess.run(
        [BUILD / "sim/finegrain-sim", "--machine", machine],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == f"finegrain-sim: {machine}: {told}\n"


@pytest.mark.parametrize("what", BROKEN)
def test_a_broken_directory_is_found(what: str, tmp_path: Path) -> None:
    before, after = BROKEN[what]
    text = (HERE / "simulator/directory.cpp").read_text()
    assert before in text
    source = tmp_path / "directory.cpp"
    source.write_text(text.replace(before, after))
    program = tmp_path / "known_shapes_test"
    objects = BUILD / "sim/CMakeFiles/known_shapes_test.dir/known_shapes_test.cpp.o"
    libraries = [BUILD / "sim/libsimulator.a", BUILD / "virtual/libvirtual_threads.a"]
    flags = ["-std=c++20", "-O1", "-w", f"-I{TESTS}"]
    links = ["-lgtest", "-lgtest_main", "-lpthread", "-ldl"]
    command = ["clang++-19", *flags, source, objects, *libraries, *links, "-o", program]
    subprocess.run(list(map(str, command)), check=True)
    few = "--gtest_filter=of/known_shapes.*/1:of/known_shapes.*/2:of/known_shapes.*/8"
    try:
        done = subprocess.run(
            [program, few], capture_output=True, text=True, check=False, timeout=60
        )
    except subprocess.TimeoutExpired:
        return
    assert done.returncode != 0, done.stdout
