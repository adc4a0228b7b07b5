# SPDX-License-Identifier: Apache-2.0
"""The lab's programs and finegrain-info, as its experiments use them, shortest form.

FINEGRAIN_BUILD_DIR names the build folder, for instance build/release.
"""

import dataclasses
import json
import os
import statistics
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from finegrain_lab.experiments import experiment_of
from finegrain_lab.experiments.applications import ApplicationCase
from finegrain_lab.experiments.flat import FlatCase
from finegrain_lab.experiments.handoff import EMPTY_CASES, list_candidates
from finegrain_lab.experiments.handoff_values import VALUE_CASES
from finegrain_lab.experiments.queues import MEASURES
from finegrain_lab.experiments.sync import MECHANISMS
from finegrain_lab.experiments.tiles import TileCase
from finegrain_lab.run.engine import run
from finegrain_lab.run.experiment import Request
from finegrain_lab.run.host import allowed_cpus
from finegrain_lab.run.runtimes import SERIAL, Build, load_build, without_doubles
from finegrain_lab.show.result import load
from finegrain_lab.show.views import page_of

ROUNDS = 2  # the fewest of which there is an interval
SHORT: dict[str, dict[str, Any]] = {
    "handoff": {"batches": 2, "round_trips": 256},
    "break-even": {"batches": 3, "batch_ms": 1},
    "waiting": {"gaps_ms": 1, "max_gaps": 3, "min_gaps": 1},
    "spawn": {"batches": 2, "batch_ms": 2},
    "sync": {"batches": 2, "batch_ms": 2},
    "neighbour": {"max_ms": 20},
    "periodic": {"ticks_ms": 20, "most_answers": 40, "least_answers": 2},
    "queues": {"batches": 2, "round_trips": 256},
    "loops": {"batches": 2, "batch_us": 50, "warmup_ms": 2},
    "pipeline": {"batches": 2, "batch_us": 50, "warmup_ms": 2},
    "graph": {"graphs": 2, "batches": 2, "batch_us": 50, "warmup_ms": 2},
}


def _load() -> Build:
    folder = os.environ.get("FINEGRAIN_BUILD_DIR")
    if not folder:
        pytest.fail("FINEGRAIN_BUILD_DIR names no build folder", pytrace=False)
    return load_build(Path(folder))


BUILD = _load()


class Silent:
    """A reporter that tells nobody."""

    def step(self, share: float, what: str) -> None:
        """Nothing."""

    def milestone(self, text: str) -> None:
        """Nothing."""

    def say(self, text: str) -> None:
        """Nothing."""


def result_of(
    name: str, monkeypatch: pytest.MonkeyPatch, cases: Sequence[str] | None = None
) -> Any:
    """Runs the experiment on the real programs, and fails where one of them gave no sample."""
    if len(allowed_cpus()) < 2:
        pytest.fail(f"only CPU {allowed_cpus()[0]} may be used here: the programs need two")
    monkeypatch.setattr("finegrain_lab.run.beside.PATIENCE_S", 0)
    experiment = experiment_of(name)
    mode = experiment.modes["quick"]
    work = {**mode.work, **SHORT[name]}
    short = dataclasses.replace(mode, min_rounds=ROUNDS, max_rounds=ROUNDS, work=work)
    with tempfile.TemporaryDirectory() as folder:
        run(experiment, Request(BUILD, short, cases=cases), Path(folder), Silent())
        result = load(Path(folder), experiment)
    assert [failure.told() for failure in result.failed] == []
    assert all(len(row.samples) == ROUNDS for row in result.rows)
    assert page_of(experiment, result)
    return result


def test_handoff_has_every_queue_and_policy(monkeypatch: pytest.MonkeyPatch) -> None:
    result = result_of("handoff", monkeypatch)
    assert {"floor-one-line", "floor-two-line", "relic", "relic-paper"} <= set(result.runtimes)
    for candidate in list_candidates(BUILD):
        policies = {row.policy for row in result.rows_of(runtime=candidate.name)}
        assert policies == set(candidate.policies)
        with_values = {
            (row.case, row.policy)
            for row in result.rows_of(runtime=candidate.name)
            if row.case in VALUE_CASES
        }
        cases = VALUE_CASES if candidate.carries_tasks else ()
        assert with_values == {(case, policy) for case in cases for policy in policies}
    pairs = {tuple(pair) for pair in result.settings.placements.values()}
    assert {(row.main_cpu, *row.task_cpus) for row in result.rows} == pairs


