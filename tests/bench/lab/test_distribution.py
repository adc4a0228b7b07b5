# SPDX-License-Identifier: Apache-2.0
"""task-distribution and stealing-efficiency: what is made of the tasks that each thread ran."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from conftest import Ran, WholeRun
from fakes import FakeBuild
from runs import result_of, sampled
from test_tasking import (
    PEERS,
    POOLS,
    output,
    plan_of,
    row_of,
    rows_of,
    slot_of,
    tables_of,
)

from finegrain_lab.experiments import by_thread, task_distribution
from finegrain_lab.experiments.spawning import CEILING, TaskSample, answers_as
from finegrain_lab.experiments.stealing_efficiency import STEALING_EFFICIENCY
from finegrain_lab.experiments.task_distribution import TASK_DISTRIBUTION
from finegrain_lab.run.experiment import Slot
from finegrain_lab.run.runtimes import SERIAL
from finegrain_lab.run.shapes import fit

pytestmark = pytest.mark.usefixtures("two_cpus")

SHARES, DELTAS = "times the ideal share", "delta of the workers"


def counted(
    processes: Mapping[Slot, Sequence[Sequence[Sequence[int]]]],
) -> dict[Slot, list[dict[str, Any]]]:
    """What processes print that counted so, each of the plan's batches."""
    return {
        of: [
            output(of, [50.0] * len(batches))
            | {"runtime": answers_as(of.runtime), "tasks": sum(batches[0])}
            | {"tasks_by_thread": batches}
            for batches in rounds
        ]
        for of, rounds in processes.items()
    }


# ---- the formulas ----


def test_a_share_is_over_an_even_part_of_its_own_batch() -> None:
    assert by_thread.shares([[30, 10], [0, 8]]) == [1.5, 0.5, 0.0, 2.0]
    assert by_thread.shares([[1, 2, 3]]) == [0.5, 1.0, 1.5]


def test_the_deviation_is_from_the_ideal_over_all_threads_and_batches() -> None:
    assert by_thread.deviation([[10, 10], [7, 7]]) == 0
    assert by_thread.deviation([[15, 5], [10, 10]]) == pytest.approx((0.5 / 4) ** 0.5)


def test_delta_is_the_paper_s() -> None:
    assert by_thread.deltas([65536, 0]) == [1.0, 1.0]
    assert by_thread.deltas([4, 8, 24]) == pytest.approx([8 / 12, 4 / 12, 1.0])


def test_over_all_runs_delta_is_of_the_sum_of_a_worker_s_tasks() -> None:
    # The batches' own deltas are 1 and 1: what a worker lacks in one it has in the other.
    assert by_thread.deltas_over_all([[8, 0], [0, 8]]) == [0.0, 0.0]
    assert by_thread.deltas_over_all([[8, 0], [4, 4]]) == [0.5, 0.5]


def test_over_processes_workers_are_told_apart_by_rank() -> None:
    one = [[2, 4, 6], [2, 4, 6]]  # 1/2, 0, 1/2
    other = [[8, 3, 1], [8, 3, 1]]  # 1, 1/4, 3/4
    assert by_thread.by_process(one + other, 2) == [one, other]
    assert by_thread.ranked_deltas(one + other + one, 2) == [0.0, 0.5, 0.5]
    assert by_thread.ranked_deltas(one + other + other, 2) == [0.25, 0.75, 1.0]


# ---- task-distribution ----


def test_the_deviation_of_a_process_is_the_number_and_all_batches_are_in_the_table(
    build: FakeBuild,
) -> None:
    pool = slot_of("100ns", "pool-private_deque", 2)
    even, skewed = [[50, 50]] * 3, [[80, 20]] * 3
    slightly = [[60, 40]] * 3
    result = result_of(
        TASK_DISTRIBUTION,
        plan_of(build, TASK_DISTRIBUTION, [], "100ns"),
        counted({slot_of("100ns", SERIAL, 1): [[[100]] * 3] * 3, pool: [even, skewed, slightly]}),
    )
    row = row_of(result, "100ns", "pool-private_deque", 2)
    assert row.value == pytest.approx(20)  # of 0, 60 and 20 %
    assert row.tasks_by_thread == [*even, *skewed, *slightly]
    rows = rows_of(tables_of(TASK_DISTRIBUTION, result, SHARES)[0])
    assert list(rows) == ["pool-private_deque"]  # serial has nothing to deal out
    # 18 shares: 0.4 and 1.6 three times each, 0.8 and 1.2 too, 1 six times.
    assert rows["pool-private_deque"] == [
        *("0.400", "0.800", "1.000", "1.200", "1.600"),
        *("20.0", "50.0"),
    ]


