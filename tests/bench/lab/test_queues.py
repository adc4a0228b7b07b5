# SPDX-License-Identifier: Apache-2.0
"""queues: pairing, what is installed, the paper's statements; how it fails: test_cycles.py."""

import re
from collections.abc import Sequence
from typing import Any

import pytest
from conftest import Refused, WholeRun
from fakes import CRASH, FakeBuild
from fakes_micro import QUEUE_CYCLES
from fakes_micro import QUEUES as LIST
from runs import plan_of, result_of, sampled, short

from finegrain_lab.experiments.queues import MEASURES, MODES, QUEUES
from finegrain_lab.run.experiment import Slot

pytestmark = pytest.mark.usefixtures("two_cpus")
SHORT = short(MODES["quick"], batches=3, round_trips=70)


def output(slot: Slot, cycles: Sequence[float]) -> dict[str, Any]:
    return {
        **{"queue": slot.runtime, "measure": slot.case, "items": 70, "cycles": cycles},
        **{"ns": [at / 4 for at in cycles], "ticks_per_ns": 4.0, "cycles_per_tick": 1.0},
        **{"main_cpu": 0, "task_cpus": [1]},
    }


def test_ratios_are_of_the_same_round_and_measure(build: FakeBuild) -> None:
    plan = plan_of(QUEUES, build, SHORT)
    outputs = {slot: [output(slot, [100.0])] * 3 for slot in plan.slots}  # what is not looked at
    # Medians of a process 300, 900, 320; ours beside them 200, 600, 160: 1.5, 1.5, 2.
    boost, ours = Slot("throughput", "boost-spsc"), Slot("throughput", "finegrain-spsc")
    cycles = [[250.0, 300.0, 9000.0], [900.0], [320.0]]
    outputs[boost] = [output(boost, of_round) for of_round in cycles]
    outputs[ours] = [output(ours, [of_round]) for of_round in (200.0, 600.0, 160.0)]
    result = result_of(QUEUES, plan, outputs)
    (row,) = result.rows_of(case="throughput", runtime="boost-spsc")
    assert row.of_reference == pytest.approx(1.5)
    assert row.of_reference_ci95 == pytest.approx((1.5, 2.0))
    assert (row.cycles, row.ns, row.samples) == (320.0, 80.0, [300.0, 900.0, 320.0])
    (other,) = result.rows_of(case="one-way", runtime="boost-spsc")
    assert other.of_reference == 1.0


def test_a_whole_run(whole: WholeRun) -> None:
    result = whole("queues").file
    rows = {(row["case"], row["runtime"]): row for row in result["results"]}
    assert set(rows) == {(name, queue) for name in MEASURES for queue in QUEUE_CYCLES}
    boost = [rows[name, "boost-spsc"] for name in MEASURES]
    assert [row["cycles"] for row in boost] == [400, 40, 160]
    assert [row["ns"] for row in boost] == [200, 20, 80]
    assert [row["of_reference"] for row in boost] == [2, 2, 2]
    assert result["missing"] == [{"runtime": "atomic-queue", "how_to_get": "libatomic-queue-dev"}]
    assert result["settings"]["versions"]["boost-spsc"] == "1.74"
    assert result["settings"]["items"]["throughput"] == MODES["quick"]["round_trips"] * 10
    assert len(result["floor_samples"]) == 60


def test_the_answer_and_the_paper_s_are_in_the_tables(whole: WholeRun) -> None:
    output = " ".join(whole("queues").said.split())
    assert "finegrain-spsc 100 10.0 40.0 25.0 million items a second boost-spsc 200 " in output
    assert "boost-spsc 400 40.0 160 mutex-mpmc 1,000 100 400 " in output
    assert re.search(r"mutex-mpmc 5\.00 5\.00 5\.00 ", output)
    assert (
        "the paper 29 to 68 cycles, by machine; here finegrain-spsc 20.0 cycles for two; "
        "boost-spsc 40.0 cycles for two throughput"
    ) in output
    assert "the paper 5 million operations a second at best" in output
    assert "here mutex-mpmc 5.00 million items a second" in output
    assert "atomic-queue: not installed: libatomic-queue-dev" in output


def test_the_processes_get_what_the_protocol_says(build: FakeBuild) -> None:
    sampled(QUEUES, plan_of(QUEUES, build, SHORT, cpus=(1, 0)))
    starts = build.starts()
    for queue in QUEUE_CYCLES:
        for name, items in (("one-way", 70), ("push-pop", 700), ("throughput", 700)):
            rest = f"--cpus 1,0 --batches 3 --items {items}"
            assert starts.count(f"queues --queue {queue} --measure {name} {rest}") == 3
    assert starts.count("floor --cpus 1,0 --batches 5 --round-trips 10000") == 12
    assert len(starts) == 1 + 3 * (3 * 3 + 4)  # it is listed first


def test_a_list_that_is_none_is_refused(refused: Refused, build: FakeBuild) -> None:
    build.say("queue-list", LIST.replace("finegrain-spsc", "other-spsc"))
    refused("queues", text="the build has no finegrain-spsc to compare with")
    build.trouble_in("queues", CRASH)
    refused("queues", text="the queues cannot be listed: exit status 1: boom")