def test_the_instructions_are_counted_and_repeat(monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = (result_of("handoff", monkeypatch).settings.instructions for _ in range(2))
    assert first == second
    assert list(first) == list(EMPTY_CASES)
    assert all(count > 0 for count in first.values())


def test_break_even_has_every_site(monkeypatch: pytest.MonkeyPatch) -> None:
    result = result_of("break-even", monkeypatch)
    assert {row.case for row in result.rows} == set(result.cases)
    assert all(0 <= row.offloaded_share <= 1 for row in result.rows)
    # Twice as long takes twice as long: the grains are what they are called.
    serial = {row.case: row.serial_ns for row in result.rows}
    assert 5 < serial["1to1-10us"] / serial["1to1-1us"] < 20


def test_waiting_has_every_policy(monkeypatch: pytest.MonkeyPatch) -> None:
    result = result_of("waiting", monkeypatch)
    policies = {row.policy for row in result.rows}
    (relic,) = (c for c in list_candidates(BUILD) if c.name == "relic")
    assert policies == set(relic.policies)
    spinning = result.row(policy="spin_pause", hints="none", gap_us=10_000)
    asleep = result.row(policy="spin_then_sleep", hints="hints", gap_us=10_000)
    assert asleep.sleeps > 0
    assert asleep.burned_share < spinning.burned_share


def test_sync_has_every_mechanism(monkeypatch: pytest.MonkeyPatch) -> None:
    result = result_of("sync", monkeypatch)
    counts = result.settings.threads
    assert (counts[0], counts[-1]) == (1, 2 * len(result.settings.cpus))
    rows = {(row.runtime, row.threads) for row in result.rows}
    assert rows == {(name, threads) for name in MECHANISMS for threads in counts}
    # A locked instruction takes some ten cycles, a lock and its release fewer than a thousand.
    assert all(2 < row.cycles < 5000 for row in result.rows if row.threads == 1)
    assert not result.notes


def test_queues_has_every_queue(monkeypatch: pytest.MonkeyPatch) -> None:
    result = result_of("queues", monkeypatch)
    assert {"finegrain-spsc", "boost-spsc", "mutex-mpmc"} <= set(result.runtimes)
    rows = {(row.case, row.runtime) for row in result.rows}
    assert rows == {(name, queue) for name in MEASURES for queue in result.runtimes}
    assert not result.notes


def test_neighbour_has_every_runtime(monkeypatch: pytest.MonkeyPatch) -> None:
    result = result_of("neighbour", monkeypatch)
    assert set(result.runtimes) == {it.name for it in BUILD.installed("relic-kernels")}
    assert {row.waits for row in result.rows_of(runtime="gnu-openmp")} == {"default", "active"}
    # A microsecond of work takes about that long where nothing shares the CPU.
    assert all(500 < row.ns < 20_000 for row in result.rows_of(runtime="serial"))
    assert all(row.offloaded_share == 1 for row in result.rows_of(runtime="relic"))


def test_periodic_has_every_runtime_and_way_to_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    result = result_of("periodic", monkeypatch)
    installed = {it.name for it in BUILD.installed("periodic")}
    assert set(result.runtimes) == set(without_doubles({*installed, "pool"}))
    waits = {(row.runtime, row.waits) for row in result.rows}
    assert {("relic", "default"), ("relic", "spinning"), ("relic", "hints")} <= waits
    assert {("gnu-openmp", "passive"), ("gnu-openmp", "active")} <= waits
    for case, beat in result.settings.beats.items():
        serial, spinning = (
            result.row(case=case, runtime=runtime, waits=waits)
            for runtime, waits in (("serial", "default"), ("relic", "spinning"))
        )
        assert (serial.elsewhere, spinning.elsewhere) == (0, 1)
        # The work takes as long as it is called, and not a multiple of it, as asleep.
        assert 0.5 < serial.work_ns / (1000 * beat["work_us"]) < 2
        assert serial.burned_share < spinning.burned_share


CRATES = [
    name for name in ("rayon", "chili") if name in {it.name for it in BUILD.installed("spawn")}
]


def spawn_of(crate: str, *words: str) -> subprocess.CompletedProcess[str]:
    """Runs a crate's program on two threads."""
    program = BUILD.program(BUILD.manifest.spawn / f"spawn-{crate}")
    cpus = ",".join(map(str, allowed_cpus()[:2]))
    command = [str(program), "--threads", "2", "--cpus", cpus, "--batches", "1", *words]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)


