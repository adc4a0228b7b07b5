# SPDX-License-Identifier: Apache-2.0
"""sync: pairing, threads and CPUs, the paper's statements; how it fails: test_cycles.py."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from conftest import Ran, WholeRun
from fakes import FakeBuild
from fakes_micro import SYNC_CYCLES
from runs import plan_of, result_of, sampled, short

from finegrain_lab.experiments.sync import CASE, MECHANISMS, MODES, SYNC, highest_up_to
from finegrain_lab.run.experiment import Plan, Slot
from finegrain_lab.run.threads import thread_counts
from finegrain_lab.show.result import Result

pytestmark = pytest.mark.usefixtures("two_cpus")
SHORT = short(MODES["quick"], batches=3, batch_ms=7)


def slot(mechanism: str, threads: int) -> Slot:
    return Slot.of(CASE, mechanism, threads=threads)


def output(of: Slot, cycles: Sequence[float], operations: int = 1000) -> dict[str, Any]:
    return {
        **{"mechanism": of.runtime, "threads": of.threads, "pinned": of.threads <= 2},
        **{"operations": operations, "cycles": cycles, "ns": [at / 4 for at in cycles]},
        **{"ticks_per_ns": 4.0, "cycles_per_tick": 1.0, "cpus": [0]},
    }


def result_with(plan: Plan, cycles: Mapping[Slot, Sequence[Sequence[float]]]) -> Result:
    """The result of these processes' batches by round; of all others 100 cycles."""
    outputs = {
        of: [output(of, it, 1000 * (at + 1)) for at, it in enumerate(cycles.get(of, [[100.0]] * 3))]
        for of in plan.slots
    }
    return result_of(SYNC, plan, outputs)


def test_ratios_are_of_the_same_round_and_as_many_threads(build: FakeBuild) -> None:
    # Medians of a process 300, 900, 320; fetch-and-add beside them 200, 600, 160: 1.5, 1.5, 2. The
    # medians' ratio would be 320 / 200 = 1.6.
    result = result_with(
        plan_of(SYNC, build, SHORT),
        {
            slot("mutex", 2): [[250.0, 300.0, 9000.0], [900.0], [320.0]],
            slot("fetch-and-add", 2): [[200.0], [600.0], [160.0]],
        },
    )
    (row,) = result.rows_of(runtime="mutex", threads=2)
    assert row.of_reference == pytest.approx(1.5)
    assert row.of_reference_ci95 == pytest.approx((1.5, 2.0))
    assert (row.cycles, row.ns, row.samples) == (320.0, 80.0, [300.0, 900.0, 320.0])
    assert row.cycles_ci95 == (300.0, 900.0)
    assert (row.pinned, row.operations) == (True, [1000, 2000, 3000])
    (alone,) = result.rows_of(runtime="mutex", threads=1)
    assert alone.of_reference == 1.0
    assert result.settings.ticks_per_ns == 4.0


def test_a_whole_run(whole: WholeRun) -> None:
    result = whole("sync").file
    rows = {(row["runtime"], row["threads"]): row for row in result["results"]}
    assert set(rows) == {(name, threads) for name in MECHANISMS for threads in (1, 2, 4)}
    for (name, threads), row in rows.items():
        assert row["cycles"] == SYNC_CYCLES[name] * threads
        assert row["ns"] == SYNC_CYCLES[name] * threads // 2
        assert row["of_reference"] == SYNC_CYCLES[name] / SYNC_CYCLES["fetch-and-add"]
        assert row["pinned"] is (threads <= 2)
    assert (result["settings"]["threads"], result["settings"]["cpus"]) == ([1, 2, 4], [0, 1])
    assert result["runtimes"] == list(MECHANISMS)
    assert len(result["floor_samples"]) == 60


def test_the_answer_and_the_paper_s_are_in_the_tables(whole: WholeRun) -> None:
    said = " ".join(whole("sync").said.split())
    assert re.search(r"mutex 100 200 400 semaphore 200 400 800 spinlock 50\.0 100 200 ", said)
    assert re.search(r"mutex 50\.0 100 200 ", said)
    assert re.search(r"mutex 2\.50 2\.50 2\.50 ", said)
    assert "a tick of the time-stamp counter, 2.000 GHz; more threads than 2 share" in said
    assert re.search(r"the paper 33,592 cycles .* 3,868 .*; here 80\.0 \(2 threads\)", said)
    assert "the paper up to 12 threads" in said
    assert "here not even on 1 thread" in said


def test_a_counter_slower_than_the_processor_is_told(
    ran: Ran, build: FakeBuild, capsys: pytest.CaptureFixture[str]
) -> None:
    build.trouble_in("sync", "per_tick=40.0")
    ran("sync")
    assert "40.0 cycles a tick of the counter, as measured" in capsys.readouterr().out


def test_up_to_how_many_threads_fetch_and_add_costs_the_most(build: FakeBuild) -> None:
    plan = plan_of(SYNC, build, SHORT)

    def most(*cycles: float) -> int:
        counts = zip(plan.settings["threads"], cycles, strict=True)
        own = {slot("fetch-and-add", count): [[at]] * 3 for count, at in counts}
        return highest_up_to(result_with(plan, own))

    assert [most(99, 200, 200), most(100, 1, 1)] == [0, 0]
    assert [most(101, 99, 200), most(101, 101, 1), most(101, 101, 101)] == [1, 2, 4]


def test_the_processes_get_what_the_protocol_says(build: FakeBuild) -> None:
    sampled(SYNC, plan_of(SYNC, build, SHORT, cpus=(1, 0)))
    starts = build.starts()
    for name in MECHANISMS:
        for threads in (1, 2, 4):
            rest = "--cpus 1,0 --batches 3 --batch-ms 7"
            assert starts.count(f"sync --mechanism {name} --threads {threads} {rest}") == 3
    assert starts.count("floor --cpus 1,0 --batches 5 --round-trips 10000") == 12
    assert len(starts) == 3 * (4 * 3 + 4)


def test_the_threads_double_up_to_twice_the_cpus() -> None:
    counts = [thread_counts(2 * cpus) for cpus in (2, 3, 4)]
    assert counts == [[1, 2, 4], [1, 2, 4, 6], [1, 2, 4, 8]]


def test_all_allowed_cpus_are_used_unless_two_are_asked_for(
    ran: Ran, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("os.sched_getaffinity", lambda _pid: {4, 5, 7})
    siblings = {4: [4, 7]}
    monkeypatch.setattr("finegrain_lab.run.host.siblings_of", lambda cpu, _root: siblings.get(cpu))
    result = ran("sync")
    settings = result["settings"]
    assert (settings["cpus"], settings["threads"]) == ([4, 7, 5], [1, 2, 4, 6])
    assert {row["threads"]: row["pinned"] for row in result["results"]} == {
        **dict.fromkeys((1, 2), True),
        **dict.fromkeys((4, 6), False),
    }
    settings = ran("sync", "--cpus", "5,4")["settings"]
    assert (settings["cpus"], settings["threads"]) == ([5, 4], [1, 2, 4])
