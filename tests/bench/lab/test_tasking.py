# SPDX-License-Identifier: Apache-2.0
"""The experiments over tasks: what is run, what is made of a time, and every way to fail."""

import dataclasses
import re

import pytest
from conftest import Ran, Refused, Silent, host_of
from fakes import CRASH, WRONG_RESULT, FakeBuild
from fakes_micro import SPAWN_CENTI_NS, SPAWN_POLICIES

from finegrain_lab.runtimes import OPENMP, load_build
from finegrain_lab.tasking import producers, spawn, tasking_overhead
from finegrain_lab.tasking.contestants import choose, serial_and_ceiling
from finegrain_lab.tasking.evaluate import to_result
from finegrain_lab.tasking.flat import FlatCase, Producers
from finegrain_lab.tasking.measure import Measured, Plan, Slot, measure
from finegrain_lab.tasking.modes import LOOPS
from finegrain_lab.tasking.protocol import TaskSample
from finegrain_lab.tasking.study import Study
from finegrain_lab.tasking.table import shares_text

SHORT = dataclasses.replace(LOOPS["quick"], min_rounds=3, max_rounds=3, batches=3, batch_ms=7)
# Each OpenMP runtime alone, and behind it with the drop-in under its default policy.
OPENMP_PEERS = [name for base in OPENMP for name in (base, f"{base}+finegrain:{SPAWN_POLICIES[0]}")]
PEERS = [*OPENMP_PEERS, "onetbb", "taskflow"]
POOLS = ["pool-private_deque", "pool-chase_lev"]

pytestmark = pytest.mark.usefixtures("two_cpus")


def plan_of(
    build: FakeBuild,
    study: Study,
    names: list[str],
    *cases: str,
    cpus: tuple[int, ...] = (3, 1),
) -> Plan:
    loaded = load_build(build.folder)
    return Plan(
        study=study,
        build=loaded,
        serial=serial_and_ceiling(loaded)[0],
        ceiling=serial_and_ceiling(loaded)[1],
        contestants=choose(loaded, names),
        cases=[study.case(name, SHORT.name) for name in cases],
        cpus=cpus,
        mode=SHORT,
        peers="tuned",
    )


def fill(measured: Measured, slot: Slot, *ns: float) -> None:
    """A process of five batches a round: the middle three average `ns` a task."""
    measured.samples[slot] = {
        at: TaskSample(
            runtime=slot.runtime,
            threads=slot.threads,
            tasks=10,
            ns=[value, 0.1 * value, 0.75 * value, 1.25 * value, 100 * value],
            offloaded_share=0.5,
            cpus=[3],
            allocator="glibc",
            version="1",
            tasks_by_thread=[[10] + [0] * (slot.threads - 1)],
        )
        for at, value in enumerate(ns)
    }


def test_the_speed_up_is_held_against_the_ceiling_of_the_same_round(build: FakeBuild) -> None:
    plan = plan_of(build, spawn.STUDY, ["gnu-openmp"], "fib")
    measured = Measured(floor_samples=[100.0])
    fill(measured, Slot("fib", "serial", 1), 1.0, 2.0, 1.0)
    fill(measured, Slot("fib", "ceiling", 2), 0.5, 2.0, 0.625)  # speedups 2, 1, 1.6
    fill(measured, Slot("fib", "pool-private_deque", 1), 3.0, 6.0, 3.0)
    fill(measured, Slot("fib", "pool-private_deque", 2), 1.5, 6.0, 2.0)  # 2, 1, 1.5
    fill(measured, Slot("fib", "gnu-openmp", 1), 30.0, 60.0, 30.0)
    fill(measured, Slot("fib", "gnu-openmp", 2), 60.0, 120.0, 40.0)  # 0.5, 0.5, 0.75
    result = to_result(plan, measured, host_of(plan.build))

    pool = result.row("fib", "pool-private_deque", 2)
    assert pool is not None
    assert (pool.ns, pool.value, pool.samples) == (2.0, 2.0, [1.5, 6.0, 2.0])
    assert pool.speedup == 1.5
    # 1, 1, 0.9375. The medians' ratio would be 1.5 / 1.6.
    assert pool.of_ceiling == 1.0
    assert pool.of_ceiling_ci95 == (0.9375, 1.0)
    assert pool.of_reference == 1.0

    gnu = result.row("fib", "gnu-openmp", 2)
    assert gnu is not None
    assert gnu.of_reference == 20.0  # 40, 20, 20
    assert gnu.speedup == 0.5
    assert gnu.of_ceiling == pytest.approx(0.75 / 1.6)  # 0.25, 0.5, 0.46875

    ceiling = result.row("fib", "ceiling", 2)
    assert ceiling is not None
    assert (ceiling.speedup, ceiling.of_ceiling) == (1.6, 1.0)
    for runtime in ("serial", "pool-private_deque", "gnu-openmp"):
        row = result.row("fib", runtime, 1)
        assert row is not None
        assert (row.speedup, row.of_ceiling) == (None, None)


