# SPDX-License-Identifier: Apache-2.0
"""The programs omp-RUNTIME, each case in its smallest form, as the lab starts them.

Alone under every runtime that is installed, under the drop-in, and over a runtime that loses work.
"""

import json
import os
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

BUILD = Path(os.environ["FINEGRAIN_BUILD_DIR"])
PROGRAMS = BUILD / "bench/programs"
GNU = "gnu-openmp"
LIBRARIES = {GNU: "libgomp", "llvm-openmp": "libomp", "intel-openmp": "libiomp5"}
RUNTIMES = [name for name in LIBRARIES if (PROGRAMS / f"omp-{name}").exists()]
DROP_IN = BUILD / "src/omp/libfinegrain-omp.so"
DROP_IN_ALL = BUILD / "src/omp/libfinegrain-omp-all.so"
LOSSY = BUILD / "tests/bench/programs/liblossy_openmp.so"
# uts-T1 has one size: four million tasks.
SIZES = {
    "fib-nocutoff": 15,
    "nqueens": 7,
    "sort": 1 << 15,
    "sparselu": 10,
    "flat-empty": 1000,
    "coarse-100us": 200,
    "region-overhead": 200,
    "region-value-overhead": 200,
    "for-overhead": 200,
    "region-for-overhead": 200,
    "barrier-overhead": 200,
    "single-overhead": 200,
    "reduction-overhead": 200,
    "critical-overhead": 200,
    "dynamic-overhead": 200,
    "guided-overhead": 200,
    "cg": 32,
    "multigrid": 32,
    "fft": 4096,
    "stencil": 128,
    "gemm": 64,
    "lu": 64,
    "levels": 64,
    "springs": 4000,
}
BATCHES = 1
CONSTRUCTS = tuple(case for case in SIZES if case.endswith("-overhead"))
# Of these any thread may do any part.
UNEVEN = ("single-overhead", "dynamic-overhead", "guided-overhead")
LOOPS = ("cg", "multigrid", "fft", "stencil", "gemm", "lu", "levels", "springs")
TASKS = {"fib-nocutoff": 1972, "uts-T1": 4_130_070, "flat-empty": 1000, "coarse-100us": 200}


