# SPDX-License-Identifier: Apache-2.0
"""scaling: counts a task, seeds, bands, and that none is ever taken for a measurement."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import Ran, Refused, WholeRun
from fakes import FakeBuild
from fakes_micro import SCALING_LINES

from finegrain_lab.experiments.scaling import (
    DEFAULT,
    OPENMP,
    SCALING,
    THREADS,
    USUAL,
    X_OPENMP,
    band_of,
)
from finegrain_lab.show.figures import Figure
from finegrain_lab.show.measurements import measurements_of
from finegrain_lab.show.result import load


def test_counts_are_a_task(whole: WholeRun) -> None:
    result = load(whole("scaling").folder, SCALING)
    for policy, lines in SCALING_LINES.items():
        row = result.row(case="fib", runtime=policy, threads=64, times=USUAL)
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
    assert "simulated: on cores of the machine 8x24, not measurements" in run.said
    titles = [line for line in run.said.splitlines() if "by cores" in line]
    assert titles
    assert all("(simulated" in line for line in titles)
    times = [line for line in run.said.splitlines() if "virtual time a task" in line]
    assert times
    assert all("(simulated, no measurement)" in line for line in times)
    assert measurements_of(SCALING, load(run.folder, SCALING)) == []


def test_a_band_reaches_over_all_runs_at_both_ends_of_the_bracket(whole: WholeRun) -> None:
    result = load(whole("scaling").folder, SCALING)
    band = band_of(result, case="fib", runtime=DEFAULT, threads=8)
    assert band
    assert band == pytest.approx([(10 + 1) / 8, (70 + 3) / 8])  # of the fakes: seeds 1 to 3
    assert band_of(result, case="fib-asleep", runtime=DEFAULT, threads=8) is None
    assert "1.38 to 9.12" in whole("scaling").said


def test_a_band_is_of_20_rounds() -> None:
    rounds = {(mode.min_rounds, mode.max_rounds) for mode in SCALING.modes.values()}
    assert rounds == {(20, 20)}


def test_a_band_is_of__jittered_runs_that_are_no_counts(ran: Ran, build: FakeBuild) -> None:
    ran("scaling", "--cases", "fib")
    starts = [line for line in build.starts() if line.startswith("scaling ")]
    wanted = f"--threads 256 --workload fib --start awake --policy {DEFAULT} "
    of_band = [line for line in starts if wanted in line and "--jitter 10" in line]
    ends = [(words[-5], words[-1]) for words in map(str.split, of_band)]
    assert sorted(ends) == sorted(
        (end, str(seed))
        for end in ("low", "high")
        for seed in range(1, 4)  # a round each
    )
    assert all("--jitter" not in line for line in starts if "--times" not in line)


def test_bands_are_drawn_apart_from_lines_and_say_simulated(whole: WholeRun) -> None:
    result = load(whole("scaling").folder, SCALING)
    figures = [
        part
        for section in SCALING.sections(result)
        for part in section.parts
        if isinstance(part, Figure) and part.name.startswith("band-")
    ]
    assert [figure.name for figure in figures] == [
        *("band-fib", "band-flat-all", "band-parallel-for", "band-regions")
    ]
    for figure in figures:
        assert "Simulated: no measurement." in figure.caption
        assert figure.shown
        assert all("simulated" in band.name and band.kind == "band" for band in figure.shown)


def test_a_users_own_machine_is_simulated_and_named(
    ran: Ran, build: FakeBuild, tmp_path: Path
) -> None:
    machine = tmp_path / "mine.toml"
    result = ran("scaling", "--cases", "fib", "--machine", machine)
    assert result["settings"]["machine"] == "mine"
    starts = [line for line in build.starts() if line.startswith("scaling ")]
    assert starts
    assert all(f"--machine {machine} " in line for line in starts)


def test_regions_have_no_policy(ran: Ran) -> None:
    result = ran("scaling", "--cases", "regions,barriers")
    assert {row["runtime"] for row in result["results"]} == {OPENMP}
    assert result["failed"] == []


def test_a_bad_machine_is_refused_before_anything_runs(refused: Refused, build: FakeBuild) -> None:
    build.trouble_in("scaling", "echo 'finegrain-sim: my.toml: it has no cycles.hit' >&2; exit 1")
    refused(
        "scaling", "--machine", "my.toml", text="--machine: my.toml: it has no cycles.hit", status=2
    )
    assert len(build.starts()) == 1


def test_only_scaling_takes_a_machine(refused: Refused) -> None:
    refused("handoff", "--machine", "my.toml", text="handoff takes no --machine", status=2)
