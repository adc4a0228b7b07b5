# SPDX-License-Identifier: Apache-2.0
"""pipeline: pairing, peers, two threads without a framework, and every way to fail."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from conftest import Ran, Refused, WholeRun
from fakes import CRASH, HOW_TO_GET, MISSING, WRONG_RESULT, FakeBuild
from runs import plan_of, result_of, sampled, short

from finegrain_lab.experiments.pipeline import CASES, MODES, PIPELINE, TWO_THREADS, slot_of
from finegrain_lab.run.experiment import Slot
from finegrain_lab.show.result import Result

SHORT = short(MODES["quick"])
CASE = "s-p-s-200ns"
CONTESTANTS = ["serial", "relic", "pool", TWO_THREADS, "onetbb", "taskflow"]

pytestmark = pytest.mark.usefixtures("two_cpus")


def output(slot: Slot, ns: float) -> dict[str, Any]:
    """Returns what a program prints whose runs took as long as each other."""
    return {
        **{"runtime": slot.runtime, "line": slot.line, "token_ns": float(slot.token_ns)},
        **{"tokens": 100, "ns": [ns] * 5, "elsewhere": 0.5, "cpus": [0, 1]},
        **{"version": "1", "note": ""},
    }


def measured(build: FakeBuild, times: Mapping[str, Sequence[float]]) -> Result:
    """Returns a result in which a token takes 1000 ns, but for these, by round."""
    plan = plan_of(PIPELINE, build, SHORT, cases=[CASE])
    outputs = {
        slot: [output(slot, ns) for ns in times.get(slot.runtime, [1000.0] * 3)]
        for slot in plan.slots
    }
    return result_of(PIPELINE, plan, outputs, {})


def test_ours_are_over_serial_the_fastest_peer_and_two_threads_of_their_round(
    build: FakeBuild,
) -> None:
    times = {
        "relic": [300.0, 900.0, 320.0],
        "serial": [200.0, 600.0, 160.0],
        "onetbb": [300.0, 450.0, 640.0],
        TWO_THREADS: [100.0, 100.0, 160.0],  # faster than any peer, and none itself
    }
    result = measured(build, times)
    row = result.row(case=CASE, runtime="relic")
    assert row
    assert (row.ns, row.samples) == (320, [300, 900, 320])
    assert row.of_serial == pytest.approx(1.5)  # the medians' ratio would be 1.6
    assert row.of_best_peer == pytest.approx(1)  # 1, 2, 0.5
    assert row.of_two_threads == pytest.approx(3)  # 3, 9, 2
    for runtime in ("serial", "onetbb", TWO_THREADS):
        other = result.row(case=CASE, runtime=runtime)
        assert other
        assert (other.of_best_peer, other.of_two_threads) == (None, None)


def test_a_whole_run(whole: WholeRun) -> None:
    result = whole("pipeline").file
    rows = {(it["case"], it["runtime"]): it for it in result["results"]}
    assert len(rows) == len(result["results"])
    assert {case for case, _ in rows} == set(CASES)
    assert [runtime for case, runtime in rows if case == CASE] == CONTESTANTS
    relic = rows[CASE, "relic"]
    assert relic.keys() == {
        *("case", "runtime", "line", "token_ns", "ns", "ns_ci95", "samples", "elsewhere"),
        *("of_serial", "of_serial_ci95", "of_best_peer", "of_best_peer_ci95"),
        *("of_two_threads", "of_two_threads_ci95"),
    }
    assert relic["ns"] == 144
    assert relic["of_serial"] == pytest.approx(144 / 202)
    assert relic["of_best_peer"] == pytest.approx(144 / 230)  # taskflow's
    assert relic["of_two_threads"] == pytest.approx(144 / 108)
    assert result["settings"]["pipelines"][CASE] == {"line": "s-p-s", "token_ns": 200}
    assert [each["runtime"] for each in result["missing"]] == [MISSING]


def test_the_tables_are_by_line(whole: WholeRun) -> None:
    said = " ".join(whole("pipeline").said.split())
    assert (
        "pool, s-p-s-1 µs: 604 ns a token, 0.60 of serial, 0.67 of the fastest peer, 1.19 of two"
        in said
    )
    assert re.search(
        r"ns a token: s-s .*? serial 2\.00 202 1,002 5,002 relic 4\.00 144 704 3,504", said
    )
    assert re.search(r"two threads', paired: s-p-s .*? pool 0\.50 1\.15 1\.19 1\.20", said)


def test_the_processes_get_what_the_protocol_says(build: FakeBuild) -> None:
    sampled(PIPELINE, plan_of(PIPELINE, build, SHORT, cases=[CASE]))
    starts = build.starts()
    rest = "--batches 5 --batch-us 1000 --warmup-ms 20 --cpus 0,1"
    for runtime in CONTESTANTS:
        words = f"--line s-p-s --token-ns 200 --spin-steps-per-us 1234.5 {rest}"
        assert starts.count(f"pipeline/pipeline-{runtime} {words}") == 3


def test_without_peers_there_is_still_a_result(ran: Ran) -> None:
    ours = ran("pipeline", "--runtimes", "relic", "--cases", CASE)
    for row in ours["results"]:
        assert (row["of_best_peer"], row["of_two_threads"]) == (None, None)


def test_a_runtime_that_is_not_installed_is_told(refused: Refused) -> None:
    refused("pipeline", "--runtimes", MISSING, text=f"{MISSING} is not installed: {HOW_TO_GET}")


def test_a_runtime_that_fails_is_left_out_and_told(ran: Ran, build: FakeBuild) -> None:
    build.trouble_in("pipeline/pipeline-pool", CRASH)
    result = ran("pipeline", "--cases", CASE, status=1)
    failed = {"runtime": "pool", "case": CASE, "reason": "exit status 1: boom"}
    assert result["failed"] == [failed]


@pytest.mark.parametrize(
    ("program", "commands", "text"),
    [
        ("relic", f"case=x; {WRONG_RESULT}", "wrong result from relic"),
        ("serial", CRASH, "failed: exit status 1: boom"),
    ],
)
def test_what_ends_a_run_leaves_no_file(
    refused: Refused, build: FakeBuild, program: str, commands: str, text: str
) -> None:
    build.trouble_in(f"pipeline/pipeline-{program}", commands)
    refused("pipeline", "--cases", CASE, text=text)


@pytest.mark.parametrize(
    ("more", "complaint"),
    [
        ({}, ""),
        ({"runtime": "pool"}, "answered with a sample of something else"),
        ({"line": "s-s"}, "answered with a sample of something else"),
        ({"token_ns": 50.0}, "answered with a sample of something else"),
        ({"ns": [5.0] * 2}, "gave other than 5 runs"),
        ({"ns": [5.0, 0.0, 5.0, 5.0, 5.0]}, "gave a time that is not positive"),
    ],
)
def test_half_a_sample_is_a_failure(
    build: FakeBuild, more: Mapping[str, Any], complaint: str
) -> None:
    slot = slot_of(CASES[CASE], "relic")
    sample = PIPELINE.sample(**{**output(slot, 5.0), **more})
    assert PIPELINE.complaint(sample, slot, plan_of(PIPELINE, build, SHORT)) == complaint
