# SPDX-License-Identifier: Apache-2.0
"""loops: pairing, peers, targets, and every way to fail."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from conftest import Ran, Refused, WholeRun
from fakes import CRASH, HOW_TO_GET, MISSING, WRONG_RESULT, FakeBuild
from runs import plan_of, result_of, sampled, short

from finegrain_lab.experiments.loops import (
    INSIDE,
    LOOPS,
    LOOPS_BY_CASE,
    MODES,
    ONE_WORKER,
    OUTSIDE,
    TARGETS,
    Loop,
    slot_of,
    target_line,
)
from finegrain_lab.run.experiment import Slot
from finegrain_lab.show.result import Result
from finegrain_lab.show.tables import Cell

SHORT = short(MODES["quick"], batches=3)
SOME = ["16x1ns", "1000x8ns", "1000x50ns"]
CONTESTANTS = [
    *(("serial", "default"), ("relic", "default")),
    *(("pool", INSIDE), ("pool", OUTSIDE), ("pool", ONE_WORKER)),
    *((name, "default") for name in ("gnu-openmp", "intel-openmp", "onetbb", "taskflow")),
]

pytestmark = pytest.mark.usefixtures("two_cpus")


def output(slot: Slot, ns: Sequence[float], **more: Any) -> dict[str, Any]:
    """Returns what a program prints of these batches."""
    return {
        **{"runtime": slot.runtime, "calls": slot.calls, "elements": slot.elements, "ns": ns},
        **{"element_ns": float(slot.element_ns), "steps": 9, "elsewhere": 0.5, "cpus": [0, 1]},
        **{"version": "1", "note": ""},
        **more,
    }


def measured(build: FakeBuild, times: Mapping[tuple[str, str, str], Sequence[float]]) -> Result:
    """Returns a result in which a loop takes 1000 ns, but for these, by round."""
    plan = plan_of(LOOPS, build, SHORT, cases=SOME)
    outputs = {
        slot: [output(slot, [ns] * 3) for ns in times.get(key, [1000.0] * 3)]
        for slot in plan.slots
        for key in [(slot.case, slot.runtime, slot.calls)]
    }
    return result_of(LOOPS, plan, outputs, {"steps": {}})


def test_a_loop_is_over_serial_one_worker_and_the_fastest_peer_of_its_round(
    build: FakeBuild,
) -> None:
    case = "1000x8ns"
    result = measured(
        build,
        {
            (case, "pool", INSIDE): [300, 900, 320],
            (case, "serial", "default"): [200, 600, 160],
            (case, "pool", ONE_WORKER): [100, 300, 400],
            (case, "onetbb", "default"): [300, 450, 640],
            (case, "taskflow", "default"): [900, 600, 500],
        },
    )
    row = result.row(case=case, runtime="pool", calls=INSIDE)
    assert row
    assert (row.ns, row.samples) == (320, [300, 900, 320])
    assert row.of_serial == pytest.approx(1.5)  # the medians' ratio would be 1.6
    assert row.of_one_worker == pytest.approx(3)
    assert row.of_best_peer == pytest.approx(1)  # onetbb's median is the least: 1, 2, 0.5
    for runtime, calls in (("serial", "default"), ("onetbb", "default")):
        other = result.row(case=case, runtime=runtime, calls=calls)
        assert other
        assert (other.of_best_peer, other.of_one_worker) == (None, None)
    outside = result.row(case=case, runtime="pool", calls=OUTSIDE)
    assert outside
    assert outside.of_one_worker is None  # that is called inside


def lines_of(result: Result) -> dict[str, tuple[Any, ...]]:
    """Returns the table of targets, each by its beginning."""
    lines = {target.what: target_line(target, result) for target in TARGETS}
    return {
        what[:6]: (*line[1:4], line[4].text if isinstance(line[4], Cell) else "", line[5])
        for what, line in lines.items()
        if line
    }


def test_targets_are_held_missed_or_open_by_the_whole_interval(build: FakeBuild) -> None:
    result = measured(
        build,
        {
            ("1000x50ns", "pool", INSIDE): [1050] * 3,  # 0.952 of serial's speed
            ("1000x50ns", "pool", OUTSIDE): [1000, 1060, 1020],
            ("16x1ns", "pool", INSIDE): [1031] * 3,  # 1.94 ns an element beyond serial
            ("16x1ns", "pool", OUTSIDE): [1033] * 3,
            ("16x1ns", "pool", ONE_WORKER): [500] * 3,
            ("1000x8ns", "pool", INSIDE): [1040] * 3,
            ("1000x8ns", "pool", OUTSIDE): [1060] * 3,
            ("1000x8ns", "onetbb", "default"): [2000] * 3,
        },
    )
    lines = lines_of(result)
    assert lines["≥ 0.96"] == ("0", "1", "1", "0.95", "1000x50ns, inside")
    assert "≥ 0.90" not in lines  # no loop of 20 ns was measured
    assert lines["≤ 2 ns"] == ("3", "0", "1", "2.06", "16x1ns, outside")
    assert lines["≤ 1.05"] == ("1", "0", "1", "1.06", "1000x8ns, outside")
    on_one = target_line(TARGETS[3], result)
    assert on_one
    assert [on_one[1:4], on_one[5]] == [["0", "0", "3"], "16x1ns, inside"]
    best = target_line(TARGETS[5], result)
    assert best
    assert best[1:4] == ["0", "0", "2"]  # of the other peers, at 1000


def test_a_whole_run(whole: WholeRun) -> None:
    result = whole("loops").file
    rows = {(row["case"], row["runtime"], row["calls"]): row for row in result["results"]}
    assert list(rows) == [(case, *who) for case in LOOPS_BY_CASE for who in CONTESTANTS]
    for row in rows.values():
        assert row.keys() == {
            *("case", "runtime", "calls", "elements", "element_ns", "ns", "ns_ci95", "samples"),
            *("of_serial", "of_serial_ci95", "of_one_worker", "of_one_worker_ci95"),
            *("of_best_peer", "of_best_peer_ci95", "elsewhere"),
        }
    pool = rows["1000x8ns", "pool", INSIDE]
    assert (pool["elements"], pool["element_ns"], pool["ns"]) == (1000, 8, 4400)
    assert pool["of_serial"] == pytest.approx(0.55)
    assert pool["of_one_worker"] == pytest.approx(55 / 101)
    assert pool["of_best_peer"] == pytest.approx(4400 / 5500)  # gnu-openmp's
    assert rows["16x1ns", "pool", INSIDE]["of_best_peer"] == pytest.approx(8 / 14)  # another one's
    settings = result["settings"]
    assert settings["loops"]["1000x8ns"] == {"elements": 1000, "element_ns": 8}
    assert settings["steps"] == {"1": 2, "8": 16, "20": 40, "50": 100, "100": 200}
    assert [each["runtime"] for each in result["missing"]] == [MISSING]


def test_the_short_loops_are_ahead_of_the_tables_and_the_targets_after_them(
    whole: WholeRun,
) -> None:
    said = " ".join(whole("loops").said.split())
    assert (
        "pool, 1,000 elements of 8 ns: 4,400 ns, 0.55 of serial, 0.80 of the fastest peer" in said
    )
    assert "pool (outside), 1,000 elements of 1 ns: 800 ns, 0.80 of serial" in said
    of_50 = r"50 ns an element, by elements .*?serial (1\.00 ){6}relic (0\.58 ){6}pool (0\.55 ){6}"
    assert re.search(of_50, said)
    assert re.search(r"≥ 0\.96 of serial's speed, from 50 ns 24 0 0 ", said)
    # 16 of 1 ns from outside: 9 + 200 ns where serial takes 16.
    assert re.search(
        r"≤ 2 ns an element beyond serial, below 20 ns 22 0 2 12\.\d+ 16x1ns, out", said
    )
    assert "ns a loop" not in said  # on the page
    assert "ns a loop: 8 ns an element" in whole("loops").page


def test_a_figure_is_of_one_length_of_an_element(whole: WholeRun) -> None:
    result = whole("loops").result
    figures = [part for part in LOOPS.sections(result)[0].parts if hasattr(part, "series")]
    assert [it.name for it in figures] == [f"speed-{ns}ns" for ns in (1, 8, 20, 50, 100)]
    series = {it.name: it for it in figures[1].series}
    assert list(series) == [
        *("relic", "pool", "pool (outside)", "pool (one-worker)"),
        *("gnu-openmp", "intel-openmp", "onetbb", "taskflow", "serial"),
    ]
    points = [(point.x, point.y) for point in series["pool"].points]
    assert points[2] == (1000, pytest.approx(1 / 0.55))
    assert len(points) == 6


def test_the_processes_get_what_the_protocol_says(build: FakeBuild) -> None:
    sampled(LOOPS, plan_of(LOOPS, build, SHORT, cases=["1000x8ns"]))
    starts = build.starts()
    loop = "--elements 1000 --element-ns 8 --steps 16 "
    batches = "--batches 3 --batch-us 500 --warmup-ms 10 --cpus 0,1"
    for calls in (INSIDE, OUTSIDE, ONE_WORKER):
        assert starts.count(f"loops/loops-pool {loop}--calls {calls} {batches}") == 3
    assert starts.count(f"loops/loops-gnu-openmp {loop}{batches}") == 3
    calibration = "loops/loops-serial --element-ns 8 --batches 1 --warmup-ms 0 --cpus 0,1"
    assert starts.count(calibration) == 1
    slot = slot_of(Loop(1000, 8), "gnu-openmp")
    command = plan_of(LOOPS, build, SHORT).command(slot, {"steps": {"8": 16}})
    assert command.environment["OMP_WAIT_POLICY"] == "active"
    assert command.environment["OMP_NUM_THREADS"] == "2"


def test_a_brief_run_has_fewer_loops(build: FakeBuild) -> None:
    plan = plan_of(LOOPS, build, MODES["quick"], is_brief=True)
    assert {LOOPS_BY_CASE[case].elements for case in plan.cases} == {100, 1000, 100_000}
    assert {LOOPS_BY_CASE[case].element_ns for case in plan.cases} == {1, 8, 20, 50, 100}


def test_runtimes_and_cases_are_those_asked_for(build: FakeBuild) -> None:
    asked = {"runtimes": ["llvm-openmp", "pool"], "cases": ["16x1ns"]}
    plan = plan_of(LOOPS, build, MODES["quick"], **asked)
    assert plan.runtimes == ["serial", "pool", "llvm-openmp"]
    assert {slot.case for slot in plan.slots} == {"16x1ns"}


def test_without_peers_or_the_pool_there_is_still_a_result(ran: Ran) -> None:
    ours = ran("loops", "--runtimes", "pool", "--cases", "1000x8ns")
    assert all(row["of_best_peer"] is None for row in ours["results"])
    theirs = ran("loops", "--runtimes", "onetbb", "--cases", "1000x8ns")
    assert {row["runtime"] for row in theirs["results"]} == {"serial", "onetbb"}


def test_a_runtime_that_is_not_installed_is_told(refused: Refused) -> None:
    refused("loops", "--runtimes", MISSING, text=f"{MISSING} is not installed: {HOW_TO_GET}")


def test_a_runtime_that_fails_is_left_out_and_told(
    ran: Ran, build: FakeBuild, capsys: pytest.CaptureFixture[str]
) -> None:
    where = 'if [ "$calls/$elements/$length" = outside/16/8 ]'
    build.trouble_in("loops/loops-pool", f"{where}; then {CRASH}; fi")
    result = ran("loops", "--cases", "16x8ns,100x8ns", status=1)
    reason = {"case": "16x8ns, outside", "reason": "exit status 1: boom"}
    assert result["failed"] == [{"runtime": "pool", **reason}]
    assert "pool: failed on 16x8ns, outside: exit status 1: boom" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("program", "commands", "text"),
    [
        ("relic", f"case=x; {WRONG_RESULT}", "wrong result from relic"),
        ("serial", CRASH, "the elements cannot be calibrated: exit status 1: boom"),
        ("serial", f'[ -z "$elements" ] || {{ {CRASH}; }}', "failed: exit status 1: boom"),
    ],
)
def test_what_ends_a_run_leaves_no_file(
    refused: Refused, build: FakeBuild, program: str, commands: str, text: str
) -> None:
    build.trouble_in(f"loops/loops-{program}", commands)
    refused("loops", "--cases", "16x8ns", text=text)


@pytest.mark.parametrize(
    ("commands", "reason"),
    [
        ("calls=inside", "answered with a sample of something else"),
        ("elements=17", "answered with a sample of something else"),
        ("length=7", "answered with a sample of something else"),
        ("batches=2", "gave other than 3 batches"),
    ],
)
def test_half_a_sample_is_a_failure(build: FakeBuild, commands: str, reason: str) -> None:
    where = 'if [ "$calls/$elements" = outside/16 ]'
    build.trouble_in("loops/loops-pool", f"{where}; then {commands}; fi")
    run = sampled(LOOPS, plan_of(LOOPS, build, SHORT, cases=["16x8ns"]))
    assert run.samples.failed == {slot_of(Loop(16, 8), "pool", OUTSIDE): reason}


def test_a_time_that_is_not_positive_is_a_failure(build: FakeBuild) -> None:
    plan = plan_of(LOOPS, build, SHORT)
    slot = slot_of(Loop(16, 8), "pool", INSIDE)
    for ns, complaint in (([5, 0, 5], "gave a time that is not positive"), ([5, 1, 5], "")):
        sample = LOOPS.sample(**output(slot, ns))
        assert LOOPS.complaint(sample, slot, plan) == complaint
