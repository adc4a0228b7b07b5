# SPDX-License-Identifier: Apache-2.0
"""queues: pairing, what is installed, the paper's statements; how it fails: test_cycles.py."""

import re

import pytest
from conftest import Refused, Silent, WholeRun, host_of
from cycle_plans import queues_plan
from fakes import CRASH, FakeBuild
from fakes_micro import QUEUE_CYCLES, QUEUES

from finegrain_lab.queues.cases import MEASURES
from finegrain_lab.queues.evaluate import to_result
from finegrain_lab.queues.measure import Measured, Slot, measure
from finegrain_lab.queues.modes import QUICK
from finegrain_lab.queues.protocol import QueueSample

pytestmark = pytest.mark.usefixtures("two_cpus")


def sample(slot: Slot, cycles: list[float]) -> QueueSample:
    return QueueSample(
        queue=slot.queue,
        measure=slot.measure,
        items=70,
        cycles=cycles,
        ns=[at / 4 for at in cycles],
        ticks_per_ns=4.0,
        cycles_per_tick=1.0,
        main_cpu=3,
        task_cpus=[1],
    )


def test_ratios_are_of_the_same_round_and_measure(build: FakeBuild) -> None:
    plan = queues_plan(build)
    measured = Measured(floor_samples=[100.0])
    for group in plan.groups():
        for slot in group:  # what is not looked at
            measured.samples[slot] = {at: sample(slot, [100.0]) for at in range(3)}
    # Medians of a process 300, 900, 320; ours beside them 200, 600, 160: 1.5, 1.5, 2.
    boost = Slot("throughput", "boost-spsc")
    measured.samples[boost] = {
        0: sample(boost, [250.0, 300.0, 9000.0]),
        2: sample(boost, [320.0]),
        1: sample(boost, [900.0]),
    }
    measured.samples[boost.reference] = {
        at: sample(boost.reference, [cycles]) for at, cycles in enumerate([200.0, 600.0, 160.0])
    }
    result = to_result(plan, measured, host_of(plan.build))
    row = result.row("throughput", "boost-spsc")
    assert row is not None
    assert row.of_reference == pytest.approx(1.5)
    assert row.of_reference_ci95 == pytest.approx((1.5, 2.0))
    assert (row.cycles, row.ns, row.samples) == (320.0, 80.0, [300.0, 320.0, 900.0])
    assert row.million_per_s == 12.5
    other = result.row("one-way", "boost-spsc")
    assert other is not None
    assert (other.of_reference, other.million_per_s) == (1.0, None)


def test_a_whole_run(whole: WholeRun) -> None:
    result = whole("queues").file
    rows = {(row["case"], row["runtime"]): row for row in result["results"]}
    assert set(rows) == {(name, queue) for name in MEASURES for queue in QUEUE_CYCLES}
    boost = [rows[name, "boost-spsc"] for name in MEASURES]
    assert [row["cycles"] for row in boost] == [400, 40, 160]
    assert [row["ns"] for row in boost] == [200, 20, 80]
    assert [row["million_per_s"] for row in boost] == [None, None, 12.5]
    assert [row["of_reference"] for row in boost] == [2, 2, 2]
    assert result["missing"] == [{"runtime": "atomic-queue", "how_to_get": "libatomic-queue-dev"}]
    assert result["settings"]["versions"]["boost-spsc"] == "1.74"
    assert result["settings"]["items"]["throughput"] == QUICK.round_trips * 10
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
    measure(queues_plan(build), Silent())
    starts = build.starts()
    for queue in QUEUE_CYCLES:
        for name, items in (("one-way", 70), ("push-pop", 700), ("throughput", 700)):
            rest = f"--cpus 3,1 --batches 3 --items {items}"
            assert starts.count(f"queues --queue {queue} --measure {name} {rest}") == 3
    assert starts.count("floor --cpus 3,1 --batches 5 --round-trips 10000") == 12
    assert len(starts) == 3 * (3 * 3 + 4)


def test_a_list_that_is_none_is_refused(refused: Refused, build: FakeBuild) -> None:
    build.say("queue-list", QUEUES.replace("finegrain-spsc", "other-spsc"))
    refused("queues", text="the build has no finegrain-spsc to compare with")
    build.trouble_in("queues", CRASH)
    refused("queues", text="the queues cannot be listed: exit status 1: boom")
