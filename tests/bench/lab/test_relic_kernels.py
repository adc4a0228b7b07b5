# SPDX-License-Identifier: Apache-2.0
"""relic-kernels: order, pairing, bound, means and leads, and every way to fail."""

import dataclasses
from pathlib import Path
from typing import Any

import pytest
from conftest import Silent
from fakes import CRASH, FLOOR_NS, GARBAGE, KERNEL_NS, SPEEDUP_PERCENT, FakeBuild
from runs import plan_of, result_of, sampled, short

from finegrain_lab.experiments.relic_cases import KERNELS, MODES
from finegrain_lab.experiments.relic_kernels import RELIC_KERNELS
from finegrain_lab.experiments.relic_summaries import bound_of, bounds_of, leads_of, summaries_of
from finegrain_lab.run.errors import LabError
from finegrain_lab.run.experiment import Plan, Slot
from finegrain_lab.run.sampling import Sampling
from finegrain_lab.show.result import Result

pytestmark = pytest.mark.usefixtures("two_cpus")
SHORT = short(MODES["quick"])


def plan(
    build: FakeBuild,
    runtimes: list[str] | None = None,
    cases: tuple[str, ...] = KERNELS,
    mode: Any = SHORT,
) -> Plan:
    return plan_of(RELIC_KERNELS, build, mode, runtimes=runtimes, cases=cases)


def run(*asked: Any, **more: Any) -> Sampling:
    return sampled(RELIC_KERNELS, plan(*asked, **more))


def result_from(sampling: Sampling) -> Result:
    """The result of what has been run."""
    outputs = {
        slot: [dataclasses.asdict(sample) for sample in by_round.values()]
        for slot, by_round in sampling.samples.by_row.items()
    }
    failed = sampling.samples.failed
    return result_of(RELIC_KERNELS, sampling.plan, outputs, sampling.found, failed)


def output(runtime: str, ns: float, case: str = "bc", share: float = 1.0) -> dict[str, Any]:
    return {
        **{"runtime": runtime, "case": case, "iterations": 10, "ns": ns, "offloaded_share": share},
        **{"main_cpu": 0, "task_cpus": [1], "version": "1", "note": ""},
    }


def result_with(build: FakeBuild, times: dict[str, list[dict[str, Any] | None]]) -> Result:
    """The result of what these runtimes printed on bc, by round."""
    of = plan(build, list(times), ("bc",))
    outputs = {Slot("bc", name): by_round for name, by_round in times.items()}
    return result_of(RELIC_KERNELS, of, outputs, {"spin_steps_per_us": None})


def test_a_round_holds_every_pair_once_with_the_floors_spread(build: FakeBuild) -> None:
    run(build, ["relic", "onetbb"], ("bc", "cc"))
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
    mode = dataclasses.replace(short(MODES["quick"], spin_every=2), min_rounds=1)
    by_row = run(build, [], ("bc", "spin-1us"), mode).samples.by_row
    assert list(by_row[Slot("bc", "serial")]) == [0, 1, 2]
    assert list(by_row[Slot("spin-1us", "serial")]) == [0, 2]


def test_speedup_is_the_median_of_ratios_of_the_same_round(build: FakeBuild) -> None:
    # Ratios 1.25, 4, 1.5: median 1.5. The medians' ratio is 300 / 160 = 1.875.
    result = result_with(
        build,
        {
            "serial": [output("serial", ns, share=0) for ns in (200.0, 600.0, 300.0)],
            "relic": [
                output("relic", 160.0, share=0.5),
                output("relic", 150.0),
                output("relic", 200.0),
            ],
        },
    )
    row = result.row(case="bc", runtime="relic")
    assert row is not None
    assert row.speedup == 1.5
    assert row.speedup_ci95 == pytest.approx((1.25, 4.0))
    assert row.ns == 160.0
    assert row.offloaded_share == pytest.approx(2.5 / 3)
    serial = result.row(case="bc", runtime="serial")
    assert serial is not None
    assert serial.ns == 300.0


def test_the_lead_is_paired_and_leaves_serial_out(build: FakeBuild) -> None:
    # The host slows down by four: the runtimes' own times overlap, their ratios do not.
    times = {"serial": [200.0, 220.0, 800.0], "relic": [100.0, 110.0, 400.0]}
    times["onetbb"] = [120.0, 121.0, 520.0]
    outputs: dict[str, list[dict[str, Any] | None]]
    outputs = {name: [output(name, ns) for ns in them] for name, them in times.items()}
    leads = leads_of(RELIC_KERNELS, result_with(build, outputs))
    assert leads == [["bc", "relic", "onetbb", "1.20 [1.10, 1.30]"]]


