# SPDX-License-Identifier: Apache-2.0
"""scaling: counts a task, seeds, and that they are never taken for measurements."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import Ran, Refused, WholeRun
from fakes import FakeBuild
from fakes_micro import SCALING_LINES

from finegrain_lab.experiments.scaling import DEFAULT, SCALING, THREADS, X_OPENMP
from finegrain_lab.show.measurements import measurements_of
from finegrain_lab.show.result import load


def test_counts_are_a_task(whole: WholeRun) -> None:
    result = load(whole("scaling").folder, SCALING)
    for policy, lines in SCALING_LINES.items():
        row = result.row(case="fib", runtime=policy, threads=64)
        assert row
        assert row.line_transfers == pytest.approx(lines * 63)
        assert (row.accesses, row.pool_kib, row.longest_wake_up_chain) == (20, 64, 2)


def test_each_round_has_a_seed_and_the_longest_simulations_two(ran: Ran, build: FakeBuild) -> None:
    ran("scaling", "--cases", "flat-one")
    starts = [line for line in build.starts() if line.startswith("scaling ")]

    def seeds(policy: str, threads: int) -> list[str]:
        wanted = f"--threads {threads} --workload flat-one --start awake --policy {policy} "
        return [line.rpartition(" ")[2] for line in starts if wanted in line]

    assert seeds(DEFAULT, 256) == ["1", "2", "3"]
    assert seeds(X_OPENMP[0], 64) == ["1", "2", "3"]
    assert seeds(X_OPENMP[0], 192) == ["1", "2"]
    assert seeds(X_OPENMP[0], 256) == []


def test_the_lone_producer_spawns_as_many_tasks_for_few_workers(ran: Ran, build: FakeBuild) -> None:
    ran("scaling", "--cases", "flat-one")
    tasks = {
        int(words[words.index("--threads") + 1]): int(words[words.index("--tasks-a-worker") + 1])
        for words in map(str.split, build.starts())
        if words[0] == "scaling"
    }
    assert all(tasks[threads] * threads == 512 for threads in THREADS if 512 % threads == 0)


def test_it_is_marked_and_held_against_nothing(whole: WholeRun) -> None:
    run = whole("scaling")
    assert "simulated: counts on cores of the machine 8x24, not measurements" in run.said
    titles = [line for line in run.said.splitlines() if "by cores" in line]
    assert titles
    assert all("(simulated)" in line for line in titles)
    assert " ns" not in run.said.partition("simulated")[2].replace("500 ns", "")
    assert measurements_of(SCALING, load(run.folder, SCALING)) == []


def test_a_users_own_machine_is_simulated_and_named(
    ran: Ran, build: FakeBuild, tmp_path: Path
) -> None:
    machine = tmp_path / "mine.toml"
    result = ran("scaling", "--cases", "fib", "--machine", machine)
    assert result["settings"]["machine"] == "mine"
    starts = [line for line in build.starts() if line.startswith("scaling ")]
    assert starts
    assert all(f"--machine {machine} " in line for line in starts)


def test_a_bad_machine_is_refused_before_anything_runs(refused: Refused, build: FakeBuild) -> None:
    build.trouble_in("scaling", "echo 'finegrain-sim: my.toml: it has no cycles.hit' >&2; exit 1")
    refused(
        "scaling", "--machine", "my.toml", text="--machine: my.toml: it has no cycles.hit", status=2
    )
    assert len(build.starts()) == 1


def test_only_scaling_takes_a_machine(refused: Refused) -> None:
    refused("handoff", "--machine", "my.toml", text="handoff takes no --machine", status=2)