def test_the_least_and_the_greatest_share_stand_for_all_threads(build: FakeBuild) -> None:
    plan = plan_of(build, spawn.STUDY, [], "fib", cpus=tuple(range(64)))
    measured = Measured(floor_samples=[100.0])
    for contestant in plan.everyone:
        for slot in plan.slots_of(plan.case("fib"), contestant):
            fill(measured, slot, 1.0, 1.0, 1.0)
    pool = Slot("fib", "pool-private_deque", 64)
    measured.samples[pool] = {
        at: sample.model_copy(update={"tasks_by_thread": [[10, most] + [13] * 62]})
        for (at, sample), most in zip(measured.samples[pool].items(), (154, 354, 204), strict=True)
    }
    result = to_result(plan, measured, host_of(plan.build))
    # Of 970, 1170 and 1020 tasks.
    texts = {(row.runtime, row.threads): shares_text(row) for row in result.results}
    assert texts["pool-private_deque", 64] == "1.0 to 20.0 %"
    assert texts["serial", 1] == texts["ceiling", 64] == ""


def test_a_speed_up_over_serial_counts_what_one_thread_loses(build: FakeBuild) -> None:
    study = dataclasses.replace(spawn.STUDY, speedup_over="serial")
    plan = plan_of(build, study, [], "fib")
    measured = Measured(floor_samples=[100.0])
    fill(measured, Slot("fib", "serial", 1), 10.0, 10.0)
    fill(measured, Slot("fib", "ceiling", 2), 5.0, 6.25)  # 2, 1.6
    fill(measured, Slot("fib", "pool-private_deque", 1), 12.5, 12.5)
    fill(measured, Slot("fib", "pool-private_deque", 2), 6.25, 6.25)
    result = to_result(plan, measured, host_of(plan.build))
    found = {
        (row.runtime, row.threads): (row.speedup, row.of_ceiling)
        for row in result.results
        if row.runtime.startswith("pool")
    }
    assert found == {
        ("pool-private_deque", 1): (0.8, 0.8),
        ("pool-private_deque", 2): (1.6, 0.9),  # 0.8, 1
    }


def test_the_overhead_is_a_thread_s_time_per_task_of_its_own_less_its_length(
    build: FakeBuild,
) -> None:
    plan = plan_of(build, tasking_overhead.STUDY, [], "10ns")
    measured = Measured(floor_samples=[100.0])
    fill(measured, Slot("10ns", "serial", 1), 12.0, 12.0, 13.0)
    fill(measured, Slot("10ns", "pool-private_deque", 2), 8.0, 9.0, 7.0)
    result = to_result(plan, measured, host_of(plan.build))
    serial = result.row("10ns", "serial", 1)
    pool = result.row("10ns", "pool-private_deque", 2)
    assert serial is not None
    assert pool is not None
    assert (serial.ns, serial.value) == (12.0, 2.0)
    assert (pool.ns, pool.value, pool.value_ci95) == (8.0, 6.0, (4.0, 8.0))
    assert serial.of_reference == 1.5  # 12/8, 12/9, 13/7
    assert pool.of_reference == 1.0


def test_the_throughput_is_in_millions(build: FakeBuild) -> None:
    plan = plan_of(build, producers.STUDY, ["gnu-openmp"], "one-512")
    measured = Measured(floor_samples=[100.0])
    fill(measured, Slot("one-512", "serial", 1), 50.0, 50.0)
    fill(measured, Slot("one-512", "pool-private_deque", 2), 25.0, 25.0)
    fill(measured, Slot("one-512", "gnu-openmp", 2), 100.0, 100.0)
    result = to_result(plan, measured, host_of(plan.build))
    assert [(row.runtime, row.value) for row in result.results] == [
        *(("serial", 20.0), ("pool-private_deque", 40.0), ("gnu-openmp", 10.0)),
    ]
    assert [row.of_reference for row in result.results] == [2.0, 1.0, 4.0]


def test_a_whole_run_of_tasking_overhead(ran: Ran) -> None:
    result = ran("tasking-overhead", "--cases", "1ns,100ns")
    rows = {(row["case"], row["runtime"]): row for row in result["results"]}
    assert {row["threads"] for row in rows.values()} == {1, 2}  # serial, the others
    gnu = SPAWN_CENTI_NS["gnu-openmp"] / 100
    assert rows["1ns", "gnu-openmp"]["value"] == pytest.approx(gnu)
    assert rows["100ns", "gnu-openmp"]["value"] == pytest.approx(gnu)
    assert rows["100ns", "gnu-openmp"]["ns"] == pytest.approx(gnu / 2 + 50)
    assert result["settings"]["spin_steps_per_us"] > 0
    assert any("20.32 µs" in line for line in result["paper"])