def test_a_whole_run_of_task_distribution(whole: WholeRun) -> None:
    run = whole("task-distribution")
    result = run.file
    rows = {row["runtime"]: row for row in result["results"]}
    assert list(rows) == [SERIAL, *POOLS, *PEERS]
    assert {len(row["tasks_by_thread"]) for row in rows.values()} == {3 * 10}
    # The fake's first thread takes a tenth of the other's half.
    assert rows["gnu-openmp"]["tasks_by_thread"][0] == [110_000, 90_000]
    assert rows["gnu-openmp"]["value"] == pytest.approx(10)
    assert rows[SERIAL]["value"] == 0
    assert result["settings"]["sizes"] == {
        "100ns": "a batch is 100,000 tasks of each thread, 1/80 of the paper's"
    }
    output = " ".join(run.said.split())
    assert "100 ns: a batch is 100,000 tasks of each thread, 1/80 of the paper's" in output
    # 40 ns a spawn and 100 of delay, on two threads.
    assert "gnu-openmp 0.900 0.900 1.000 1.100 1.100 10.0 70.0 " in output
    page = run.page
    assert "an even deal" in page
    assert re.search(r"<td>gnu-openmp</td>\s*<td>0\.900</td>", page)


def test_each_mode_has_its_number_of_tasks(ran: Ran, build: FakeBuild) -> None:
    for mode, tasks in {"quick": 100_000, "full": 1_000_000, "paper": 8_000_000}.items():
        result = ran("task-distribution", f"--{mode}", "--runtimes", "gnu-openmp")
        assert {tuple(row["tasks"]) for row in result["results"]} == {(tasks,), (2 * tasks,)}
        assert any(f"flat --producers 2 --tasks {tasks} " in start for start in build.starts())
    assert result["settings"]["sizes"]["100ns"].endswith(", as in the paper")
    assert result["settings"]["batches"] == 20


def test_task_distribution_s_processes_get_what_the_protocol_says(build: FakeBuild) -> None:
    run = sampled(TASK_DISTRIBUTION, plan_of(build, TASK_DISTRIBUTION, ["gnu-openmp"], "100ns"))
    steps = run.found["spin_steps_per_us"]
    rest = f"--tasks 100000 --delay-ns 100 --spin-steps-per-us {steps!r} --by-thread"
    starts = build.starts()
    for command in (
        f"spawn-serial --threads 1 --cpus 3,1 --batches 3 --batch-ms 7 flat --producers 1 {rest}",
        "spawn-pool --threads 2 --cpus 3,1 --batches 3 --batch-ms 7 --policy private_deque flat "
        f"--producers 2 {rest}",
    ):
        assert starts.count(f"spawn/{command}") == 3, command


# ---- stealing-efficiency ----


def test_the_greatest_delta_is_of_the_sum_over_a_process_s_batches(build: FakeBuild) -> None:
    result = result_of(
        STEALING_EFFICIENCY,
        plan_of(build, STEALING_EFFICIENCY, [], "64x1ms"),
        counted(
            {
                slot_of("64x1ms", SERIAL, 1): [[[64]] * 3] * 3,
                slot_of("64x1ms", CEILING, 2): [[[64, 0]] * 3] * 3,
                # Over all batches 104, 160 and 100 tasks, where 96 are ideal.
                slot_of("64x1ms", "pool-private_deque", 2): [
                    [[40, 24], [24, 40], [40, 24]],
                    [[64, 0], [48, 16], [48, 16]],
                    [[36, 28], [28, 36], [36, 28]],
                ],
            }
        ),
    )
    found = {row.runtime: row.value for row in result.rows}
    assert found == {SERIAL: 0.0, CEILING: 0.0, "pool-private_deque": 8 / 96}
    rows = rows_of(tables_of(STEALING_EFFICIENCY, result, DELTAS)[0])
    assert list(rows) == ["pool-private_deque"]
    assert rows["pool-private_deque"] == [
        *("0.0833", "0.0833", "0.0833"),
        *("0.1250", "1.0000", "50.0"),
    ]


