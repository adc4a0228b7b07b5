# SPDX-License-Identifier: Apache-2.0
"""The tree search: what is asked for and held against what is published; when workers were busy."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
from conftest import Lab, Ran, Refused
from fakes import FakeBuild
from fakes_micro import SPAWN_CENTI_NS
from runs import result_of, sampled
from test_tasking import OPENMP_PEERS, PEERS, POOLS, output, plan_of, slot_of, tables_of

from finegrain_lab.experiments import timelines
from finegrain_lab.experiments.timelines import PARTS, Timeline, Worker
from finegrain_lab.experiments.uts import UTS, UtsCase, UtsSample
from finegrain_lab.run.experiment import Plan, Slot
from finegrain_lab.run.processes import WrongResult
from finegrain_lab.run.shapes import fit
from finegrain_lab.show.draw import draw
from finegrain_lab.show.result import Result

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


def printed(of: Slot, **keys: Any) -> dict[str, Any]:
    """What a program prints of a whole search of T3, but for these keys, as far as it is kept."""
    whole = {
        **{"tree": "T3", "granularity": 1, "tasks": 4_112_897, "nodes": 4_112_897},
        **{"leaves": 3_599_034, "depth": 1_572, "timeline": PRINTED},
    }
    kept: dict[str, Any] = timelines.kept(output(of, [25.0, 26.0, 24.0], **{**whole, **keys}))
    return kept


def sample_of(threads: int = 2, **keys: Any) -> UtsSample:
    found: UtsSample = fit(printed(slot_of("T3", REFERENCE, threads), **keys), UtsSample)
    return found


def in_parts(noted: Mapping[str, Any]) -> Timeline:
    """The timeline that is kept of one that was printed."""
    found: Timeline = fit(timelines.kept({"timeline": noted})["timeline"], Timeline)
    return found


T3 = UtsCase("T3", tree="T3", with_timeline=True)


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
    assert result["settings"]["checked"] == [
        "T1: 4,130,071 nodes, 3,305,118 leaves, depth 10 in every search, as published",
        "T3: 4,112,897 nodes, 3,599,034 leaves, depth 1,572 in every search, as published",
    ]
    with_timeline = {key for key, row in rows.items() if row["timeline"]}
    assert with_timeline == {("T3", name, 2) for name in contestants}
    assert [worker["busy"] for worker in rows["T3", "gnu-openmp", 2]["timeline"]["workers"]] == [
        *(1.0, 0.5)
    ]

    said = " ".join(capsys.readouterr().out.split())
    assert all(f"checked: {line}" in said for line in result["settings"]["checked"])
    assert "T1: pool-private_deque on 2 threads: 0.110 s (0.11 to 0.11), 0.970 of the" in said
    assert f"of the ceiling, first of {len(contestants)} " in said
    assert re.search(r"worker was busy, T3, 2 threads .* gnu-openmp 100 % 50 % 0 ", said)
    assert "the paper: 192 threads: X-OpenMP with static round robin is the fastest" in said
    page = (tmp_path / "out/uts.html").read_text()
    assert page.count(">50 % busy<") == len(contestants)
    assert "<h2>Timelines</h2>" in page
    assert "checked: T1: 4,130,071 nodes" in page


def test_the_header_says_who_is_faster_than_the_reference(build: FakeBuild) -> None:
    plan = plan_of(build, UTS, ["onetbb", "gnu-openmp"], "T1")
    result = searched(plan)
    assert UTS.header(result)[-1].endswith("of the ceiling, first of 3")
    for row in result.rows:
        row["of_reference"] = 0.9 if row.runtime == "onetbb" else row.of_reference
    assert UTS.header(result)[-1].endswith("of the ceiling, behind onetbb")


def test_a_run_without_granularities_or_timelines_shows_none(ran: Ran, tmp_path: Path) -> None:
    result = ran("uts", "--cases", "T1")
    assert [row["timeline"] for row in result["results"]] == [None] * len(result["results"])
    page = (tmp_path / "out/uts.html").read_text()
    assert "Timelines" not in page
    assert page.count("<svg") == 2


# ---- what the processes get, and what they have to give ----


def test_the_processes_get_what_the_protocol_says(build: FakeBuild) -> None:
    build.trouble_in("spawn/spawn-gnu-openmp", 'note="$OMP_STACKSIZE"')
    build.trouble_in("spawn/spawn-onetbb", 'note="none$OMP_STACKSIZE"')
    plan = plan_of(build, UTS, ["gnu-openmp", "onetbb"], "T3", "T3x4")
    samples = sampled(UTS, plan).samples
    rest = "--batches 3 --batch-ms 7"
    starts = build.starts()
    for command in (
        f"spawn/spawn-serial --threads 1 --cpus 3,1 {rest} uts --tree T3 --granularity 1",
        f"spawn/spawn-pool --threads 2 --cpus 3,1 {rest} --policy private_deque uts --tree T3 "
        "--granularity 1 --timeline",
        f"spawn/spawn-gnu-openmp --threads 2 --cpus 3,1 {rest} uts --tree T3 --granularity 4",
    ):
        assert starts.count(command) == 3, command
    notes = {row.runtime: sample.note for row in samples.by_row for sample in samples.of([row])}
    assert (notes["gnu-openmp"], notes["onetbb"]) == ("96M", "none")
    assert plan.settings["beside"]["T3"] == {"gnu-openmp": "OMP_STACKSIZE=96M"}


def test_every_openmp_gets_a_stack_and_nobody_else() -> None:
    assert [name for name in (*POOLS, *PEERS, "serial") if T3.environment(name)] == OPENMP_PEERS


@pytest.mark.parametrize("key", ["nodes", "leaves", "depth"])
def test_a_count_that_is_not_the_published_one_is_a_wrong_result(key: str) -> None:
    whole = sample_of()
    assert T3.complaint(whole) == ""
    with pytest.raises(WrongResult, match=r"T3 has 4,112,897 nodes, 3,599,034 leaves, depth 1,572"):
        T3.complaint(sample_of(**{key: getattr(whole, key) - 1}))


def test_a_timeline_with_other_tasks_than_the_tree_is_a_wrong_result() -> None:
    threads = [PRINTED["threads"][0]]
    with pytest.raises(WrongResult, match="the timeline of T3 has 4000000 tasks, not 4112897"):
        T3.complaint(sample_of(timeline={**PRINTED, "threads": threads}))


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
    assert T3.complaint(sample_of(**keys)) == text


def test_one_thread_owes_no_timeline() -> None:
    assert T3.complaint(sample_of(threads=1, timeline=None)) == ""


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
    assert result["settings"]["checked"] == [
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
    said = " ".join(capsys.readouterr().out.split())
    assert "--quick --full --paper case: T1 T3 T3x4 --full: T1 T3 T3x2 T3x5 T3x10" in said
    assert "--paper: T3L T3Lx5 T3Lx10" in said
    # One whose modes differ in the number of tasks only names its cases once.
    assert said.count("1ns 10ns 100ns 1000ns") == 1


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
    said = " ".join(capsys.readouterr().out.split())
    assert all(said.count(line) == 1 for line in lines)


# ---- timelines ----


def test_a_part_s_share_is_the_time_at_work_in_it() -> None:
    timeline = in_parts(PRINTED)
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
    (worker,) = timeline.workers
    assert set(worker.busy_by_part[:-1]) == {0.25}
    assert worker.busy_by_part[-1] == pytest.approx((9 * 0.25 + 1) / 10)
    assert worker.busy == pytest.approx(0.25, abs=1e-3)


def test_workers_stand_in_the_order_of_the_cpus_and_idle_ones_last() -> None:
    timeline = in_parts(PRINTED)
    whole = timeline.of_all((3, 1, 0))
    assert [(worker.cpu, worker.busy) for worker in whole.workers] == [
        *((3, 0.05), (1, 0.75), (None, 0.0)),
    ]
    assert whole.workers[-1].busy_by_part == [0.0] * PARTS


def test_what_is_no_timeline_is_recorded_as_it_is() -> None:
    no_threads = {"timeline": {**PRINTED, "threads": []}}
    others: list[Any] = ["no JSON", None, [], {}, {"timeline": None}, no_threads]
    for said in others:
        assert timelines.kept(said) == said


def test_the_kept_timeline_is_that_of_the_median_search(build: FakeBuild) -> None:
    walls = (3000.0, 1000.0, 2000.0)
    outputs: dict[Slot, list[dict[str, Any]]] = {
        of: [printed(of, timeline={**PRINTED, "wall_ns": wall}) for wall in walls]
        for of in (slot_of("T3", runtime, 2) for runtime in ("ceiling", REFERENCE))
    }
    outputs[slot_of("T3", "serial", 1)] = [
        printed(slot_of("T3", "serial", 1), timeline=None) for _ in range(3)
    ]
    result = result_of(UTS, plan_of(build, UTS, [], "T3"), outputs)
    # The ceiling's would be of one of its processes.
    (shown,) = timelines.in_result(result, "T3").items()
    assert shown[0] == REFERENCE
    assert shown[1].wall_ns == 2000
    assert [worker.cpu for worker in shown[1].workers] == [3, 1]


def test_a_file_keeps_the_parts_and_not_the_stretches(ran: Ran, tmp_path: Path) -> None:
    ran("uts", "--cases", "T3", "--runtimes", "onetbb")
    text = (tmp_path / "out/uts.jsonl").read_text()
    assert '"busy_by_part"' in text
    assert '"busy": [[' not in text


def result_with(timeline: Timeline, result: Result) -> Result:
    for row in result.rows:
        row["timeline"] = timeline if row.runtime == REFERENCE else None
    return result


def searched(plan: Plan) -> Result:
    """What the fakes' searches come to."""
    samples = sampled(UTS, plan).samples
    outputs: dict[Slot, Sequence[Any]] = {
        row: [asdict(sample) for sample in rounds.values()]
        for row, rounds in samples.by_row.items()
    }
    return result_of(UTS, plan, outputs, found=samples.settings)


