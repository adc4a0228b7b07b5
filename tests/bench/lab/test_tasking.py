# SPDX-License-Identifier: Apache-2.0
"""The experiments over tasks: what is run, what is made of a time, and every way to fail."""

import re
from collections.abc import Sequence
from typing import Any

import pytest
import runs
from conftest import Ran, Refused
from fakes import CRASH, WRONG_RESULT, FakeBuild
from fakes_micro import SPAWN_CENTI_NS, SPAWN_POLICIES
from runs import result_of, sampled, short

from finegrain_lab.experiments import spawn, tasking
from finegrain_lab.experiments.flat import FlatCase
from finegrain_lab.experiments.producers import PRODUCERS
from finegrain_lab.experiments.spawn import SPAWN
from finegrain_lab.experiments.tasking import Study, shares_text
from finegrain_lab.experiments.tasking_overhead import TASKING_OVERHEAD
from finegrain_lab.run.experiment import Experiment, Plan, Slot
from finegrain_lab.run.modes import Mode
from finegrain_lab.run.runtimes import OPENMP
from finegrain_lab.show.result import Result
from finegrain_lab.show.tables import Table

SHORT = short(TASKING_OVERHEAD.modes["quick"], batches=3, batch_ms=7)
# Each OpenMP runtime alone, and behind it with the drop-in under its default policy.
OPENMP_PEERS = [name for base in OPENMP for name in (base, f"{base}+finegrain:{SPAWN_POLICIES[0]}")]
PEERS = [*OPENMP_PEERS, "onetbb", "taskflow"]
POOLS = ["pool-private_deque", "pool-chase_lev"]

pytestmark = pytest.mark.usefixtures("two_cpus")


def plan_of(
    build: FakeBuild,
    experiment: Experiment,
    names: Sequence[str],
    *cases: str,
    cpus: Sequence[int] = (3, 1),
    mode: Mode = SHORT,
) -> Plan:
    """The plan of these cases on these CPUs, a thread each."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tasking, "choose_all_cpus", lambda _asked: (tuple(cpus[:2]), "", [*cpus]))
        return runs.plan_of(experiment, build, mode, runtimes=names, cases=cases)


def slot_of(case: str, runtime: str, threads: int) -> Slot:
    return Slot.of(case, runtime, threads=threads)


def output(of: Slot, ns: Sequence[float], **keys: Any) -> dict[str, Any]:
    """What a process prints that takes this time a task in each of its batches."""
    return {
        **{"runtime": of.runtime, "threads": of.threads, "tasks": 10, "ns": [*ns]},
        **{"offloaded_share": 0.5, "cpus": [3], "allocator": "glibc", "version": "1"},
        **{"tasks_by_thread": [[10] + [0] * (of.threads - 1)], **keys},
    }


def filled(of: Slot, *ns: float, **keys: Any) -> dict[Slot, list[dict[str, Any]]]:
    """A process of five batches a round: the middle three average `ns` a task."""
    return {of: [output(of, [it, 0.1 * it, 0.75 * it, 1.25 * it, 100 * it], **keys) for it in ns]}


def rounds_of(experiment: Experiment, plan: Plan) -> int:
    """How many rounds a run has."""
    run: Any = sampled(experiment, plan)
    return int(run.ending["rounds"])


def row_of(result: Result, case: str, runtime: str, threads: int) -> Any:
    row = result.row(case=case, runtime=runtime, threads=threads)
    assert row is not None
    return row


def tables_of(experiment: Experiment, result: Result, title: str) -> list[Any]:
    """The tables that have this in their title."""
    parts = [part for section in experiment.sections(result) for part in section.parts]
    return [part for part in parts if isinstance(part, Table) and title in part.title]


def rows_of(table: Any) -> dict[str, list[str]]:
    """The cells of a table's lines, by their first one."""
    return {line[0]: list(line[1:]) for line in table.lines}