def test_a_worker_that_gets_nothing_shows(build: FakeBuild) -> None:
    result = result_of(
        STEALING_EFFICIENCY,
        plan_of(build, STEALING_EFFICIENCY, [], "64x1ms", cpus=(0, 1, 2, 3)),
        counted(
            {
                slot_of("64x1ms", SERIAL, 1): [[[64]] * 3] * 2,
                slot_of("64x1ms", CEILING, 4): [[[64, 0, 0, 0]] * 3] * 2,
                slot_of("64x1ms", "pool-private_deque", 4): [
                    [[40, 16, 8, 0]] * 3,
                    [[0, 40, 8, 16]] * 3,
                ],
            }
        ),
    )
    assert row_of(result, "64x1ms", "pool-private_deque", 4).value == 1.5
    (table,) = tables_of(STEALING_EFFICIENCY, result, DELTAS)
    assert rows_of(table)["pool-private_deque"][:3] == [
        *("0.0000", "0.7500", "1.5000"),  # of 0, 1/2, 1, 3/2
    ]
    assert "both" not in table.title


def test_a_whole_run_of_stealing_efficiency(whole: WholeRun) -> None:
    run = whole("stealing-efficiency")
    result = run.file
    rows = {(row["case"], row["runtime"]): row for row in result["results"]}
    everyone = [SERIAL, CEILING, *POOLS, *PEERS]
    assert list(rows) == [(case, who) for case in ("65536x100ns", "64x1ms") for who in everyone]
    assert rows["65536x100ns", "onetbb"]["tasks_by_thread"][0] == [36045, 29491]
    assert rows["65536x100ns", "onetbb"]["value"] == pytest.approx(0.1, abs=1e-4)
    assert rows["64x1ms", "onetbb"]["tasks_by_thread"][0] == [36, 28]
    assert rows["64x1ms", "onetbb"]["value"] == 0.125
    assert rows["64x1ms", CEILING]["speedup"] == pytest.approx(2, rel=1e-3)
    assert rows["64x1ms", "pool-private_deque"]["of_ceiling"] == pytest.approx(1, rel=1e-3)
    output = " ".join(run.said.split())
    assert "64x1ms: delta of the workers, 2 threads; of two workers both have the same" in output
    assert re.search(r"onetbb 0\.1250 0\.1250 0\.1250 0\.1250 0\.1250 500040\.0 ", output)
    assert "the paper: LLVM OpenMP: 0.0005 to 0.99" in output
    page = run.page
    assert page.count("A dot a worker") == 2


def test_one_thread_alone_spawns(build: FakeBuild) -> None:
    plan = plan_of(build, STEALING_EFFICIENCY, [], "65536x100ns", "64x1ms")
    steps = sampled(STEALING_EFFICIENCY, plan).found["spin_steps_per_us"]
    starts = build.starts()
    for tasks, delay in ((65536, 100), (64, 1_000_000)):
        load = f"--delay-ns {delay} --spin-steps-per-us {steps!r} --by-thread"
        told = f"--batches 3 --batch-ms 7 flat --producers 1 --tasks {tasks} {load}"
        assert starts.count(f"spawn/spawn-serial --threads 2 --cpus 3,1 {told}") == 3
        told = told.replace("flat", "--policy private_deque flat")
        assert starts.count(f"spawn/spawn-pool --threads 2 --cpus 3,1 {told}") == 3


# ---- counts that are none ----


@pytest.mark.parametrize(
    ("commands", "reason"),
    [
        ("by_thread=", "counted the tasks by thread in other than all batches"),
        ("found='100000, 99999'", "counted other than 200000 tasks in a batch"),
        ("found='100000, 50000, 50000'", "counted the tasks of other than 2 threads"),
        ("found='200000'", "counted the tasks of other than 2 threads"),
        ("found='200001, -1'", "printed no valid sample: tasks_by_thread.0.1"),
    ],
)
def test_broken_counts_are_a_failure(build: FakeBuild, commands: str, reason: str) -> None:
    build.trouble_in("spawn/spawn-onetbb", commands)
    plan = plan_of(build, TASK_DISTRIBUTION, ["onetbb"], "100ns")
    failed = sampled(TASK_DISTRIBUTION, plan).samples.failed
    assert list(failed) == [slot_of("100ns", "onetbb", 2)]
    assert failed[slot_of("100ns", "onetbb", 2)].startswith(reason)


def test_counts_of_some_batches_are_a_failure() -> None:
    of = slot_of("100ns", "onetbb", 2)
    (case,) = task_distribution.CASES["quick"]
    (printed,) = counted({of: [[[1, 1], [2, 0]]]})[of]
    assert case.complaint(fit(printed, TaskSample)) == ""
    half = {**printed, "tasks_by_thread": [[1, 1]]}
    assert "in other than all batches" in case.complaint(fit(half, TaskSample))
