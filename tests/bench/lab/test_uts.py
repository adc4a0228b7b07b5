# SPDX-License-Identifier: Apache-2.0
"""The tree search: what is asked for and held against what is published; when workers were busy."""

import re
from pathlib import Path
from typing import Any

import pytest
from conftest import Lab, Ran, Refused, Silent, host_of
from fakes import FakeBuild
from fakes_micro import SPAWN_CENTI_NS
from test_tasking import OPENMP_PEERS, PEERS, POOLS, plan_of

from finegrain_lab.processes import ProcessFailed, WrongResult
from finegrain_lab.results import Host
from finegrain_lab.tasking import table, timeline_plots, uts
from finegrain_lab.tasking.evaluate import to_result
from finegrain_lab.tasking.measure import Measured, Plan, Slot, measure
from finegrain_lab.tasking.protocol import UtsSample
from finegrain_lab.tasking.results import Result
from finegrain_lab.tasking.timeline import PARTS, Timeline, Worker, in_parts
from finegrain_lab.tasking.uts_case import UtsCase

pytestmark = pytest.mark.usefixtures("two_cpus")

T1_NODES = 4_130_071
REFERENCE = "pool-private_deque"
PRINTED: dict[str, Any] = {
    "wall_ns": 1000.0,
    "gap_ns": 20.0,
    "threads": [
        {"cpu": 1, "tasks": 4_000_000, "busy": [[0, 500], [750, 1000]]},
        {"cpu": 3, "tasks": 112_897, "busy": [[100, 150]]},
    ],
}


def sample_of(**keys: Any) -> UtsSample:
    """A whole search of T3 on two threads, but for these keys."""
    whole = {
        **{"runtime": REFERENCE, "threads": 2, "tree": "T3", "granularity": 1, "tasks": 4_112_897},
        **{"nodes": 4_112_897, "leaves": 3_599_034, "depth": 1_572, "ns": [25.0, 26.0, 24.0]},
        **{
            "offloaded_share": 0.4,
            "tasks_by_thread": [[4_000_000, 112_897]],
            "cpus": [3, 1],
            "version": "1",
            "allocator": "glibc",
            "timeline": PRINTED,
        },
    }
    return UtsSample.model_validate({**whole, **keys})


T3 = UtsCase(name="T3", tree="T3", with_timeline=True)


# ---- a whole run ----