def test_a_whole_run(build: FakeBuild) -> None:
    reporter = Silent()
    whole = sampled(RELIC_KERNELS, plan(build, cases=(*KERNELS, "spin-100ns")), reporter)
    result = result_from(whole)

    assert reporter.milestones == 3
    assert reporter.shares == sorted(reporter.shares)
    assert sum(line.startswith("floor ") for line in build.starts()) == 12
    assert len(result.rows) == 8 * len(SPEEDUP_PERCENT)
    assert all(len(row.samples) == 3 for row in result.rows)

    of_floor = dataclasses.replace(result, floor_samples=[FLOOR_NS])
    bounds = [2 * (ns / 2) / (ns / 2 + FLOOR_NS) for ns in KERNEL_NS.values()]
    product = 1.0
    for value in bounds:
        product *= value
    assert bound_of(of_floor) == pytest.approx(product ** (1 / 7), rel=0.01)
    assert list(bounds_of(result)) == list(KERNELS)  # the spin case is not among them

    summaries = summaries_of(result)
    for name, percent in SPEEDUP_PERCENT.items():
        assert summaries[name].speedup.value == pytest.approx(percent / 100, rel=0.01)
        assert summaries[name].no_negative == pytest.approx(max(100, percent) / 100, rel=0.01)
    serial = result.row(case="bc", runtime="serial")
    assert serial is not None
    assert (serial.speedup, serial.speedup_ci95) == (1.0, (1.0, 1.0))
    assert result.notes == {"llvm-openmp": ["built with assertions"]}


def test_the_processes_get_what_the_protocol_and_the_settings_say(
    build: FakeBuild, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OMP_STRAY", "leak")
    run(build, ["gnu-openmp", "relic"], ("bc", "spin-1us"))
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
    result = result_from(run(build, ["relic"], ("bc", "cc")))
    assert bound_of(result) is None
    assert list(bounds_of(result)) == ["bc", "cc"]
    assert summaries_of(result) == {}


@pytest.mark.parametrize(
    ("trouble", "reason"),
    [
        (CRASH, "exit status 1: boom"),
        (GARBAGE, "printed no valid sample"),
        ("iterations=0", "printed no valid sample"),
    ],
)
def test_a_peer_that_fails_loses_that_case_alone(tmp_path: Path, trouble: str, reason: str) -> None:
    build = FakeBuild(tmp_path / "b", {"onetbb": trouble}, only="pr")
    result = result_from(run(build))
    assert [(line.runtime, line.case) for line in result.failed] == [("onetbb", "pr")]
    assert result.failed[0].reason.startswith(reason)
    assert result.row(case="pr", runtime="onetbb") is None
    assert result.row(case="bc", runtime="onetbb") is not None
    assert "onetbb" not in summaries_of(result)
    assert "relic" in summaries_of(result)
    assert sum(line.startswith("onetbb --case pr") for line in build.starts()) == 1


@pytest.mark.parametrize("runtime", ["serial", "floor"])
def test_without_serial_or_floor_there_is_no_run(tmp_path: Path, runtime: str) -> None:
    build = FakeBuild(tmp_path / "b", {runtime: CRASH})
    with pytest.raises(LabError, match="boom"):
        run(build, ["relic"])


def test_a_sample_of_something_else_is_a_failure(tmp_path: Path) -> None:
    build = FakeBuild(tmp_path / "b", {"relic": "case=tc"}, only="pr")
    failed = run(build, ["relic"]).samples.failed
    assert failed == {Slot("pr", "relic"): "answered with a sample of relic on tc"}


def test_a_sample_cut_short_is_a_failure_where_none_may_be(tmp_path: Path) -> None:
    build = FakeBuild(tmp_path / "b", {"relic": "iterations=64"})
    assert run(build, ["relic"], ("bc",)).samples.failed == {}  # quick samples may end by time
    full = short(MODES["full"])
    failed = run(build, ["relic"], ("bc",), full).samples.failed
    assert failed == {Slot("bc", "relic"): "ran 64 of 100000 iterations"}


def test_a_thread_on_a_foreign_cpu_is_told(tmp_path: Path) -> None:
    build = FakeBuild(tmp_path / "b", {"onetbb": "cpus=1,5"})
    notes = result_from(run(build, ["onetbb"], ("bc",))).notes
    assert notes == {"onetbb": ["was seen on a CPU that is not its own: [1, 5]"]}


@pytest.mark.parametrize("cases", [("bc", "spin-10ns"), ("spin-10ns",)])
def test_convergence_waits_for_every_kernel(build: FakeBuild, cases: tuple[str, ...]) -> None:
    # The fakes' times differ by less than 1 %, or half with 20 ns: 7 rounds converge at these half
    # widths, but not at 0.001 %.
    narrow = 0.015 if "bc" in cases else 0.6
    for half_width, rounds in ((narrow, 7), (0.00001, 9)):
        mode = dataclasses.replace(
            MODES["quick"], max_rounds=9, converged_half_width=half_width, converged_rounds=7
        )
        serial = run(build, ["relic"], cases, mode).samples.by_row[Slot(cases[0], "serial")]
        assert max(serial) + 1 == rounds
