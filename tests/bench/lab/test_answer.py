# SPDX-License-Identifier: Apache-2.0
"""Who wins where, from which grain on, and what a host could not show."""

import shutil
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from conftest import WholeRun
from test_ratios import DISTURBED

from finegrain_lab.experiments import EXPERIMENTS, experiment_of
from finegrain_lab.papers import PAPERS, RELIC, X_OPENMP
from finegrain_lab.show.measurements import Measurement, is_ours
from finegrain_lab.show.report.answer import Answer, answer_lines, answer_of, summary
from finegrain_lab.show.report.limits import differences_of, limits_of
from finegrain_lab.show.report.measured import Measured, load_measured
from finegrain_lab.show.report.standings import Standings, standings_of
from finegrain_lab.show.rows import Failure

POOL = "pool-private_deque"
SIZES = "Sizes below the papers', which --paper has; each paper's section below says which"
DROP_IN = "+finegrain:private_deque"


def row(runtime: str, samples: Sequence[float], case: str = "fib") -> Measurement:
    default = runtime in (POOL, "relic") or DROP_IN in runtime
    return Measurement("spawn", case, runtime, is_ours(runtime), default, samples, None)


def found(*rows: Measurement) -> Standings:
    standings = standings_of(rows)
    assert standings
    return standings


def test_a_case_is_held_against_its_fastest_peer_round_by_round() -> None:
    standings = found(
        row(POOL, [1, 10, 2]), row("onetbb", [9, 90, 18]), row("taskflow", [2, 20, 4])
    )
    (case,) = standings.cases
    assert (case.peer, list(case.ratios), case.times) == ("taskflow", [2, 2, 2], 2)
    assert (standings.ahead, standings.level, standings.behind) == (1, 0, 0)


@pytest.mark.parametrize(
    "name", ["serial", "ceiling", "oracle", "floor-one-line (spin)", "pool-combining"]
)
def test_what_nobody_would_run_instead_is_no_peer(name: str) -> None:
    assert standings_of([row(POOL, [2, 2]), row(name, [1, 1])]) is None
    (case,) = found(row(POOL, [2, 2]), row(name, [1, 1]), row("hpx", [6, 6])).cases
    assert case.peer == "hpx"


def test_the_library_stands_for_us_then_the_drop_in_over_intel_s() -> None:
    peers = [row("gnu-openmp", [8, 8]), row("intel-openmp", [9, 9])]
    drop_ins = [row(f"gnu-openmp{DROP_IN}", [1, 1]), row(f"intel-openmp{DROP_IN}", [2, 2])]
    assert found(*peers, *drop_ins, row(POOL, [4, 4])).cases[0].ours == POOL
    assert found(*peers, *drop_ins).cases[0].ours == f"intel-openmp{DROP_IN}"


def test_a_loss_is_a_loss_and_what_the_interval_leaves_open_is_neither() -> None:
    standings = found(
        *(row(POOL, [2, 2, 2], "won"), row("hpx", [8, 8, 8], "won")),
        *(row(POOL, [2, 2, 2], "lost"), row("hpx", [1, 1, 1], "lost")),
        *(row(POOL, [2, 2, 2], "open"), row("hpx", [1, 2, 4], "open")),
    )
    assert (standings.ahead, standings.behind, standings.level) == (1, 1, 1)
    assert standings.times == pytest.approx((4 * 0.5 * 1) ** (1 / 3))
    assert (standings.least.case, standings.most.case) == ("lost", "won")
    low, high = standings.ci95
    assert low < standings.times < high


@pytest.mark.parametrize("ours", [[1, 1], [1, 1, 0]])
def test_what_was_not_measured_together_is_told_and_not_compared(ours: list[float]) -> None:
    standings = found(
        *(row(POOL, ours, "odd"), row("hpx", [1, 1, 1], "odd")),
        *(row(POOL, [1, 1, 1], "whole"), row("hpx", [2, 2, 2], "whole")),
    )
    assert [case.case for case in standings.cases] == ["whole"]
    assert standings.unpaired == ["odd"]
    assert "1 not comparable" in answer_lines(Answer([standings], {}, []))[1]


def test_the_summary_names_what_is_slower() -> None:
    lost = found(row(POOL, [2, 2]), row("hpx", [1, 1]))
    won = Standings("bots", found(row(POOL, [1, 1]), row("hpx", [2, 2])).cases)
    text = summary(Answer([won, lost], {}, []))
    assert "faster in 1 of 2 experiments; slower in spawn" in text
    assert "Of the 2 cases it wins 1, loses 1, and 0 are too close" in text
    assert summary(Answer([], {}, [])).startswith("There is no case")


@pytest.fixture
def measured(whole_results: dict[str, Any]) -> Measured:
    return Measured("here", whole_results, {})


def test_every_experiment_with_a_peer_has_its_standings(measured: Measured) -> None:
    answer = answer_of(measured)
    without = set(measured.results) - {each.experiment for each in answer.standings}
    assert without == {"break-even", "waiting", "sync", "scaling"}
    kernels = next(each for each in answer.standings if each.experiment == "relic-kernels")
    assert [case.case for case in kernels.cases] == ["bc", "bfs", "cc", "pr", "sssp", "tc", "json"]
    assert kernels.times == pytest.approx(160 / 115, rel=0.01)