def test_a_whole_run(ran: Ran, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    result = ran("uts", "--full")
    rows = {(row["case"], row["runtime"], row["threads"]): row for row in result["results"]}
    contestants = POOLS + PEERS
    assert set(rows) == {
        (case, *who)
        for case in ("T1", "T3", "T3x2", "T3x5", "T3x10")
        for who in (
            *(("serial", 1), ("ceiling", 2)),
            *((name, threads) for name in contestants for threads in (1, 2)),
        )
        if case in ("T1", "T3") or who[1] == 2 or who[0] == "serial"
    }
    # A node takes 50 ns at granularity 1, and what spawning takes; half of it on two threads.
    serial = (50 + SPAWN_CENTI_NS["serial"] / 100) * T1_NODES / 1e9
    assert rows["T1", "serial", 1]["value"] == pytest.approx(serial)
    pool = rows["T3x10", REFERENCE, 2]
    assert pool["ns"] == pytest.approx(250 + 1.56)
    assert pool["speedup"] == pytest.approx(501.5 / 251.56)
    assert pool["of_ceiling"] == pytest.approx(501.5 / 251.56 / 2)
    assert result["checked"] == [
        "T1: 4,130,071 nodes, 3,305,118 leaves, depth 10 in every search, as published",
        "T3: 4,112,897 nodes, 3,599,034 leaves, depth 1,572 in every search, as published",
    ]
    with_timeline = {key for key, row in rows.items() if row["timeline"]}
    assert with_timeline == {("T3", name, 2) for name in contestants}
    assert [worker["busy"] for worker in rows["T3", "gnu-openmp", 2]["timeline"]["workers"]] == [
        *(1.0, 0.5)
    ]

    output = " ".join(capsys.readouterr().out.split())
    assert all(f"checked: {line}" in output for line in result["checked"])
    assert "T1: pool-private_deque on 2 threads: 0.110 s (0.11 to 0.11), 0.970 of the" in output
    assert f"of the ceiling, first of {len(contestants)} " in output
    assert re.search(r"worker was busy, T3, 2 threads .* gnu-openmp 100 % 50 % 0 ", output)
    assert "the paper: 192 threads: X-OpenMP with static round robin is the fastest" in output
    page = (tmp_path / "out/uts.html").read_text()
    assert page.count(">50 % busy<") == len(contestants)
    assert "<h2>Timelines</h2>" in page
    assert "checked: T1: 4,130,071 nodes" in page


def test_the_header_says_who_is_faster_than_the_reference(build: FakeBuild) -> None:
    plan = plan_of(build, uts.STUDY, ["onetbb", "gnu-openmp"], "T1")
    result = searched(plan, host_of(plan.build))
    assert table.header_lines(result)[-1].endswith("of the ceiling, first of 3")
    rows = [
        row.model_copy(update={"of_reference": 0.9}) if row.runtime == "onetbb" else row
        for row in result.results
    ]
    faster = result.model_copy(update={"results": rows})
    assert table.header_lines(faster)[-1].endswith("of the ceiling, behind onetbb")


def test_a_run_without_granularities_or_timelines_shows_none(ran: Ran, tmp_path: Path) -> None:
    result = ran("uts", "--cases", "T1")
    assert {row["timeline"] for row in result["results"]} == {None}
    page = (tmp_path / "out/uts.html").read_text()
    assert "Timelines" not in page
    assert page.count("<svg") == 2


# ---- what the processes get, and what they have to give ----


def test_the_processes_get_what_the_protocol_says(build: FakeBuild) -> None:
    build.trouble_in("spawn/spawn-gnu-openmp", 'note="$OMP_STACKSIZE"')
    build.trouble_in("spawn/spawn-onetbb", 'note="none$OMP_STACKSIZE"')
    plan = plan_of(build, uts.STUDY, ["gnu-openmp", "onetbb"], "T3", "T3x4")
    measured = measure(plan, Silent())
    rest = "--batches 3 --batch-ms 7"
    starts = build.starts()
    for command in (
        f"spawn/spawn-serial --threads 1 --cpus 3,1 {rest} uts --tree T3 --granularity 1",
        f"spawn/spawn-pool --threads 2 --cpus 3,1 {rest} --policy private_deque uts --tree T3 "
        "--granularity 1 --timeline",
        f"spawn/spawn-gnu-openmp --threads 2 --cpus 3,1 {rest} uts --tree T3 --granularity 4",
    ):
        assert starts.count(command) == 3, command
    notes = {
        sample.runtime: sample.note for slot in measured.samples for sample in measured.of([slot])
    }
    assert (notes["gnu-openmp"], notes["onetbb"]) == ("96M", "none")
    beside = to_result(plan, measured, host_of(plan.build)).settings.beside
    assert beside["T3"] == {"gnu-openmp": "OMP_STACKSIZE=96M"}


def test_every_openmp_gets_a_stack_and_nobody_else() -> None:
    assert [name for name in (*POOLS, *PEERS, "serial") if T3.environment(name)] == OPENMP_PEERS


@pytest.mark.parametrize("key", ["nodes", "leaves", "depth"])
def test_a_count_that_is_not_the_published_one_is_a_wrong_result(key: str) -> None:
    whole = sample_of()
    T3.require_whole(whole)
    with pytest.raises(WrongResult, match=r"T3 has 4,112,897 nodes, 3,599,034 leaves, depth 1,572"):
        T3.require_whole(sample_of(**{key: getattr(whole, key) - 1}))


def test_a_timeline_with_other_tasks_than_the_tree_is_a_wrong_result() -> None:
    threads = [PRINTED["threads"][0]]
    with pytest.raises(WrongResult, match="the timeline of T3 has 4000000 tasks, not 4112897"):
        T3.require_whole(sample_of(timeline={**PRINTED, "threads": threads}))


@pytest.mark.parametrize(
    ("keys", "text"),
    [
        ({"tree": "T1"}, "answered with a search of something else"),
        ({"granularity": 2}, "answered with a search of something else"),
        ({"tasks": 4_112_896}, "had 4112896 tasks, not one for each node"),
        ({"timeline": None}, "gave no timeline"),
    ],
)
def test_half_a_sample_is_a_failure(keys: dict[str, Any], text: str) -> None:
    with pytest.raises(ProcessFailed, match=text) as raised:
        T3.require_whole(sample_of(**keys))
    assert not isinstance(raised.value, WrongResult)


def test_one_thread_owes_no_timeline() -> None:
    T3.require_whole(sample_of(threads=1, timeline=None))


@pytest.mark.parametrize(
    ("commands", "text"),
    [
        ("found=4112896", "wrong result from onetbb on T3, 2 threads: T3 has 4,112,897 nodes, "),
        ("noted=999999", "wrong result from onetbb on T3, 2 threads: the timeline of T3 has"),
    ],
)
def test_a_wrong_count_ends_the_run_and_leaves_no_file(
    refused: Refused, build: FakeBuild, commands: str, text: str
) -> None:
    build.trouble_in("spawn/spawn-onetbb", commands)
    refused("uts", "--cases", "T3", "--runtimes", "onetbb", text=text)


@pytest.mark.parametrize("busy", ["[[50, 40]]", "[[0, 50], [40, 60]]", "[]"])
def test_stretches_that_overlap_or_are_not_there_are_a_failure(
    ran: Ran, build: FakeBuild, busy: str
) -> None:
    build.trouble_in("spawn/spawn-onetbb", f"busy='{busy}'")
    (failed,) = ran("uts", "--cases", "T3", "--runtimes", "onetbb", status=1)["failed"]
    assert (failed["runtime"], failed["case"]) == ("onetbb", "T3, 2 threads")
    assert failed["reason"].startswith("printed no valid sample: timeline")


# ---- modes ----


def test_the_paper_s_own_tree_and_granularities(ran: Ran, build: FakeBuild) -> None:
    result = ran("uts", "--paper", "--runtimes", "gnu-openmp")
    assert (result["mode"], result["cases"]) == ("paper", ["T3L", "T3Lx5", "T3Lx10"])
    assert {row["threads"] for row in result["results"] if row["runtime"] != "serial"} == {2}
    assert result["checked"] == [
        "T3L: 111,345,631 nodes, 89,076,904 leaves, depth 17,844 in every search, as published"
    ]
    searches = [line.partition(" uts ")[2] for line in build.starts() if " uts " in line]
    assert set(searches) == {
        "--tree T3L --granularity 1",  # one thread
        "--tree T3L --granularity 1 --timeline",
        "--tree T3L --granularity 5",
        "--tree T3L --granularity 10",
    }


def test_a_mode_knows_its_own_cases_only(refused: Refused) -> None:
    refused(
        *("uts", "--paper", "--cases", "T3"),
        text="there is no case 'T3'; known are T3L, T3Lx5, T3Lx10",
        status=2,
    )
    refused("uts", "--cases", "T3L", text="no case 'T3L'; known are T1, T3, T3x4", status=2)


def test_list_names_the_cases_of_a_mode_that_has_others(
    lab: Lab, build: FakeBuild, capsys: pytest.CaptureFixture[str]
) -> None:
    assert lab("list", "--build", build.folder) == 0
    output = " ".join(capsys.readouterr().out.split())
    assert "--quick --full --paper case: T1 T3 T3x4 --full: T1 T3 T3x2 T3x5 T3x10" in output
    assert "--paper: T3L T3Lx5 T3Lx10" in output
    # One whose modes differ in the number of tasks only names its cases once.
    assert output.count("1ns 10ns 100ns 1000ns") == 1


@pytest.mark.parametrize(
    ("name", "case", "words"),
    [
        (
            "tasking-overhead",
            "10ns",
            "--batches 20 --batch-ms 30 flat --producers 1 --tasks 8000000 ",
        ),
        ("producers", "one-128", "--batches 12 --batch-ms 30 flat --producers 1 --tasks 16000000 "),
        ("producers", "half-128", "flat --producers 2 --tasks 8000000 "),
    ],
)
def test_the_loops_have_the_papers_own_sizes(
    ran: Ran, build: FakeBuild, name: str, case: str, words: str
) -> None:
    assert ran(name, "--paper", "--cases", case, "--runtimes", "onetbb")["mode"] == "paper"
    assert any(words in line for line in build.starts())


@pytest.mark.parametrize(
    ("name", "lines"),
    [
        ("spawn", ["checked: fib: the number, after every batch", "checked: tree: its leaves"]),
        ("producers", ["checked: flat loops: before the timing a loop ran each of its tasks"]),
        ("task-distribution", ["of every batch the tasks by thread add up to all"]),
    ],
)
def test_every_experiment_says_what_was_checked(
    ran: Ran, capsys: pytest.CaptureFixture[str], name: str, lines: list[str]
) -> None:
    ran(name, "--runtimes", "onetbb")
    output = " ".join(capsys.readouterr().out.split())
    assert all(output.count(line) == 1 for line in lines)


# ---- timelines ----


def test_a_part_s_share_is_the_time_at_work_in_it() -> None:
    timeline = in_parts(PRINTED)
    assert timeline is not None
    first, second = timeline.workers
    assert (first.cpu, first.tasks, first.busy) == (1, 4_000_000, 0.75)
    assert first.busy_by_part == [1.0] * (PARTS // 2) + [0.0] * (PARTS // 4) + [1.0] * (PARTS // 4)
    assert second.busy == 0.05
    at_work = PARTS // 10, PARTS * 15 // 100
    assert second.busy_by_part == [float(at_work[0] <= at < at_work[1]) for at in range(PARTS)]


def test_stretches_shorter_than_a_part_keep_their_share() -> None:
    # Ten in a part, each at work for a quarter of its time; the last one ends behind the end.
    busy = [[at, at + 0.25] for at in range(10 * PARTS - 1)] + [[10 * PARTS - 1, 10 * PARTS + 5]]
    threads = [{"cpu": 0, "tasks": 1, "busy": busy}]
    timeline = in_parts({"wall_ns": 10 * PARTS, "gap_ns": 0.1, "threads": threads})
    assert timeline is not None
    (worker,) = timeline.workers
    assert set(worker.busy_by_part[:-1]) == {0.25}
    assert worker.busy_by_part[-1] == pytest.approx((9 * 0.25 + 1) / 10)
    assert worker.busy == pytest.approx(0.25, abs=1e-3)


def test_workers_stand_in_the_order_of_the_cpus_and_idle_ones_last() -> None:
    timeline = in_parts(PRINTED)
    assert timeline is not None
    whole = timeline.of_all((3, 1, 0))
    assert [(worker.cpu, worker.busy) for worker in whole.workers] == [
        *((3, 0.05), (1, 0.75), (None, 0.0)),
    ]
    assert whole.workers[-1].busy_by_part == [0.0] * PARTS


def test_the_kept_timeline_is_that_of_the_median_search(build: FakeBuild) -> None:
    plan = plan_of(build, uts.STUDY, [], "T3")
    measured = Measured(floor_samples=[100.0])
    for runtime in ("ceiling", REFERENCE):
        measured.samples[Slot("T3", runtime, 2)] = {
            at: sample_of(timeline={**PRINTED, "wall_ns": wall})
            for at, wall in enumerate((3000.0, 1000.0, 2000.0))
        }
    measured.samples[Slot("T3", "serial", 1)] = {
        at: sample_of(threads=1, timeline=None) for at in range(3)
    }
    result = to_result(plan, measured, host_of(plan.build))
    row = result.row("T3", REFERENCE, 2)
    assert row is not None
    assert row.timeline is not None
    assert row.timeline.wall_ns == 2000
    assert [worker.cpu for worker in row.timeline.workers] == [3, 1]
    # The ceiling's would be of one of its processes.
    ceiling = result.row("T3", "ceiling", 2)
    assert ceiling is not None
    assert ceiling.timeline is None


def result_with(timeline: Timeline, result: Result) -> Result:
    rows = [
        row.model_copy(update={"timeline": timeline if row.runtime == REFERENCE else None})
        for row in result.results
    ]
    return result.model_copy(update={"results": rows})


def searched(plan: Plan, host: Host) -> Result:
    return to_result(plan, measure(plan, Silent()), host)


@pytest.mark.parametrize("workers", [2, 16, 192])
def test_a_figure_is_small_and_says_each_share(build: FakeBuild, workers: int) -> None:
    plan = plan_of(build, uts.STUDY, [], "T3")
    restless = [0.1 * (at % 10) for at in range(PARTS)]
    timeline = Timeline(
        wall_ns=3e6,
        gap_ns=2000,
        workers=[
            Worker(cpu=cpu, tasks=1, busy=0.45 if cpu else 1.0, busy_by_part=restless)
            for cpu in range(workers)
        ],
    )
    result = result_with(timeline, searched(plan, host_of(plan.build)))
    (figure,) = timeline_plots.timelines(result)
    assert figure.caption == f"{REFERENCE}: T3, 2 threads, 3 ms"
    assert figure.svg.count("45 % busy") == workers - 1
    assert figure.svg.count("100 % busy") == 1
    assert len(figure.svg) < (100_000 if workers <= 16 else 400_000)


def test_many_workers_have_the_extremes_in_the_table(build: FakeBuild) -> None:
    plan = plan_of(build, uts.STUDY, [], "T3")
    workers = [
        Worker(cpu=cpu, tasks=1, busy=busy, busy_by_part=[busy] * PARTS)
        for cpu, busy in enumerate((0.5, 0.1, 0.75, 1.0, 0.9))
    ]
    timeline = Timeline(wall_ns=3e6, gap_ns=2000, workers=workers)
    result = result_with(timeline, searched(plan, host_of(plan.build)))
    (shares,) = uts.STUDY.tables(uts.STUDY, result)
    assert list(shares.columns) == ["least", "median", "most", "search, ms"]
    assert list(shares.rows) == [(REFERENCE, ["10 %", "75 %", "100 %", "3"])]