def test_a_whole_run_of_producers(ran: Ran, capsys: pytest.CaptureFixture[str]) -> None:
    result = ran("producers", "--cases", "one-128,half-8192", "--runtimes", "gnu-openmp")
    found = [(row["case"], row["runtime"], row["threads"]) for row in result["results"]]
    assert found == [
        ("one-128", "serial", 1),
        ("one-128", "pool-private_deque", 1),
        ("one-128", "pool-private_deque", 2),
        ("one-128", "gnu-openmp", 1),
        ("one-128", "gnu-openmp", 2),
        ("half-8192", "serial", 1),
        ("half-8192", "pool-private_deque", 2),
        ("half-8192", "gnu-openmp", 2),
    ]
    assert {(row["speedup"], row["of_ceiling"]) for row in result["results"]} == {(None, None)}
    assert result["settings"]["spin_steps_per_us"] is None
    output = " ".join(capsys.readouterr().out.split())
    assert re.search(r"gnu-openmp 50\.0 50\.0 ", output)  # 1000 / 20
    assert "the paper: S. N. Agathos" in output


def test_the_processes_get_what_the_protocol_says(build: FakeBuild) -> None:
    plan = plan_of(build, tasking_overhead.STUDY, ["gnu-openmp"], "10ns")
    measured = measure(plan, Silent())
    steps = measured.spin_steps_per_us
    rest = "--batches 3 --batch-ms 7"
    load = f"--delay-ns 10 --spin-steps-per-us {steps!r}"
    starts = build.starts()
    for command in (
        f"spawn/spawn-serial --threads 1 --cpus 3,1 {rest} flat --producers 1 {load}",
        f"spawn/spawn-pool --threads 2 --cpus 3,1 {rest} --policy private_deque flat "
        f"--producers 2 {load}",
        f"spawn/spawn-gnu-openmp --threads 2 --cpus 3,1 {rest} flat --producers 2 {load}",
    ):
        assert starts.count(command) == 3, command
    build_two = plan_of(build, producers.STUDY, [], "one-128")
    measure(build_two, Silent())
    assert (
        build.starts().count(
            f"spawn/spawn-pool --threads 2 --cpus 3,1 {rest} --policy private_deque flat "
            "--producers 1 --max-load 128"
        )
        == 3
    )


@pytest.mark.parametrize(
    ("commands", "reason"),
    [
        ("share=0.0", "ran 0% of the tasks on other threads than the one with most"),
        ("batches=2", "gave other than 3 batches"),
        ("threads=3", "answered with a sample of something else"),
        (CRASH, "exit status 1: boom"),
    ],
)
def test_half_a_sample_is_a_failure(build: FakeBuild, commands: str, reason: str) -> None:
    build.trouble_in("spawn/spawn-onetbb", commands)
    plan = plan_of(build, producers.STUDY, ["onetbb"], "half-512")
    measured = measure(plan, Silent())
    assert list(measured.failed) == [Slot("half-512", "onetbb", 2)]
    assert measured.failed[Slot("half-512", "onetbb", 2)].startswith(reason)
    result = to_result(plan, measured, host_of(plan.build))
    assert [line.case for line in result.failed] == ["half-512, 2 threads"]


@pytest.mark.parametrize(
    ("program", "commands", "text"),
    [
        ("spawn-onetbb", f"case=fib; {WRONG_RESULT}", "wrong result from onetbb on one-512, 2"),
        ("spawn-serial", CRASH, "serial on one-512, 1 thread failed"),
        ("spawn-pool", f'[ -n "$list" ] || {{ {CRASH}; }}', "pool-private_deque on one-512, 2 "),
    ],
)
def test_what_ends_a_run_leaves_no_file(
    refused: Refused, build: FakeBuild, program: str, commands: str, text: str
) -> None:
    build.trouble_in(f"spawn/{program}", commands)
    refused("producers", "--cases", "one-512", "--runtimes", "onetbb", text=text)


@pytest.mark.parametrize(
    ("kind", "by_threads"),
    [("one", {1: 1, 2: 1, 8: 1}), ("half", {1: 1, 2: 2, 3: 3, 4: 2, 16: 8}), ("all", {1: 1, 5: 5})],
)
def test_how_many_threads_spawn(kind: Producers, by_threads: dict[int, int]) -> None:
    case = FlatCase("x", x=0, producers=kind, tasks_of_all=1600)
    for threads, spawning in by_threads.items():
        words = " ".join(case.arguments(threads, None))
        assert f"--producers {spawning} --tasks {1600 // spawning} " in words
