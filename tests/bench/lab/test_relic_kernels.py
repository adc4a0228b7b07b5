# SPDX-License-Identifier: Apache-2.0
"""The experiment: order, pairing, bound and summary."""

import dataclasses
from pathlib import Path

import pytest
from conftest import Silent, host_of
from fakes import CRASH, FLOOR_NS, GARBAGE, KERNEL_NS, SPEEDUP_PERCENT, FakeBuild

from finegrain_lab.errors import LabError
from finegrain_lab.processes import Sample
from finegrain_lab.relic_kernels.cases import KERNELS
from finegrain_lab.relic_kernels.evaluate import to_result
from finegrain_lab.relic_kernels.measure import Measured, Pair, Plan, measure
from finegrain_lab.relic_kernels.modes import QUICK
from finegrain_lab.relic_kernels.results import Result
from finegrain_lab.runtimes import PeerSettings, load_build

SHORT = dataclasses.replace(QUICK, min_rounds=3, max_rounds=3)


def plan_of(
    build: FakeBuild,
    runtimes: list[str] | None = None,
    cases: tuple[str, ...] = KERNELS,
    peers: PeerSettings = "tuned",
) -> Plan:
    loaded = load_build(build.folder)
    return Plan(loaded, loaded.choose(runtimes), cases, (0, 1), SHORT, peers)


def result_of(plan: Plan, measured: Measured) -> Result:
    return to_result(plan, measured, host_of(plan.build))


def sample(runtime: str, ns: float, case: str = "bc", share: float = 1.0) -> Sample:
    return Sample(
        runtime=runtime,
        case=case,
        iterations=10,
        ns=ns,
        offloaded_share=share,
        main_cpu=0,
        task_cpus=[1],
        version="1",
        note="",
    )


def test_a_round_holds_every_pair_once_with_the_floors_spread(build: FakeBuild) -> None:
    measure(plan_of(build, ["relic", "onetbb"], ("bc", "cc")), Silent())
    starts = [line.split()[:3] for line in build.starts()]
    names = ("serial", "relic", "onetbb")
    for steps in (starts[:10], starts[10:20], starts[20:]):
        assert sorted(step for step in steps if step[0] != "floor") == sorted(
            [name, "--case", case] for case in ("bc", "cc") for name in names
        )
        assert [at for at, step in enumerate(steps) if step[0] == "floor"] == [0, 2, 5, 7]
        # A case's runtimes run together.
        assert {step[2] for step in (steps[1], *steps[3:5])} == {"bc"}


def test_the_spin_cases_are_in_some_rounds_only(build: FakeBuild) -> None:
    mode = dataclasses.replace(SHORT, min_rounds=1, spin_every=2)
    plan = dataclasses.replace(plan_of(build, [], ("bc", "spin-1us")), mode=mode)
    measured = measure(plan, Silent())
    assert list(measured.samples[Pair("bc", "serial")]) == [0, 1, 2]
    assert list(measured.samples[Pair("spin-1us", "serial")]) == [0, 2]


def test_speedup_is_the_median_of_ratios_of_the_same_round(build: FakeBuild) -> None:
    plan = plan_of(build, ["relic"], ("bc",))
    measured = Measured(floor_samples=[100.0])
    # Ratios 1.25, 4, 1.5: median 1.5. The medians' ratio is 300 / 160 = 1.875; pairs in order of
    # arrival, relic's rounds being 2, 0, 1, would be 1, 3.75 and 2.
    measured.samples[Pair("bc", "serial")] = {
        at: sample("serial", ns, share=0) for at, ns in enumerate([200.0, 600.0, 300.0])
    }
    measured.samples[Pair("bc", "relic")] = {
        2: sample("relic", 200.0),
        0: sample("relic", 160.0, share=0.5),
        1: sample("relic", 150.0),
    }
    row = result_of(plan, measured).row("bc", "relic")
    assert row is not None
    assert row.speedup == 1.5
    assert row.ci95 == pytest.approx((1.25, 4.0))
    assert (row.ns, row.serial_ns) == (160.0, 300.0)
    assert row.offloaded_share == pytest.approx(2.5 / 3)


def test_the_lead_is_paired_and_leaves_serial_out(build: FakeBuild) -> None:
    plan = plan_of(build, ["relic", "onetbb"], ("bc",))
    measured = Measured(floor_samples=[100.0])
    # The host slows down by four: the runtimes' own times overlap, their ratios do not.
    times = {"serial": [10.0, 10.0, 40.0], "relic": [100.0, 110.0, 400.0]}
    times["onetbb"] = [120.0, 121.0, 520.0]
    for name, rounds in times.items():
        measured.samples[Pair("bc", name)] = {at: sample(name, ns) for at, ns in enumerate(rounds)}
    (lead,) = result_of(plan, measured).leads
    assert (lead.case, lead.runtime, lead.runner_up) == ("bc", "relic", "onetbb")
    assert lead.ratio == pytest.approx(1.2)
    assert lead.ci95 == pytest.approx((1.1, 1.3))


