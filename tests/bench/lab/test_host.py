# SPDX-License-Identifier: Apache-2.0
"""The host's description, from a made-up /proc and /sys."""

import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from fakes import FakeBuild

from finegrain_lab.run.errors import LabError
from finegrain_lab.run.host import (
    COMMIT,
    Host,
    choose_all_cpus,
    choose_cpus,
    describe_host,
    folder_name,
    parse_cpu_list,
    with_siblings,
)
from finegrain_lab.run.runtimes import load_build

CPU_INFO = """processor\t: {cpu}
vendor_id\t: GenuineIntel
cpu family\t: 6
model\t\t: 158
model name\t: Intel(R) Core(TM) i7-8700
stepping\t: 10
flags\t\t: fpu sse2{flags}
"""


def put(root: Path, path: str, text: str) -> None:
    file = root / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text + "\n")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A machine of two cores with two threads each: 0 and 2, 1 and 3."""
    root = tmp_path / "root"
    put(root, "proc/cpuinfo", "\n".join(CPU_INFO.format(cpu=cpu, flags="") for cpu in range(4)))
    put(root, "proc/self/cgroup", "0::/a/b")
    put(root, "sys/fs/cgroup/a/cpu.max", "150000 100000")
    put(root, "sys/fs/cgroup/a/b/cpu.max", "300000 100000")
    put(root, "sys/fs/cgroup/cpu.max", "max 100000")
    put(root, "sys/devices/system/cpu/smt/control", "on")
    put(root, "sys/devices/system/cpu/smt/active", "1")
    for cpu in range(4):
        folder = f"sys/devices/system/cpu/cpu{cpu}"
        put(root, f"{folder}/topology/thread_siblings_list", f"{cpu % 2},{cpu % 2 + 2}")
        put(root, f"{folder}/cpufreq/scaling_governor", "performance")
        put(root, f"{folder}/cache/index0/level", "1")
        put(root, f"{folder}/cache/index0/type", "Data")
        put(root, f"{folder}/cache/index0/size", "32K")
        put(root, f"{folder}/cache/index0/shared_cpu_list", f"{cpu % 2},{cpu % 2 + 2}")
    return root


def allow(monkeypatch: pytest.MonkeyPatch, cpus: set[int]) -> None:
    monkeypatch.setattr("os.sched_getaffinity", lambda _pid: cpus)


def describe(build: FakeBuild, root: Path, cpus: tuple[int, int]) -> Host:
    manifest = load_build(build.folder).manifest
    return describe_host(cpus, "asked for", manifest, build.folder, root)


def test_the_paper_s_placement_is_preferred(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    allow(monkeypatch, {0, 1, 2, 3})
    assert choose_cpus(None, root) == ((0, 2), "SMT siblings")
    allow(monkeypatch, {0, 1, 3})
    assert choose_cpus(None, root)[0] == (1, 3)
    allow(monkeypatch, {2, 3})
    cpus, why = choose_cpus(None, root)
    assert cpus == (2, 3)
    assert "no SMT siblings" in why


def test_each_core_has_a_thread_before_the_siblings_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for cpu in range(6):  # three cores of two threads
        path = f"sys/devices/system/cpu/cpu{cpu}/topology/thread_siblings_list"
        put(tmp_path, path, f"{cpu // 2 * 2}-{cpu // 2 * 2 + 1}")
    allow(monkeypatch, {0, 1, 2, 3, 4, 5})
    assert choose_all_cpus(None, tmp_path)[2] == [0, 1, 2, 4, 3, 5]
    assert choose_all_cpus((1, 4), tmp_path)[2] == [1, 4]


def test_what_runs_on_a_sibling_counts(root: Path, tmp_path: Path) -> None:
    assert with_siblings([0], root) == [0, 2]
    assert with_siblings([0, 1], root) == [0, 1, 2, 3]
    assert with_siblings([1, 0], tmp_path / "empty") == [0, 1]


def test_asked_for_cpus_are_taken_or_refused(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    allow(monkeypatch, {0, 1})
    assert choose_cpus((1, 0), root)[0] == (1, 0)
    with pytest.raises(LabError, match="twice"):
        choose_cpus((1, 1), root)
    with pytest.raises(LabError, match="CPU 2 may not be used"):
        choose_cpus((0, 2), root)
    allow(monkeypatch, {0})
    with pytest.raises(LabError, match="only CPU 0"):
        choose_cpus(None, root)


def test_a_machine_that_says_all(
    build: FakeBuild, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    allow(monkeypatch, {0, 1, 2, 3})
    host = describe(build, root, (0, 2))
    assert host.cpu == "Intel(R) Core(TM) i7-8700"
    assert (host.vendor, host.family, host.model, host.stepping) == (
        *("GenuineIntel", "6", "158", "10"),
    )
    assert host.smt == "on (control: on)"
    assert host.used_cpus_are_siblings is True
    assert describe(build, root, (0, 1)).used_cpus_are_siblings is False
    assert host.caches == ["L1d 32K, CPUs 0,2"]
    assert host.governor == "performance"
    assert host.cgroup_quota_cpus == 1.5  # the parent's: the tightest of all
    assert host.hypervisor is False
    assert (host.compiler, host.flags) == ("Fake 1", "-O3 -DNDEBUG")


def test_a_machine_that_says_nothing(
    build: FakeBuild, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    allow(monkeypatch, {0, 1})
    host = describe(build, tmp_path / "empty", (0, 1))
    assert host.cpu == host.smt == host.governor == "not exposed"
    assert host.used_cpus_are_siblings is None
    assert host.cgroup_quota_cpus is None
    assert host.caches == []


def test_a_virtual_machine_is_told(
    build: FakeBuild, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    allow(monkeypatch, {0, 1})
    put(root, "proc/cpuinfo", CPU_INFO.format(cpu=0, flags=" hypervisor"))
    assert describe(build, root, (0, 1)).hypervisor is True


def test_no_machine_s_name_is_in_the_description(build: FakeBuild, root: Path) -> None:
    name = os.uname().nodename
    assert name
    assert name not in str(describe(build, root, (0, 1)))


def test_a_node_of_a_cluster_is_named(
    build: FakeBuild, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(build.folder, COMMIT, "0123456789abcdef")  # as `./lab pack` does
    monkeypatch.setattr("platform.node", lambda: "node17.cluster")
    host = describe(build, root, (0, 2))
    assert host.node == "node17.cluster"
    assert folder_name(host).endswith("_node17.cluster")


def test_lists_of_cpus() -> None:
    assert parse_cpu_list("0") == [0]
    assert parse_cpu_list("0-2,5") == [0, 1, 2, 5]


@pytest.mark.parametrize(
    ("changed", "name"),
    [
        ({}, "0123456789_intel-core-i7-8700-158_siblings_clang-19.1.7"),
        (
            {"dirty": True, "used_cpus_are_siblings": False},
            "0123456789-dirty_intel-core-i7-8700-158_no-siblings_clang-19.1.7",
        ),
        (
            {"commit": "none", "cpu": "../x", "used_cpus_are_siblings": None},
            "none_..-x-158_siblings-unknown_clang-19.1.7",
        ),
    ],
)
def test_the_folder_of_a_hosts_results_is_named(
    build: FakeBuild, root: Path, changed: dict[str, Any], name: str
) -> None:
    known = {"commit": "0123456789abcdef", "dirty": False, "compiler": "Clang 19.1.7"}
    made: Any = known | changed
    host = replace(describe(build, root, (0, 2)), **made)
    assert folder_name(host) == name