@pytest.mark.parametrize("workers", [2, 16, 192])
def test_a_figure_is_small_and_says_each_share(build: FakeBuild, workers: int) -> None:
    restless = [0.1 * (at % 10) for at in range(PARTS)]
    timeline = Timeline(
        wall_ns=3e6,
        gap_ns=2000,
        workers=[
            Worker(cpu=cpu, tasks=1, busy=0.45 if cpu else 1.0, busy_by_part=restless)
            for cpu in range(workers)
        ],
    )
    result = result_with(timeline, searched(plan_of(build, UTS, [], "T3", cpus=(0, 1))))
    (figure,) = timelines.figures(result)
    assert figure.caption == f"{REFERENCE}: T3, 2 threads, 3 ms"
    svg = draw(figure).svg
    assert svg.count("45 % busy") == workers - 1
    assert svg.count("100 % busy") == 1
    assert len(svg) < (100_000 if workers <= 16 else 400_000)


def test_many_workers_have_the_extremes_in_the_table(build: FakeBuild) -> None:
    workers = [
        Worker(cpu=cpu, tasks=1, busy=busy, busy_by_part=[busy] * PARTS)
        for cpu, busy in enumerate((0.5, 0.1, 0.75, 1.0, 0.9))
    ]
    timeline = Timeline(wall_ns=3e6, gap_ns=2000, workers=workers)
    result = result_with(timeline, searched(plan_of(build, UTS, [], "T3")))
    (shares,) = tables_of(UTS, result, "each worker was busy")
    assert list(shares.heads) == ["runtime", "least", "median", "most", "search, ms"]
    assert shares.lines == [[REFERENCE, "10 %", "75 %", "100 %", "3"]]