def test_a_whole_run(build: FakeBuild) -> None:
    plan = plan_of(build, cases=(*KERNELS, "spin-100ns"))
    reporter = Silent()
    result = result_of(plan, measure(plan, reporter))

    assert result.rounds == reporter.milestones == 3
    assert reporter.shares == sorted(reporter.shares)
    assert len(result.floor_samples) == 60
    assert result.floor_ns == FLOOR_NS
    assert len(result.results) == 8 * len(SPEEDUP_PERCENT)
    assert all(len(row.samples) == 3 for row in result.results)

    bounds = [2 * (ns / 2) / (ns / 2 + FLOOR_NS) for ns in KERNEL_NS.values()]
    product = 1.0
    for value in bounds:
        product *= value
    assert result.bound == pytest.approx(product ** (1 / 7), rel=0.01)
    assert list(result.bounds) == list(KERNELS)  # the spin case is not among them

    for name, percent in SPEEDUP_PERCENT.items():
        line = result.summary_of(name)
        assert line is not None
        assert line.geomean == pytest.approx(percent / 100, rel=0.01)
        assert line.geomean_no_negative == pytest.approx(max(100, percent) / 100, rel=0.01)
    serial = result.row("bc", "serial")
    assert serial is not None
    assert (serial.speedup, serial.ci95) == (1.0, (1.0, 1.0))
    assert result.notes == {"llvm-openmp": ["built with assertions"]}


def test_the_processes_get_what_the_protocol_and_the_settings_say(
    build: FakeBuild, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OMP_STRAY", "leak")
    measure(plan_of(build, ["gnu-openmp", "relic"], ("bc", "spin-1us")), Silent())
    starts = build.starts()
    kernel = "--case bc --iterations 20000 --warmup 200 --cpus 0,1 --max-ms 40"
    spin = (
        "--case spin-1us --iterations 10000 --warmup 200 --cpus 0,1 --max-ms 20 "
        "--spin-steps-per-us 1234.5"
    )
    assert starts.count(f"relic {kernel} places= preload= stray=") == 3
    assert starts.count(f"gnu-openmp {spin} places={{0}},{{1}} preload= stray=") == 3
    assert starts.count("floor --cpus 0,1 --batches 5 --round-trips 10000") == 12
    assert len(starts) == 3 * (3 * 2 + 4)


def test_without_all_kernels_there_is_no_bound_and_no_summary(build: FakeBuild) -> None:
    plan = plan_of(build, ["relic"], ("bc", "cc"))
    result = result_of(plan, measure(plan, Silent()))
    assert result.bound is None
    assert list(result.bounds) == ["bc", "cc"]
    assert result.summary == []


@pytest.mark.parametrize(
    ("trouble", "reason"), [(CRASH, "exit status 1: boom"), (GARBAGE, "printed no valid sample")]
)
def test_a_peer_that_fails_loses_that_case_alone(tmp_path: Path, trouble: str, reason: str) -> None:
    build = FakeBuild(tmp_path / "b", {"onetbb": trouble}, only="pr")
    plan = plan_of(build)
    result = result_of(plan, measure(plan, Silent()))
    assert [(line.runtime, line.case) for line in result.failed] == [("onetbb", "pr")]
    assert result.failed[0].reason.startswith(reason)
    assert result.row("pr", "onetbb") is None
    assert result.row("bc", "onetbb") is not None
    assert result.summary_of("onetbb") is None
    assert result.summary_of("relic") is not None
    assert sum(line.startswith("onetbb --case pr") for line in build.starts()) == 1


@pytest.mark.parametrize("runtime", ["serial", "floor"])
def test_without_serial_or_floor_there_is_no_run(tmp_path: Path, runtime: str) -> None:
    build = FakeBuild(tmp_path / "b", {runtime: CRASH})
    with pytest.raises(LabError, match="boom"):
        measure(plan_of(build, ["relic"]), Silent())


def test_a_sample_of_something_else_is_a_failure(tmp_path: Path) -> None:
    build = FakeBuild(tmp_path / "b", {"relic": "case=tc"}, only="pr")
    measured = measure(plan_of(build, ["relic"]), Silent())
    assert measured.failed == {Pair("pr", "relic"): "answered with a sample of relic on tc"}


def test_a_sample_cut_short_is_a_failure_where_none_may_be(tmp_path: Path) -> None:
    build = FakeBuild(tmp_path / "b", {"relic": "iterations=64"})
    plan = plan_of(build, ["relic"], ("bc",))
    assert measure(plan, Silent()).failed == {}  # quick samples may end by time
    full = dataclasses.replace(SHORT, kernels=dataclasses.replace(SHORT.kernels, max_ms=None))
    failed = measure(dataclasses.replace(plan, mode=full), Silent()).failed
    assert failed == {Pair("bc", "relic"): "ran 64 of 20000 iterations"}


def test_a_thread_on_a_foreign_cpu_is_told(tmp_path: Path) -> None:
    build = FakeBuild(tmp_path / "b", {"onetbb": "cpus=1,5"})
    plan = plan_of(build, ["onetbb"], ("bc",))
    notes = result_of(plan, measure(plan, Silent())).notes
    assert notes == {"onetbb": ["was seen on a CPU that is not its own: [1, 5]"]}


def test_convergence_waits_for_every_kernel(build: FakeBuild) -> None:
    # The fakes' times differ by less than 1 %: 7 rounds converge at 1.5 %, but not at 0.001 %.
    plan = plan_of(build, ["relic"], ("bc", "spin-10ns"))
    for half_width, rounds in ((0.015, 7), (0.00001, 9)):
        mode = dataclasses.replace(
            QUICK, max_rounds=9, converged_half_width=half_width, converged_rounds=7
        )
        assert measure(dataclasses.replace(plan, mode=mode), Silent()).rounds == rounds