def test_the_speed_up_is_held_against_the_ceiling_of_the_same_round(build: FakeBuild) -> None:
    result = result_of(
        SPAWN,
        plan_of(build, SPAWN, ["gnu-openmp"], "fib"),
        {
            **filled(slot_of("fib", "serial", 1), 1.0, 2.0, 1.0),
            **filled(slot_of("fib", "ceiling", 2), 0.5, 2.0, 0.625),  # speedups 2, 1, 1.6
            **filled(slot_of("fib", "pool-private_deque", 1), 3.0, 6.0, 3.0),
            **filled(slot_of("fib", "pool-private_deque", 2), 1.5, 6.0, 2.0),  # 2, 1, 1.5
            **filled(slot_of("fib", "gnu-openmp", 1), 30.0, 60.0, 30.0),
            **filled(slot_of("fib", "gnu-openmp", 2), 60.0, 120.0, 40.0),  # 0.5, 0.5, 0.75
        },
    )
    pool = row_of(result, "fib", "pool-private_deque", 2)
    assert (pool.ns, pool.value, pool.samples) == (2.0, 2.0, [1.5, 6.0, 2.0])
    assert pool.speedup == 1.5
    # 1, 1, 0.9375. The medians' ratio would be 1.5 / 1.6.
    assert pool.of_ceiling == 1.0
    assert pool.of_ceiling_ci95 == (0.9375, 1.0)
    assert pool.of_reference == 1.0

    gnu = row_of(result, "fib", "gnu-openmp", 2)
    assert gnu.of_reference == 20.0  # 40, 20, 20
    assert gnu.speedup == 0.5
    assert gnu.of_ceiling == pytest.approx(0.75 / 1.6)  # 0.25, 0.5, 0.46875

    ceiling = row_of(result, "fib", "ceiling", 2)
    assert (ceiling.speedup, ceiling.of_ceiling) == (1.6, 1.0)
    for runtime in ("serial", "pool-private_deque", "gnu-openmp"):
        row = row_of(result, "fib", runtime, 1)
        assert (row.speedup, row.of_ceiling) == (None, None)


def test_the_least_and_the_greatest_share_stand_for_all_threads(build: FakeBuild) -> None:
    plan = plan_of(build, SPAWN, [], "fib", cpus=range(64))
    outputs = {of: filled(of, 1.0, 1.0, 1.0)[of] for of in plan.slots}
    for printed, most in zip(
        outputs[slot_of("fib", "pool-private_deque", 64)], (154, 354, 204), strict=True
    ):
        printed["tasks_by_thread"] = [[10, most] + [13] * 62]
    result = result_of(SPAWN, plan, outputs)
    # Of 970, 1170 and 1020 tasks.
    texts = {(row.runtime, row.threads): shares_text(row) for row in result.rows}
    assert texts["pool-private_deque", 64] == "1.0 to 20.0 %"
    assert texts["serial", 1] == texts["ceiling", 64] == ""


def test_a_speed_up_over_serial_counts_what_one_thread_loses(build: FakeBuild) -> None:
    study = Study(
        **{name: getattr(SPAWN, name) for name in ("name", "title", "heading", "intro", "paper")},
        modes=SPAWN.modes,
        cases={"quick": spawn.CASES},
        measure=tasking.Measure("time", "ns", "lower", lambda sample, _case: sample.mean_ns),
        figures=lambda _study, _result: [],
        speedup_over="serial",
    ).experiment()
    result = result_of(
        study,
        plan_of(build, study, [], "fib"),
        {
            **filled(slot_of("fib", "serial", 1), 10.0, 10.0),
            **filled(slot_of("fib", "ceiling", 2), 5.0, 6.25),  # 2, 1.6
            **filled(slot_of("fib", "pool-private_deque", 1), 12.5, 12.5),
            **filled(slot_of("fib", "pool-private_deque", 2), 6.25, 6.25),
        },
    )
    found = {
        (row.runtime, row.threads): (row.speedup, row.of_ceiling)
        for row in result.rows
        if row.runtime.startswith("pool")
    }
    assert found == {
        ("pool-private_deque", 1): (0.8, 0.8),
        ("pool-private_deque", 2): (1.6, 0.9),  # 0.8, 1
    }


def test_the_overhead_is_a_thread_s_time_per_task_of_its_own_less_its_length(
    build: FakeBuild,
) -> None:
    result = result_of(
        TASKING_OVERHEAD,
        plan_of(build, TASKING_OVERHEAD, [], "10ns"),
        {
            **filled(slot_of("10ns", "serial", 1), 12.0, 12.0, 13.0),
            **filled(slot_of("10ns", "pool-private_deque", 2), 8.0, 9.0, 7.0),
        },
    )
    serial = row_of(result, "10ns", "serial", 1)
    pool = row_of(result, "10ns", "pool-private_deque", 2)
    assert (serial.ns, serial.value) == (12.0, 2.0)
    assert (pool.ns, pool.value, pool.value_ci95) == (8.0, 6.0, (4.0, 8.0))
    assert serial.of_reference == 1.5  # 12/8, 12/9, 13/7
    assert pool.of_reference == 1.0


