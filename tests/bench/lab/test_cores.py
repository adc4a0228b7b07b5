# SPDX-License-Identifier: Apache-2.0
"""Threads on SMT siblings beside threads on cores, on machines that are made up."""

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from conftest import Ran, host_of
from fakes import FakeBuild
from test_host import put

from finegrain_lab.experiments import experiment_of
from finegrain_lab.experiments.task_figures import spreads_of
from finegrain_lab.run.cores import spread_of
from finegrain_lab.run.host import Host, cores_first, describe_host
from finegrain_lab.run.runtimes import load_build
from finegrain_lab.show.figures import Figure
from finegrain_lab.show.result import load

THREE_CORES = {cpu: [cpu % 3, cpu % 3 + 3] for cpu in range(6)}


@pytest.fixture
def host(build: FakeBuild) -> Host:
    """Two NUMA nodes of two cores with two threads each."""
    cores = [[cpu, cpu + 4] for cpu in range(4)]
    known = host_of(load_build(build.folder))
    return replace(known, cores=cores, nodes=[[0, 1, 4, 5], [2, 3, 6, 7]], used_cpus=(0, 4))


@pytest.mark.parametrize(
    ("cpus", "spread"),
    [
        ([0], ""),
        ([0, 1], "a core each"),
        ([0, 4], "SMT siblings"),
        ([0, 1, 4], "some as SMT siblings"),
        ([0, 1, 2], "a core each, 2 NUMA nodes"),
        (list(range(8)), "SMT siblings, 2 NUMA nodes"),
    ],
)
def test_a_spread_is_of_cores_siblings_and_nodes(host: Host, cpus: list[int], spread: str) -> None:
    assert spread_of(host, cpus) == spread


def test_an_older_result_does_not_tell(host: Host) -> None:
    assert spread_of(replace(host, cores=None), [0, 4]) == ""


def result_with(host: Host, **settings: Any) -> Any:
    known = {"threads": [1, 2, 4, 8], "cpus": list(range(8)), "numa_binding": "on"}
    return SimpleNamespace(host=host, settings=SimpleNamespace(**{**known, **settings}))


def test_one_thread_begins_every_spread(host: Host) -> None:
    assert spreads_of(result_with(host)) == {
        "SMT siblings": [1, 2],
        "a core each, 2 NUMA nodes": [1, 4],
        "SMT siblings, 2 NUMA nodes": [1, 8],
    }


def test_a_spread_alone_has_no_name(host: Host) -> None:
    one_each = replace(host, cores=[[cpu] for cpu in range(8)], nodes=None)
    assert spreads_of(result_with(one_each)) == {"": [1, 2, 4, 8]}
    assert spreads_of(result_with(host, numa_binding="off")) == {"": [1, 2, 4, 8]}


def test_a_core_has_a_thread_before_any_has_two(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("finegrain_lab.run.host.siblings_of", lambda cpu, _root: THREE_CORES[cpu])
    assert cores_first([0, 3, 1, 2, 4, 5]) == [0, 1, 2, 3, 4, 5]


def test_a_host_tells_its_cores_and_nodes(
    build: FakeBuild, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("os.sched_getaffinity", lambda _pid: {0, 1, 2, 3, 5})
    for cpu, (one, other) in THREE_CORES.items():
        path = f"sys/devices/system/cpu/cpu{cpu}/topology/thread_siblings_list"
        put(tmp_path, path, f"{one},{other}")
    for node, cpus in {"node0": "0-2", "node1": "", "node10": "5", "node2": "3-4"}.items():
        put(tmp_path, f"sys/devices/system/node/{node}/cpulist", cpus)
    manifest = load_build(build.folder).manifest
    host = describe_host((0, 3), "", manifest, build.folder, tmp_path)
    assert host.cores == [[0, 3], [1], [2, 5]]  # CPU 4 is not allowed
    assert host.nodes == [[0, 1, 2], [3], [5]]
    bare = describe_host((0, 3), "", manifest, build.folder, tmp_path / "bare")
    assert (bare.cores, bare.nodes) == (None, None)


def test_the_report_has_siblings_beside_cores(
    ran: Ran, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("os.sched_getaffinity", lambda _pid: set(THREE_CORES))
    monkeypatch.setattr("finegrain_lab.run.host.siblings_of", lambda cpu, _root: THREE_CORES[cpu])
    settings = ran("strassen", "--threads", "2,3,6")["settings"]
    assert (settings["cpus"], settings["pair"]) == ([0, 1, 2, 3, 4, 5], [0, 3])
    experiment = experiment_of("strassen")
    result = load(tmp_path / "out", experiment)
    parts = [part for section in experiment.sections(result) for part in section.parts]
    figures = {part.name: part for part in parts if isinstance(part, Figure)}
    cores, siblings = (
        figures[f"threads-scaling-{spread}"] for spread in ("a-core-each", "smt-siblings")
    )
    assert (cores.y, cores.x) == (siblings.y, siblings.x)
    assert _threads_of(cores) == {1, 3}
    assert _threads_of(siblings) == {1, 2, 6}
    assert "threads-scaling" not in figures


def test_three_numbers_of_threads_make_a_curve(
    ran: Ran, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("os.sched_getaffinity", lambda _pid: set(THREE_CORES))
    monkeypatch.setattr("finegrain_lab.run.host.siblings_of", lambda _cpu, _root: None)
    ran("spawn", "--threads", "2,4", "--cases", "fib")
    experiment = experiment_of("spawn")
    parts = [
        part
        for section in experiment.sections(load(tmp_path / "out", experiment))
        for part in section.parts
    ]
    figures = {part.name: part for part in parts if isinstance(part, Figure)}
    assert figures.keys() == {"threads-fib", "speedup-fib"}
    assert _threads_of(figures["threads-fib"]) == {1, 2, 4}


def _threads_of(figure: Figure) -> set[Any]:
    return {point.x for series in figure.shown if series.kind == "line" for point in series.points}