def test_the_grain_is_that_of_break_even_and_of_every_runtime(measured: Measured) -> None:
    grains = answer_of(measured).grains
    assert grains["the floor: one cache line there and back"] == "150 ns"
    assert sum(what.startswith("fork_join") for what in grains) == 3
    assert grains["one of two equal tasks, by relic"] == "10ns"
    assert grains["one of two equal tasks, by gnu-openmp"] == "not up to 10us"


def changed(result: Any, **fields: object) -> Any:
    """Returns the result with other fields."""
    return replace(result, **fields)


def with_host(measured: Measured, **fields: Any) -> Measured:
    results = {
        name: changed(result, host=replace(result.host, **fields))
        for name, result in measured.results.items()
    }
    return Measured(measured.name, results, measured.failed)


@pytest.mark.parametrize(
    ("fields", "said", "unsaid"),
    [
        ({"used_cpus_are_siblings": False}, "The two CPUs are not SMT", "does not say"),
        ({"used_cpus_are_siblings": None}, "does not say whether", "are not SMT"),
        ({"used_cpus_are_siblings": True, "hypervisor": False}, "2 CPUs: every curve", "siblings"),
        ({"hypervisor": True}, "A virtual machine", "quota"),
        ({"cgroup_quota_cpus": 1.5}, "A quota of 1.5 CPUs", "nothing"),
    ],
)
def test_the_machine_s_limits(
    measured: Measured, fields: dict[str, object], said: str, unsaid: str
) -> None:
    known: dict[str, Any] = {
        "cpus_allowed": [0, 1],
        "hypervisor": False,
        "cgroup_quota_cpus": None,
        **fields,
    }
    text = "\n".join(limit.what for limit in limits_of(with_host(measured, **known)))
    assert said in text
    assert unsaid not in text


def particulars(measured: Measured) -> dict[str, Sequence[str]]:
    return {limit.what: limit.particulars for limit in limits_of(measured)}


def test_threads_end_where_the_cpus_do(measured: Measured) -> None:
    few = particulars(with_host(measured, cpus_allowed=list(range(16))))
    assert few["16 CPUs: every curve over threads ends there. The papers had more"] == [
        "X-OpenMP 192"
    ]
    assert not any(
        "curve" in what for what in particulars(with_host(measured, cpus_allowed=[*range(192)]))
    )


def test_what_the_runs_lack_is_told(measured: Measured) -> None:
    handoff = measured.results["handoff"]
    failure = Failure(runtime="mutex", case="increment", reason="boom")
    results = {
        "handoff": changed(handoff, floor_samples=[100.0, 100.0, 900.0, 900.0]),
        "sync": changed(measured.results["sync"], failed=[failure], beside=DISTURBED),
        "cholesky": measured.results["cholesky"],
    }
    told = particulars(Measured("here", results, {"omp": "no program"}))
    assert told["Cases that failed"] == ["sync: mutex: failed on increment: boom"]
    moved = "The floor moved: the host changed during these runs, or something else ran"
    assert told[moved] == ["handoff"]
    assert told["What else ran beside these was not recorded"] == ["handoff", "cholesky"]
    disturbed = "Something else ran beside these: their numbers are not to be quoted"
    assert told[disturbed] == ["sync"]
    assert told["Experiments that failed as a whole"] == ["omp: no program"]
    absent = told["Experiments that were not run"]
    assert "bots" in absent
    assert len(absent) == len(EXPERIMENTS) - 4
    missing = told["Runtimes that are not installed"]
    assert "opencilk: no registry has it: build it from its own site" in missing
    assert told[SIZES] == ["cholesky"]
    paper = changed(measured.results["cholesky"], mode="paper")
    assert SIZES not in particulars(Measured("here", {"cholesky": paper}, {}))


def test_a_paper_s_differences_are_of_its_own_experiments(measured: Measured) -> None:
    told = {limit.what: limit.particulars for limit in differences_of(X_OPENMP, measured)}
    assert any(what.startswith("Machine: 13 machines; ") for what in told)
    sizes = told["Sizes below the paper's, so that a run takes minutes"]
    names = {line.split(":")[0] for line in sizes}
    assert names <= set(X_OPENMP.experiments())
    assert {"syrk", "cholesky"} <= names
    assert any(line.startswith("cholesky: ") and "12,288" in line for line in sizes)
    lacking = Measured("here", {"handoff": measured.results["handoff"]}, {})
    missing = {limit.what: limit.particulars for limit in differences_of(RELIC, lacking)}
    assert missing["Experiments that were not run"] == ["relic-kernels", "break-even", "waiting"]


def test_every_experiment_has_its_paper_and_one_only() -> None:
    names = [name for paper in PAPERS for name in paper.experiments()]
    assert len(names) == len(set(names))
    beyond = {experiment.name for experiment in EXPERIMENTS} - set(names)
    ours = {
        "spawn",
        "neighbour",
        "periodic",
        "loops",
        "graph",
        "pipeline",
        "omp-regions",
        "scaling",
    }
    assert beyond == ours
    assert len({paper.name for paper in PAPERS}) == len(PAPERS)


def test_hosts_are_named_by_their_folders(whole: WholeRun, tmp_path: Path) -> None:
    folders = [tmp_path / name for name in ("one/all", "two/all", "three")]
    for folder in folders:
        folder.mkdir(parents=True)
        shutil.copy(whole("sync").folder / "sync.jsonl", folder)
    names = [measured.name for measured in load_measured(folders)]
    assert names == [str(folders[0]), str(folders[1]), "three"]
    assert experiment_of("sync").name in load_measured(folders)[0].results
