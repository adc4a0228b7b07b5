# SPDX-License-Identifier: Apache-2.0
"""graph: pairing, peers, runs of a graph, the drop-in, and every way to fail."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from conftest import Ran, Refused, WholeRun
from fakes import CRASH, HOW_TO_GET, MISSING, WRONG_RESULT, FakeBuild
from runs import plan_of, result_of, sampled, short

from finegrain_lab.experiments.graph import (
    AUDIO,
    FIRST,
    FORK_JOIN,
    GRAPH,
    GRAPHS,
    HUNDREDTH,
    LIGHTWEIGHT,
    MODES,
    STEADY,
    Graph,
    forms_of,
    slot_of,
)
from finegrain_lab.run.experiment import Slot
from finegrain_lab.show.result import Result

SHORT = short(MODES["quick"])
CASE = "inference-200ns"
SERVED = [f"{it}-openmp+finegrain:private_deque" for it in ("gnu", "intel")]
CONTESTANTS = [
    *(("serial", "default"), ("relic", "default"), ("relic", FORK_JOIN)),
    *(("pool", "default"), ("pool", FORK_JOIN), ("gnu-openmp", "default"), (SERVED[0], "default")),
    *(("intel-openmp", "default"), (SERVED[1], "default")),
    *(("onetbb", "default"), ("onetbb", LIGHTWEIGHT), ("taskflow", "default")),
]

pytestmark = pytest.mark.usefixtures("two_cpus")


def output(slot: Slot, ns: float) -> dict[str, Any]:
    """Returns what a program prints whose batches took as long as each other."""
    return {
        **{"runtime": slot.runtime.partition("+")[0], "form": slot.form, "shape": slot.shape},
        **{"node_ns": float(slot.node_ns), "nodes": 64, "ns": [ns] * 3, "build_ns": [9.0] * 5},
        **{"first_ns": [3000.0] * 5, "hundredth_ns": [ns] * 5, "elsewhere": 0.5},
        **{"cpus": [0, 1], "version": "1", "note": ""},
    }


def measured(build: FakeBuild, times: Mapping[tuple[str, str], Sequence[float]]) -> Result:
    """Returns a result in which a node takes 1000 ns, but for these, by round."""
    plan = plan_of(GRAPH, build, SHORT, cases=[CASE])
    outputs = {
        slot: [output(slot, ns) for ns in times.get((slot.runtime, slot.form), [1000.0] * 3)]
        for slot in plan.slots
    }
    return result_of(GRAPH, plan, outputs, {"taken_over": {}})


def test_a_graph_is_over_serial_and_the_fastest_peer_of_its_round(build: FakeBuild) -> None:
    times = {
        ("relic", "default"): [300.0, 900.0, 320.0],
        ("serial", "default"): [200.0, 600.0, 160.0],
        (SERVED[0], "default"): [10.0, 10.0, 10.0],  # ours, and so no peer
        ("onetbb", LIGHTWEIGHT): [300.0, 450.0, 640.0],
    }
    result = measured(build, times)
    row = result.row(case=CASE, runtime="relic", form="default", run=STEADY)
    assert row
    assert (row.ns, row.samples) == (320, [300, 900, 320])
    assert row.of_serial == pytest.approx(1.5)  # the medians' ratio would be 1.6
    assert row.of_best_peer == pytest.approx(1)  # 1, 2, 0.5
    first = result.row(case=CASE, runtime="relic", form="default", run=FIRST)
    assert first
    assert (first.ns, first.of_serial, first.of_best_peer) == (3000, 1, 1)
    for runtime in ("serial", "onetbb"):
        other = result.row(case=CASE, runtime=runtime, run=STEADY)
        assert other
        assert other.of_best_peer is None


def test_a_whole_run(whole: WholeRun) -> None:
    result = whole("graph").file
    rows = {(it["case"], it["runtime"], it["form"], it["run"]): it for it in result["results"]}
    assert len(rows) == len(result["results"])
    assert {case for case, *_ in rows} == set(GRAPHS)
    assert [key[1:3] for key in rows if key[0] == CASE and key[3] == STEADY] == CONTESTANTS
    relic = {run: rows[CASE, "relic", "default", run] for run in (STEADY, FIRST, HUNDREDTH)}
    assert relic[STEADY].keys() == {
        *("case", "runtime", "form", "shape", "node_ns", "run", "ns", "ns_ci95", "samples"),
        *("of_serial", "of_serial_ci95", "of_best_peer", "of_best_peer_ci95"),
        *("elsewhere", "build_ns"),
    }
    assert [it["ns"] for it in relic.values()] == [122, 244, 123]
    assert relic[STEADY]["of_serial"] == pytest.approx(122 / 202)
    assert relic[STEADY]["of_best_peer"] == pytest.approx(122 / 205)  # onetbb's, lightweight
    assert rows[CASE, SERVED[0], "default", STEADY]["ns"] == 230
    assert result["settings"]["graphs"][CASE] == {"shape": "inference", "node_ns": 200}
    assert set(result["settings"]["taken_over"]) == set(SERVED)
    assert [each["runtime"] for each in result["missing"]] == [MISSING]


def test_the_tables_are_by_the_length_of_nodes(whole: WholeRun) -> None:
    said = " ".join(whole("graph").said.split())
    assert (
        "relic, wavefront-200 ns: 122 ns a node, 0.60 of serial, 0.60 of the fastest peer" in said
    )
    assert "pool, audio-1 µs: 622 ns a node, 0.62 of serial" in said
    assert re.search(r"paired: empty nodes .*? serial (1\.00 ){6}relic (1\.00 ){6}relic", said)
    assert re.search(
        r"nodes of 1 µs \S+ .*? audio \S+ serial (1\.00 ){7}relic (0\.60 ){7}relic", said
    )
    assert "first run, ns a node: nodes of 50 ns" in said
    assert "hundredth run" not in said  # on the page
    assert "hundredth run, ns a node: nodes of 50 ns" in whole("graph").page


def test_only_series_and_branches_are_forked_and_joined() -> None:
    for runtime in ("relic", "pool"):
        forked = {it.shape for it in GRAPHS.values() if FORK_JOIN in forms_of(it, runtime)}
        assert forked == {"diamond", "inference", "audio"}


def test_the_processes_get_what_the_protocol_says(build: FakeBuild) -> None:
    sampled(GRAPH, plan_of(GRAPH, build, SHORT, cases=[CASE]))
    starts = build.starts()
    nodes = "--shape inference --node-ns 200 --spin-steps-per-us 1234.5 "
    rest = "--graphs 5 --batches 3 --batch-us 500 --warmup-ms 10 --cpus 0,1"
    for form in ("default", FORK_JOIN):
        assert starts.count(f"graph/graph-pool {nodes}--form {form} {rest}") == 3
    assert starts.count(f"graph/graph-gnu-openmp {nodes}{rest}") == 6  # with the drop-in, too
    proof = "graph/graph-gnu-openmp --shape chain --node-ns 0 --warmup-ms 0 --cpus 0,1"
    assert starts.count(proof) == 1
    plan = plan_of(GRAPH, build, SHORT)
    found = {"spin_steps_per_us": 1.0}
    alone, served = (
        plan.command(slot_of(Graph("chain", 0), name), found).environment
        for name in ("gnu-openmp", SERVED[0])
    )
    assert alone["OMP_WAIT_POLICY"] == "active"
    assert served["LD_PRELOAD"].endswith("libfinegrain-omp.so")
    assert {**alone, **served} == served


def test_a_brief_run_has_fewer_lengths(build: FakeBuild) -> None:
    plan = plan_of(GRAPH, build, MODES["quick"], is_brief=True)
    assert {GRAPHS[case].node_ns for case in plan.cases} == {0, 200, AUDIO.node_ns}


def test_runtimes_are_those_asked_for_with_the_drop_in_where_it_serves(build: FakeBuild) -> None:
    plan = plan_of(GRAPH, build, MODES["quick"], runtimes=["llvm-openmp", "pool"])
    served = "llvm-openmp+finegrain:private_deque"
    assert plan.runtimes == ["serial", "pool", "llvm-openmp", served]


def test_without_peers_there_is_still_a_result(ran: Ran) -> None:
    ours = ran("graph", "--runtimes", "relic", "--cases", CASE)
    assert all(row["of_best_peer"] is None for row in ours["results"])


def test_a_runtime_that_is_not_installed_is_told(refused: Refused) -> None:
    refused("graph", "--runtimes", MISSING, text=f"{MISSING} is not installed: {HOW_TO_GET}")


def test_a_runtime_that_fails_is_left_out_and_told(ran: Ran, build: FakeBuild) -> None:
    build.trouble_in("graph/graph-pool", f'if [ "$form" = {FORK_JOIN} ]; then {CRASH}; fi')
    result = ran("graph", "--cases", CASE, status=1)
    reason = {"case": f"{CASE}, {FORK_JOIN}", "reason": "exit status 1: boom"}
    assert result["failed"] == [{"runtime": "pool", **reason}]


def test_a_drop_in_that_does_not_serve_has_no_number(ran: Ran, build: FakeBuild) -> None:
    build.trouble_in("graph/graph-gnu-openmp", "taken=6399")
    result = ran("graph", "--cases", CASE, status=1)
    assert SERVED[0] not in {row["runtime"] for row in result["results"]}
    (failed,) = result["failed"]
    assert failed["reason"] == "the drop-in took over 6399 tasks of at least 6400"


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
    build.trouble_in(f"graph/graph-{program}", commands)
    refused("graph", "--cases", CASE, text=text)


@pytest.mark.parametrize(
    ("more", "complaint"),
    [
        ({}, ""),
        ({"form": FORK_JOIN}, "answered with a sample of something else"),
        ({"shape": "chain"}, "answered with a sample of something else"),
        ({"node_ns": 50.0}, "answered with a sample of something else"),
        ({"ns": [5.0] * 2}, "gave other than 3 batches"),
        ({"hundredth_ns": [5.0] * 4}, "gave other than 5 graphs"),
        ({"ns": [5.0, 0.0, 5.0]}, "gave a time that is not positive"),
    ],
)
def test_half_a_sample_is_a_failure(
    build: FakeBuild, more: Mapping[str, Any], complaint: str
) -> None:
    slot = slot_of(GRAPHS[CASE], SERVED[0])
    sample = GRAPH.sample(**{**output(slot, 5.0), **more})
    assert GRAPH.complaint(sample, slot, plan_of(GRAPH, build, SHORT)) == complaint
