# SPDX-License-Identifier: Apache-2.0
"""sync: pairing, threads and CPUs, the paper's statements; how it fails: test_cycles.py."""

import re

import pytest
from conftest import Ran, Silent, WholeRun, host_of
from cycle_plans import sync_plan
from fakes import FakeBuild
from fakes_micro import SYNC_CYCLES

from finegrain_lab.sync.cases import MECHANISMS, crowded_counts
from finegrain_lab.sync.evaluate import to_result
from finegrain_lab.sync.measure import Measured, Plan, Slot, measure
from finegrain_lab.sync.paper import highest_up_to
from finegrain_lab.sync.protocol import SyncSample
from finegrain_lab.sync.results import Result

pytestmark = pytest.mark.usefixtures("two_cpus")


def sample(slot: Slot, cycles: list[float], operations: int = 1000) -> SyncSample:
    return SyncSample(
        mechanism=slot.mechanism,
        threads=slot.threads,
        pinned=slot.threads <= 2,
        operations=operations,
        cycles=cycles,
        ns=[at / 4 for at in cycles],
        ticks_per_ns=4.0,
        cycles_per_tick=1.0,
        cpus=[0],
    )


def result_of(plan: Plan, cycles: dict[Slot, list[list[float]]]) -> Result:
    """The result of these processes' batches by round; of all others 100 cycles."""
    measured = Measured(floor_samples=[100.0])
    for group in plan.groups():
        for slot in group:
            rounds = cycles.get(slot, [[100.0]] * 3)
            measured.samples[slot] = {
                at: sample(slot, batches, 1000 * (at + 1)) for at, batches in enumerate(rounds)
            }
    return to_result(plan, measured, host_of(plan.build))


def test_ratios_are_of_the_same_round_and_as_many_threads(build: FakeBuild) -> None:
    # Medians of a process 300, 900, 320; fetch-and-add beside them 200, 600, 160: 1.5, 1.5, 2. The
    # medians' ratio would be 320 / 200 = 1.6.
    own, other = Slot("mutex", 2), Slot("fetch-and-add", 2)
    result = result_of(
        sync_plan(build),
        {own: [[250.0, 300.0, 9000.0], [900.0], [320.0]], other: [[200.0], [600.0], [160.0]]},
    )
    row = result.row("mutex", 2)
    assert row is not None
    assert row.of_reference == pytest.approx(1.5)
    assert row.of_reference_ci95 == pytest.approx((1.5, 2.0))
    assert (row.cycles, row.ns, row.samples) == (320.0, 80.0, [300.0, 900.0, 320.0])
    assert row.cycles_ci95 == (300.0, 900.0)
    assert (row.pinned, row.operations) == (True, [1000, 2000, 3000])
    alone = result.row("mutex", 1)
    assert alone is not None
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
    output = " ".join(whole("sync").said.split())
    assert re.search(r"mutex 100 200 400 semaphore 200 400 800 spinlock 50\.0 100 200 ", output)
    assert re.search(r"mutex 50\.0 100 200 ", output)
    assert re.search(r"mutex 2\.50 2\.50 2\.50 ", output)
    assert "a tick of the time-stamp counter, 2.000 GHz; more threads than 2 share" in output
    assert re.search(r"the paper 33,592 cycles .* 3,868 .*; here 80\.0 \(2 threads\)", output)
    assert "the paper up to 12 threads" in output
    assert "here not even on 1 thread" in output


def test_a_counter_slower_than_the_processor_is_told(
    ran: Ran, build: FakeBuild, capsys: pytest.CaptureFixture[str]
) -> None:
    build.trouble_in("sync", "per_tick=40.0")
    ran("sync")
    assert "40.0 cycles a tick of the counter, as measured" in capsys.readouterr().out


def test_up_to_how_many_threads_fetch_and_add_costs_the_most(build: FakeBuild) -> None:
    def most(*cycles: float) -> int:
        plan = sync_plan(build)
        counts = zip(plan.threads, cycles, strict=True)
        return highest_up_to(
            result_of(plan, {Slot("fetch-and-add", n): [[at]] * 3 for n, at in counts})
        )

    assert [most(99, 200, 200), most(100, 1, 1)] == [0, 0]
    assert [most(101, 99, 200), most(101, 101, 1), most(101, 101, 101)] == [1, 2, 4]


def test_the_processes_get_what_the_protocol_says(build: FakeBuild) -> None:
    measure(sync_plan(build, (3, 1)), Silent())
    starts = build.starts()
    for name in MECHANISMS:
        for threads in (1, 2, 4):
            rest = "--cpus 3,1 --batches 3 --batch-ms 7"
            assert starts.count(f"sync --mechanism {name} --threads {threads} {rest}") == 3
    assert starts.count("floor --cpus 3,1 --batches 5 --round-trips 10000") == 12
    assert len(starts) == 3 * (4 * 3 + 4)


def test_the_threads_double_up_to_twice_the_cpus() -> None:
    assert [crowded_counts(cpus) for cpus in (2, 3, 4)] == [[1, 2, 4], [1, 2, 4, 6], [1, 2, 4, 8]]


def test_all_allowed_cpus_are_used_unless_two_are_asked_for(
    ran: Ran, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("os.sched_getaffinity", lambda _pid: {4, 5, 7})
    monkeypatch.setattr("finegrain_lab.host.siblings_of", lambda cpu, _root: {4: [4, 7]}.get(cpu))
    result = ran("sync")
    settings = result["settings"]
    assert (settings["cpus"], settings["threads"]) == ([4, 7, 5], [1, 2, 4, 6])
    assert {row["threads"]: row["pinned"] for row in result["results"]} == {
        **dict.fromkeys((1, 2), True),
        **dict.fromkeys((4, 6), False),
    }
    settings = ran("sync", "--cpus", "5,4")["settings"]
    assert (settings["cpus"], settings["threads"]) == ([5, 4], [1, 2, 4])