def test_the_throughput_is_in_millions(build: FakeBuild) -> None:
    result = result_of(
        PRODUCERS,
        plan_of(build, PRODUCERS, ["gnu-openmp"], "one-512"),
        {
            **filled(slot_of("one-512", "serial", 1), 50.0, 50.0),
            **filled(slot_of("one-512", "pool-private_deque", 2), 25.0, 25.0),
            **filled(slot_of("one-512", "gnu-openmp", 2), 100.0, 100.0),
        },
    )
    assert [(row.runtime, row.value) for row in result.rows] == [
        *(("serial", 20.0), ("pool-private_deque", 40.0), ("gnu-openmp", 10.0)),
    ]
    assert [row.of_reference for row in result.rows] == [2.0, 1.0, 4.0]


def test_a_whole_run_of_tasking_overhead(ran: Ran, capsys: pytest.CaptureFixture[str]) -> None:
    result = ran("tasking-overhead", "--cases", "1ns,100ns")
    rows = {(row["case"], row["runtime"]): row for row in result["results"]}
    assert {row["threads"] for row in rows.values()} == {1, 2}  # serial, the others
    gnu = SPAWN_CENTI_NS["gnu-openmp"] / 100
    assert rows["1ns", "gnu-openmp"]["value"] == pytest.approx(gnu)
    assert rows["100ns", "gnu-openmp"]["value"] == pytest.approx(gnu)
    assert rows["100ns", "gnu-openmp"]["ns"] == pytest.approx(gnu / 2 + 50)
    assert result["settings"]["spin_steps_per_us"] > 0
    assert "20.32 µs" in capsys.readouterr().out


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
    said = " ".join(capsys.readouterr().out.split())
    assert re.search(r"gnu-openmp 50\.0 50\.0 ", said)  # 1000 / 20
    assert "the paper: S. N. Agathos" in said


def test_the_processes_get_what_the_protocol_says(build: FakeBuild) -> None:
    plan = plan_of(build, TASKING_OVERHEAD, ["gnu-openmp"], "10ns")
    steps = sampled(TASKING_OVERHEAD, plan).found["spin_steps_per_us"]
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
    sampled(PRODUCERS, plan_of(build, PRODUCERS, [], "one-128"))
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
        ("share=1.5", "printed no valid sample: offloaded_share"),
        (CRASH, "exit status 1: boom"),
    ],
)
def test_half_a_sample_is_a_failure(build: FakeBuild, commands: str, reason: str) -> None:
    build.trouble_in("spawn/spawn-onetbb", commands)
    run = sampled(PRODUCERS, plan_of(build, PRODUCERS, ["onetbb"], "half-512"))
    assert list(run.samples.failed) == [slot_of("half-512", "onetbb", 2)]
    assert run.samples.failed[slot_of("half-512", "onetbb", 2)].startswith(reason)


def test_a_failure_is_told_of_its_case_and_threads(build: FakeBuild) -> None:
    plan = plan_of(build, PRODUCERS, ["onetbb"], "half-512")
    failed = {slot_of("half-512", "onetbb", 2): "boom"}
    outputs = {of: filled(of, 1.0, 1.0)[of] for of in plan.slots if of not in failed}
    result = result_of(PRODUCERS, plan, outputs, failed=failed)
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
def test_how_many_threads_spawn(kind: str, by_threads: dict[int, int]) -> None:
    case = FlatCase("x", producers=kind, tasks_of_all=1600)
    for threads, spawning in by_threads.items():
        words = " ".join(map(str, case.arguments(threads, None)))
        assert f"--producers {spawning} --tasks {1600 // spawning} " in words


def test_a_brief_run_has_each_runtime_once_unless_it_is_about_policies(build: FakeBuild) -> None:
    quick = TASKING_OVERHEAD.modes["quick"]
    brief = runs.plan_of(TASKING_OVERHEAD, build, quick, is_brief=True)
    whole = runs.plan_of(TASKING_OVERHEAD, build, quick)
    assert set(whole.runtimes) - set(brief.runtimes) == {
        *("pool-chase_lev", "llvm-openmp", "llvm-openmp+finegrain:private_deque"),
    }