def start(
    runtime: str, case: str, threads: int, **environment: str
) -> subprocess.CompletedProcess[str]:
    size = ["--size", str(SIZES[case])] if case in SIZES else []
    arguments = ["--case", case, *size, "--threads", str(threads), "--batches", str(BATCHES)]
    arguments += ["--spin-steps-per-us", "10"]
    settings = {"OMP_NUM_THREADS": str(threads), "OMP_DYNAMIC": "false", **environment}
    if threads > 2:  # than CPUs, here: who spins keeps others from working
        settings["OMP_WAIT_POLICY"] = "passive"
    return subprocess.run(
        [str(PROGRAMS / f"omp-{runtime}"), *arguments],
        env=dict(os.environ, **settings),
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


def line_of(ended: subprocess.CompletedProcess[str]) -> Any:
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout.count("\n") == 1
    return json.loads(ended.stdout)


def expect_whole(line: Any, runtime: str, case: str, threads: int) -> None:
    assert (line["runtime"], line["case"], line["threads"]) == (runtime, case, threads)
    assert line["size"] == SIZES.get(case, 0)
    assert len(line["ns"]) == BATCHES
    assert (line["loops"] > 20) is (case in LOOPS)
    if case in CONSTRUCTS + LOOPS:
        assert line["tasks"] == 0
    else:
        assert line["tasks"] == TASKS.get(case, line["tasks"]) > 20
    if case in CONSTRUCTS and case not in UNEVEN:
        assert line["offloaded_share"] == 1 - 1 / threads
    else:
        assert 0 <= line["offloaded_share"] <= 1 - 1 / threads
    if case not in CONSTRUCTS:
        assert all(ns > 0 for ns in line["ns"])
    assert line["cpus"]
    assert line["version"].startswith("OpenMP 20")
    assert line["note"] == ""


@pytest.mark.parametrize("runtime", ["serial", *RUNTIMES])
def test_the_runtime_is_the_one_of_the_name(runtime: str) -> None:
    ldd = subprocess.run(
        ["ldd", str(PROGRAMS / f"omp-{runtime}")], capture_output=True, text=True, check=True
    )
    needed = [line.split()[0].split(".")[0] for line in ldd.stdout.splitlines()]
    found = [name for name in needed if name in (*LIBRARIES.values(), "libfinegrain-omp")]
    assert found == ([LIBRARIES[runtime]] if runtime in LIBRARIES else [])


@pytest.mark.parametrize("threads", [1, 2, 4])
@pytest.mark.parametrize("case", SIZES)
@pytest.mark.parametrize("runtime", RUNTIMES)
def test_a_runtime_alone(runtime: str, case: str, threads: int) -> None:
    expect_whole(line_of(start(runtime, case, threads)), runtime, case, threads)


@pytest.mark.parametrize("runtime", RUNTIMES)
def test_the_whole_search(runtime: str) -> None:
    line = line_of(start(runtime, "uts-T1", 2))
    expect_whole(line, runtime, "uts-T1", 2)
    assert line["offloaded_share"] > 0


@pytest.mark.parametrize("case", [*SIZES, "uts-T1"])
def test_serial(case: str) -> None:
    if case in CONSTRUCTS:
        assert start("serial", case, 1).returncode == 2
        return
    line = line_of(start("serial", case, 1))
    assert line["runtime"] == "serial"
    assert line["version"].startswith("no OpenMP")
    assert line["offloaded_share"] == 0
    assert len(line["cpus"]) == 1


@pytest.mark.parametrize("case", [*SIZES, "uts-T1"])
@pytest.mark.parametrize("runtime", RUNTIMES)
def test_under_the_drop_in(runtime: str, case: str) -> None:
    ended = start(runtime, case, 2, LD_PRELOAD=str(DROP_IN), FINEGRAIN_OMP_VERBOSE="1")
    line = line_of(ended)
    expect_whole(line, runtime, case, 2)
    taken = re.search(r"took over (\d+) implicit tasks of regions and (\d+) tasks", ended.stderr)
    assert taken is not None, ended.stderr
    assert int(taken[1]) > 0
    assert int(taken[2]) >= line["tasks"] * (BATCHES + 2)  # the untimed and the counted one


@pytest.mark.parametrize("threads", [1, 2, 4])
@pytest.mark.parametrize("case", [*CONSTRUCTS, *LOOPS])
@pytest.mark.parametrize("runtime", RUNTIMES)
def test_on_regions_of_our_own(runtime: str, case: str, threads: int) -> None:
    loaded = {"LD_PRELOAD": str(DROP_IN_ALL), "FINEGRAIN_OMP_VERBOSE": "1"}
    ended = start(runtime, case, threads, **loaded)
    expect_whole(line_of(ended), runtime, case, threads)
    assert "finegrain-omp: regions are served without a runtime below" in ended.stderr


@pytest.mark.parametrize(
    ("case", "lost"),
    [
        *((case, "task") for case in [*SIZES, "uts-T1"] if case not in CONSTRUCTS + LOOPS),
        *((case, "loop") for case in LOOPS),
        ("region-overhead", "region"),
        ("region-value-overhead", "region"),
        ("reduction-overhead", "region"),
        ("region-for-overhead", "loop"),
        ("barrier-overhead", "barrier"),
    ],
)
def test_lost_work_is_noticed(case: str, lost: str) -> None:
    ended = start(GNU, case, 2, LD_PRELOAD=str(LOSSY), FINEGRAIN_TEST_LOSES=lost)
    assert ended.returncode == 3, ended.stderr
    assert ended.stdout == ""
    assert ended.stderr.startswith("omp-gnu-openmp: ")
    assert ended.stderr.count("\n") == 1


def test_nothing_lost_is_no_fault() -> None:
    line_of(start(GNU, "fib-nocutoff", 2, LD_PRELOAD=str(LOSSY)))
