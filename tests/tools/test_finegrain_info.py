# SPDX-License-Identifier: Apache-2.0
"""finegrain-info as a process: its JSON is the lab's contract.

FINEGRAIN_BUILD_DIR names the build folder, for instance build/release.
"""

import json
import os
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

KINDS = ["smt_sibling", "shared_l2", "shared_l3", "same_package", "other_package"]
WRONG_ARGUMENTS_STATUS = 2
# hwloc takes this machine for an i7-8700: six cores of two threads, siblings n and n + 6.
I7_8700 = "Package:1 NUMANode:1 L3:1 L2:6 L1d:1 Core:1 PU:2(indexes=0,6,1,7,2,8,3,9,4,10,5,11)"
SIBLINGS_0_AND_1 = "Package:1 NUMANode:1 L3:1 L2:1 L1d:1 Core:1 PU:2"


def _program() -> str:
    folder = os.environ.get("FINEGRAIN_BUILD_DIR")
    if not folder:
        pytest.fail("FINEGRAIN_BUILD_DIR names no build folder", pytrace=False)
    return str(Path(folder) / "tools" / "finegrain-info")


PROGRAM = _program()


def run(*arguments: str, synthetic: str = "") -> subprocess.CompletedProcess[str]:
    environment = dict(os.environ)
    if synthetic:
        environment["HWLOC_SYNTHETIC"] = synthetic
    return subprocess.run(
        arguments, capture_output=True, text=True, check=False, timeout=60, env=environment
    )


def info(*arguments: str, cpus: str = "0,1", synthetic: str = "") -> dict[str, Any]:
    done = run("taskset", "-c", cpus, PROGRAM, "--json", *arguments, synthetic=synthetic)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    assert done.stdout.count("\n") == 1
    found = json.loads(done.stdout)
    assert isinstance(found, dict)
    return found


@pytest.fixture(scope="module")
def with_hwloc() -> None:
    """Topologies that hwloc makes up need a program that has hwloc."""
    if not info("--no-measure")["source"].startswith("hwloc"):
        pytest.skip("built without hwloc")


def test_says_all_that_the_contract_names() -> None:
    found = info("--no-measure")
    assert list(found) == [
        *("cpus", "allowed", "quota_cpus", "source", "pair", "placements"),
        "workers",
        *("round_trip_ns", "break_even_ns"),
    ]
    for cpu in found["cpus"]:
        assert list(cpu) == [
            *("id", "core", "package", "l2", "l3", "numa_node", "efficiency_class")
        ]
    assert list(found["pair"]) == ["main_cpu", "assistant_cpu", "kind", "reason"]
    assert found["allowed"] == [0, 1]
    assert {0, 1} <= {cpu["id"] for cpu in found["cpus"]}
    assert {found["pair"]["main_cpu"], found["pair"]["assistant_cpu"]} == {0, 1}
    assert found["pair"]["kind"] in KINDS
    assert found["pair"]["reason"]
    for worker in found["workers"]:
        assert list(worker) == ["worker_cpu", "assistant_cpu"]


def test_measures_only_when_it_may() -> None:
    quick = info("--no-measure")
    assert quick["round_trip_ns"] is None
    assert quick["break_even_ns"] is None
    found = info()
    assert found["round_trip_ns"]["cpus"] == [0, 1]
    matrix = found["round_trip_ns"]["matrix"]
    assert matrix[0][0] is None
    assert matrix[1][1] is None
    # Some ten to some hundred nanoseconds; a busy host takes longer.
    assert matrix[0][1] == matrix[1][0]
    assert 5 < matrix[0][1] < 1e7
    assert 5 < found["break_even_ns"] < 1e7


def test_one_cpu_means_inline() -> None:
    found = info(cpus="0")
    assert found["pair"] == {
        "main_cpu": 0,
        "assistant_cpu": None,
        "kind": None,
        "reason": "one usable CPU",
    }
    assert found["placements"] == []
    assert found["round_trip_ns"] == {"cpus": [0], "matrix": [[None]]}
    assert found["break_even_ns"] is None


@pytest.mark.usefixtures("with_hwloc")
def test_a_cpuset_that_lacks_the_sibling() -> None:
    found = info("--no-measure", synthetic=I7_8700)
    assert len(found["cpus"]) == 12
    assert [cpu["core"] for cpu in found["cpus"]] == [0, 1, 2, 3, 4, 5] * 2
    assert found["pair"]["kind"] == "shared_l3"
    assert found["pair"]["reason"] == "sibling not in cpuset"
    assert found["placements"] == [{"kind": "shared_l3", "main_cpu": 0, "assistant_cpu": 1}]
    assert [worker["assistant_cpu"] for worker in found["workers"]] == [None, None]
    assert {worker["worker_cpu"] for worker in found["workers"]} == {0, 1}


@pytest.mark.usefixtures("with_hwloc")
def test_two_siblings() -> None:
    found = info("--no-measure", synthetic=SIBLINGS_0_AND_1)
    assert found["pair"]["kind"] == "smt_sibling"
    assert found["pair"]["reason"] == "SMT sibling"
    assert found["placements"] == [{"kind": "smt_sibling", "main_cpu": 0, "assistant_cpu": 1}]
    (worker,) = found["workers"]  # one core
    assert {worker["worker_cpu"], worker["assistant_cpu"]} == {0, 1}


@pytest.mark.usefixtures("with_hwloc")
def test_cpus_that_the_topology_does_not_know() -> None:
    found = info("--no-measure", synthetic="Package:1 Core:1 PU:1(indexes=7)")
    assert found["pair"]["kind"] == "other_package"
    assert found["pair"]["reason"] == "topology unknown"
    assert found["placements"] == []


def test_text_says_the_same() -> None:
    done = run("taskset", "-c", "0,1", PROGRAM)
    assert done.returncode == 0
    assert "allowed: 0 1\n" in done.stdout
    assert "a relic would use: main CPU" in done.stdout
    assert "because: " in done.stdout
    assert "floor: round trip of one cache line, ns:" in done.stdout
    break_even = re.search(
        r"^break-even: two branches of (\d+) ns each, .*\n  \((\d+) to (\d+): ", done.stdout, re.M
    )
    assert break_even
    median, least, most = map(int, break_even.groups())
    assert least <= median <= most


def test_wrong_arguments() -> None:
    done = run(PROGRAM, "--jsno")
    assert done.returncode == WRONG_ARGUMENTS_STATUS
    assert done.stdout == ""
    assert done.stderr.startswith("finegrain-info: ")
    assert done.stderr.count("\n") == 1


def test_help() -> None:
    done = run(PROGRAM, "--help")
    assert done.returncode == 0
    assert "--no-measure" in done.stdout