@pytest.mark.parametrize("crate", CRATES)
def test_a_crate_searches_the_tree_on_both_threads(crate: str) -> None:
    line = json.loads(spawn_of(crate, "uts", "--tree", "T3").stdout)
    assert (line["nodes"], line["depth"]) == (4112897, 1572)
    assert line["offloaded_share"] > 0
    assert line["cpus"] == allowed_cpus()[:2]


@pytest.mark.parametrize("crate", CRATES)
def test_what_a_crate_cannot_do_is_refused_and_left_out(crate: str) -> None:
    refused = {"bots --application fib": ApplicationCase("fib").is_for}
    refused["syrk --n 64 --tile 32"] = TileCase("32").is_for
    if crate == "chili":
        refused["flat"] = FlatCase("flat").is_for
    for words, is_for in refused.items():
        ended = spawn_of(crate, *words.split())
        assert (ended.returncode, ended.stdout, ended.stderr.count("\n")) == (1, "", 1)
        assert crate in ended.stderr
        assert not is_for(crate)


def test_loops_has_every_runtime_and_way_to_call(monkeypatch: pytest.MonkeyPatch) -> None:
    result = result_of("loops", monkeypatch)
    installed = {it.name for it in BUILD.installed("loops")}
    assert set(result.runtimes) == set(without_doubles({*installed, "pool"}))
    calls = {(row.runtime, row.calls) for row in result.rows}
    assert {("pool", "inside"), ("pool", "outside"), ("pool", "one-worker")} <= calls
    for row in result.rows:
        is_alone = row.runtime == SERIAL or row.calls == "one-worker"
        # Who has a million elements of 100 ns shares them.
        if is_alone or (row.elements, row.element_ns) == (1_000_000, 100):
            assert (row.elsewhere == 0) is is_alone, (row.runtime, row.calls)
    # The elements take as long as they are called, in most loops: the host takes its CPUs away.
    lengths = [
        row.ns / (row.elements * row.element_ns)
        for row in result.rows_of(runtime=SERIAL)
        if row.elements >= 1000 and row.element_ns >= 8
    ]
    assert 0.5 < statistics.median(lengths) < 2


def test_graph_has_every_runtime_and_form(monkeypatch: pytest.MonkeyPatch) -> None:
    result = result_of("graph", monkeypatch, ["random-1us", "inference-1us"])
    installed = {it.name for it in BUILD.installed("graph")}
    assert set(result.runtimes) >= set(without_doubles({*installed, "pool"}))
    assert bool(result.settings.taken_over) is (BUILD.manifest.drop_in is not None)
    forms = {(row.case, row.runtime, row.form) for row in result.rows}
    assert {("inference-1us", name, "fork-join") for name in ("relic", "pool")} <= forms
    assert ("random-1us", "onetbb", "lightweight") in forms
    for row in result.rows_of(runtime=SERIAL):
        assert row.elsewhere == 0
        assert 500 < row.ns < 20_000  # a node takes as long as it is called


def test_pipeline_has_every_runtime(monkeypatch: pytest.MonkeyPatch) -> None:
    result = result_of("pipeline", monkeypatch, ["s-s-1us", "s-p-s-1us"])
    installed = {it.name for it in BUILD.installed("pipeline")}
    assert set(result.runtimes) == {*installed, "pool"}
    for row in result.rows_of(runtime=SERIAL):
        assert row.elsewhere == 0
        assert 500 < row.ns < 20_000  # a token takes as long as it is to take
    for row in result.rows_of(runtime="two-threads"):
        assert row.elsewhere == 0.5


def test_spawn_has_every_policy_and_peer(monkeypatch: pytest.MonkeyPatch) -> None:
    result = result_of("spawn", monkeypatch)
    peers = {runtime.name for runtime in BUILD.installed("spawn")} - {SERIAL}
    assert peers <= set(result.runtimes)
    assert {"serial", "ceiling", "pool-private_deque"} <= set(result.runtimes)
    for case in result.cases:
        for runtime in set(result.runtimes) - {"serial", "ceiling"}:
            rows = list(result.rows_of(case=case, runtime=runtime))
            of_threads = [] if (case, runtime) == ("flat", "chili") else [False, True]
            assert [row.offloaded_share > 0 for row in rows] == of_threads
        # About twice as fast; a neighbour that counts and does not compute, thousands of times.
        assert 0.2 < result.row(case=case, runtime="ceiling", threads=2).speedup < 5
    assert not [line for lines in result.notes.values() for line in lines if "not its own" in line]
