# SPDX-License-Identifier: Apache-2.0
"""The lab's programs and finegrain-info, as its experiments use them, shortest form.

FINEGRAIN_BUILD_DIR names the build folder, for instance build/release.
"""

import dataclasses
import os
from pathlib import Path
from typing import Any

import pytest

from finegrain_lab.experiment import Request, Run
from finegrain_lab.experiments import experiment_of
from finegrain_lab.handoff.candidates import list_candidates
from finegrain_lab.host import allowed_cpus, describe_host
from finegrain_lab.queues.cases import MEASURES
from finegrain_lab.runtimes import SERIAL, Build, load_build
from finegrain_lab.sync.cases import MECHANISMS

ROUNDS = 2  # the fewest of which there is an interval
SHORT: dict[str, dict[str, Any]] = {
    "handoff": {"batches": 2, "round_trips": 256},
    "break-even": {"batches": 3, "batch_ms": 1},
    "waiting": {"gaps_ms": 1, "max_gaps": 3, "min_gaps": 1},
    "spawn": {"batches": 2, "batch_ms": 2},
    "sync": {"batches": 2, "batch_ms": 2},
    "queues": {"batches": 2, "round_trips": 256},
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


def result_of(name: str, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Runs the experiment on the real programs, and fails where one of them gave no sample."""
    if len(allowed_cpus()) < 2:
        pytest.fail(f"only CPU {allowed_cpus()[0]} may be used here: the programs need two")
    experiment = experiment_of(name)
    short = dataclasses.replace(
        experiment.modes["quick"], min_rounds=ROUNDS, max_rounds=ROUNDS, **SHORT[name]
    )
    monkeypatch.setattr(experiment, "modes", {"quick": short})
    run: Run[Any] = experiment.prepare(Request(BUILD, "quick"))
    host = describe_host(run.cpus, run.placement, BUILD.manifest, BUILD.folder)
    result = run.measure(Silent())(host)
    assert [failure.told() for failure in result.failed] == []
    assert all(len(row.samples) == ROUNDS for row in result.results)
    assert experiment.page(result)
    return result


def test_handoff_has_every_queue_and_policy(monkeypatch: pytest.MonkeyPatch) -> None:
    result = result_of("handoff", monkeypatch)
    assert {"floor-one-line", "floor-two-line", "relic", "relic-paper"} <= set(result.runtimes)
    for candidate in list_candidates(BUILD):
        policies = {row.policy for row in result.results if row.runtime == candidate.name}
        assert policies == set(candidate.policies)
    pair = {
        (placement.main_cpu, placement.assistant_cpu) for placement in result.settings.placements
    }
    assert {(row.main_cpu, *row.task_cpus) for row in result.results} == pair


def test_the_instructions_are_counted_and_repeat(monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = (result_of("handoff", monkeypatch).instructions for _ in range(2))
    assert first == second
    assert [line.case for line in first] == list(experiment_of("handoff").contents()["cases"])
    assert all(line.instructions_per_task > 0 for line in first)


def test_break_even_has_every_site(monkeypatch: pytest.MonkeyPatch) -> None:
    result = result_of("break-even", monkeypatch)
    assert {row.case for row in result.results} == set(result.cases)
    assert all(0 <= row.offloaded_share <= 1 for row in result.results)
    # Twice as long takes twice as long: the grains are what they are called.
    serial = {row.case: row.serial_ns for row in result.results}
    assert 5 < serial["1to1-10us"] / serial["1to1-1us"] < 20


def test_waiting_has_every_policy(monkeypatch: pytest.MonkeyPatch) -> None:
    result = result_of("waiting", monkeypatch)
    policies = {row.policy for row in result.results}
    (relic,) = (c for c in list_candidates(BUILD) if c.name == "relic")
    assert policies == set(relic.policies)
    spinning = result.row("spin_pause", "none", 10_000)
    asleep = result.row("spin_then_sleep", "hints", 10_000)
    assert asleep.sleeps > 0
    assert asleep.burned_share < spinning.burned_share


def test_sync_has_every_mechanism(monkeypatch: pytest.MonkeyPatch) -> None:
    result = result_of("sync", monkeypatch)
    counts = result.settings.threads
    assert (counts[0], counts[-1]) == (1, 2 * len(result.settings.cpus))
    rows = {(row.runtime, row.threads) for row in result.results}
    assert rows == {(name, threads) for name in MECHANISMS for threads in counts}
    # A locked instruction takes some ten cycles, a lock and its release fewer than a thousand.
    assert all(2 < row.cycles < 5000 for row in result.results if row.threads == 1)
    assert not result.notes


def test_queues_has_every_queue(monkeypatch: pytest.MonkeyPatch) -> None:
    result = result_of("queues", monkeypatch)
    assert {"finegrain-spsc", "boost-spsc", "mutex-mpmc"} <= set(result.runtimes)
    rows = {(row.case, row.runtime) for row in result.results}
    assert rows == {(name, queue) for name in MEASURES for queue in result.runtimes}
    assert not result.notes


def test_spawn_has_every_policy_and_peer(monkeypatch: pytest.MonkeyPatch) -> None:
    result = result_of("spawn", monkeypatch)
    peers = {runtime.name for runtime in BUILD.installed("spawn")} - {SERIAL}
    assert peers <= set(result.runtimes)
    assert {"serial", "ceiling", "pool-private_deque"} <= set(result.runtimes)
    for case in result.cases:
        for runtime in set(result.runtimes) - {"serial", "ceiling"}:
            rows = [result.row(case, runtime, threads) for threads in (1, 2)]
            assert [row.offloaded_share > 0 for row in rows] == [False, True]
        # About twice as fast; a neighbour that counts and does not compute, thousands of times.
        assert 0.2 < result.row(case, "ceiling", 2).speedup < 5
    assert not [line for lines in result.notes.values() for line in lines if "not its own" in line]
