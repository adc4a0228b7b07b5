# SPDX-License-Identifier: Apache-2.0
"""queue-size: who takes part at which size, what each is told, what the time is held against."""

import dataclasses
import json
import re
from pathlib import Path

import pytest
from conftest import Ran, Refused
from fakes import CRASH, FakeBuild
from runs import result_of, sampled
from test_tasking import PEERS, SHORT, filled, plan_of, rounds_of, rows_of, slot_of, tables_of

from finegrain_lab.experiments import queue_size
from finegrain_lab.experiments.queue_size import QUEUE_SIZE
from finegrain_lab.experiments.spawning import REFERENCE, choose
from finegrain_lab.run.runtimes import SERIAL, load_build

POLICIES = ["private_deque", "xqueue_static", "combining", "chase_lev"]
SIZES = ["4", "16", "64", "256"]

pytestmark = pytest.mark.usefixtures("two_cpus")


@pytest.fixture(autouse=True)
def bounded_pools(build: FakeBuild) -> None:
    """A pool that has policies with bounded queues too."""
    listed = json.dumps({"runtime": "pool", "policies": POLICIES})
    build.trouble_in("spawn/spawn-pool", f"[ -n \"$list\" ] && {{ echo '{listed}'; exit; }}")


def test_every_size_has_the_runtimes_whose_queues_are_so(ran: Ran) -> None:
    result = ran("queue-size")
    found: dict[str, list[str]] = {}
    for row in result["results"]:
        found.setdefault(row["case"], []).append(row["runtime"])
    set_by_option = [SERIAL, REFERENCE, "pool-xqueue_static", "pool-combining"]
    assert found == {
        **dict.fromkeys(("4", "16", "64"), set_by_option),
        "256": [*set_by_option, "llvm-openmp", "intel-openmp"],
        "growing": [SERIAL, REFERENCE, "pool-chase_lev", *PEERS],
    }
    assert result["failed"] == []


def test_who_can_set_the_size_is_told_it_and_the_others_grow(build: FakeBuild) -> None:
    build.trouble_in("spawn/spawn-llvm-openmp", 'note="throttling $KMP_ENABLE_TASK_THROTTLING"')
    build.trouble_in("spawn/spawn-gnu-openmp", 'note="throttling $KMP_ENABLE_TASK_THROTTLING"')
    loaded = load_build(build.folder)
    names = ["pool-xqueue_static", "pool-chase_lev", "llvm-openmp", "gnu-openmp"]
    assert [c.name for c in choose(loaded, names)] == [REFERENCE, *names[:2], *reversed(names[2:])]
    plan = plan_of(build, QUEUE_SIZE, names, "4", "256", "growing")
    run = sampled(QUEUE_SIZE, plan)
    steps = run.found["spin_steps_per_us"]
    load = (
        f"flat --producers 2 --tasks 40000 --delay-ns 100 --spin-steps-per-us {steps!r} "
        "--long-tasks 20 --long-ns 5000000"
    )
    pool = "spawn/spawn-pool --threads 2 --cpus 3,1 --batches 3 --batch-ms 7 --policy"
    starts = build.starts()
    assert {line: starts.count(line) for line in starts if "spawn-pool --threads" in line} == {
        f"{pool} private_deque {load}": 3 * 3,  # in every size, and never told one
        f"{pool} xqueue_static --queue-capacity 4 {load}": 3,
        f"{pool} xqueue_static --queue-capacity 256 {load}": 3,
        f"{pool} chase_lev {load}": 3,
    }
    alone = load.replace("--producers 2", "--producers 1").replace(
        "--long-tasks 20", "--long-tasks 10"
    )
    serial = f"spawn/spawn-serial --threads 1 --cpus 3,1 --batches 3 --batch-ms 7 {alone}"
    assert starts.count(serial) == 3 * 3
    notes = {
        (row.runtime, row.case): {sample.note for sample in rounds.values()}
        for row, rounds in run.samples.by_row.items()
        if row.runtime in names[2:]
    }
    assert notes == {
        ("llvm-openmp", "256"): {"throttling "},
        ("llvm-openmp", "growing"): {"throttling 0"},
        ("gnu-openmp", "growing"): {"throttling "},
    }
    assert plan.settings["beside"] == {
        "4": {"pool-xqueue_static": "--queue-capacity 4"},
        "256": {"pool-xqueue_static": "--queue-capacity 256"},
        "growing": {"llvm-openmp": "KMP_ENABLE_TASK_THROTTLING=0"},
    }


def test_the_time_is_held_against_that_of_perfect_balance(build: FakeBuild) -> None:
    assert queue_size.ideal_ns(40_000) == 10 * 5_000_000 + 40_000 * 100
    alone, both = slot_of("16", SERIAL, 1), slot_of("16", REFERENCE, 2)
    result = result_of(
        QUEUE_SIZE,
        plan_of(build, QUEUE_SIZE, [], "16"),
        {
            **filled(alone, 54e6 / 40_010, 54e6 / 40_010, tasks=40_010),
            **filled(both, 108e6 / 80_020, 54e6 / 80_020, tasks=80_020),
        },
    )
    assert [row.value for row in result.rows] == pytest.approx([1.0, 1.5])
    (table,) = tables_of(QUEUE_SIZE, result, "by slots of a queue")
    assert list(table.heads) == ["runtime", "16"]
    assert rows_of(table) == {"ideal": ["54.0"], SERIAL: ["54.0"], REFERENCE: ["81.0"]}


def test_the_paper_s_own_ideal_is_ten_seconds_and_less_than_one() -> None:
    for mode, ideal_ms in {"quick": 54, "full": 216, "paper": 10_800}.items():
        cases = queue_size.CASES[mode]
        assert [case.name for case in cases] == [*SIZES, "growing"]
        for case in cases:
            assert case.tasks_each is not None
            assert queue_size.ideal_ns(case.tasks_each) / 1e6 == ideal_ms
            assert 10 * case.long_ns + case.tasks_each * 100 == ideal_ms * 1e6


def test_a_whole_run_names_what_it_is_scaled_down_by(
    ran: Ran, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    result = ran("queue-size")
    size = (
        "10 tasks of 5 ms for each thread, all spawned by one, and 40,000 of 100 ns by each; "
        "lengths and numbers 1/200 of the paper's"
    )
    assert result["settings"]["sizes"] == dict.fromkeys((*SIZES, "growing"), size)
    output = " ".join(capsys.readouterr().out.split())
    assert f"4, 16, 64, 256, growing: {size}" in output
    assert "ideal 54.0 54.0 54.0 54.0 54.0 serial " in output
    rows = {(row["case"], row["runtime"]): row for row in result["results"]}
    # The fake of a queue of 4 takes a quarter longer.
    four, most = (rows[case, "pool-xqueue_static"]["value"] for case in ("4", "256"))
    assert four / most == pytest.approx(1.25 / (257 / 256), rel=1e-3)
    assert rows["256", "llvm-openmp"]["value"] == rows["growing", "llvm-openmp"]["value"]
    page = (tmp_path / "out/queue-size.html").read_text()
    assert re.search(r"<td>ideal</td>\s*<td>54\.0</td>", page)
    assert "with perfect load balancing" in page


def test_paper_runs_the_paper_s(ran: Ran, build: FakeBuild) -> None:
    result = ran("queue-size", "--paper", "--cases", "16", "--runtimes", "pool-combining")
    assert result["mode"] == "paper"
    assert result["settings"]["sizes"]["16"].endswith("; as in the paper")
    assert any(
        "--queue-capacity 16 flat --producers 2 --tasks 8000000 " in start
        and start.endswith("--long-tasks 20 --long-ns 1000000000")
        for start in build.starts()
    )


def test_it_converges_over_those_that_take_part(build: FakeBuild) -> None:
    steady = dataclasses.replace(
        SHORT, min_rounds=2, max_rounds=6, converged_rounds=4, converged_half_width=0.02
    )
    names = ["pool-xqueue_static", "intel-openmp"]
    plan = plan_of(build, QUEUE_SIZE, names, "16", "growing", mode=steady)
    assert rounds_of(QUEUE_SIZE, plan) == 4


def test_one_that_fails_at_a_size_is_left_out_there(ran: Ran, build: FakeBuild) -> None:
    build.trouble_in(
        "spawn/spawn-llvm-openmp", f'[ -n "$KMP_ENABLE_TASK_THROTTLING" ] && {{ {CRASH}; }}'
    )
    result = ran("queue-size", "--runtimes", "llvm-openmp", status=1)
    assert result["failed"] == [
        {"runtime": "llvm-openmp", "case": "growing, 2 threads", "reason": "exit status 1: boom"}
    ]
    assert [row["case"] for row in result["results"] if row["runtime"] == "llvm-openmp"] == ["256"]


def test_the_reference_is_needed_at_every_size(refused: Refused, build: FakeBuild) -> None:
    listed = json.dumps({"runtime": "pool", "policies": POLICIES})
    build.trouble_in(
        "spawn/spawn-pool",
        f"""[ -n "$list" ] && {{ echo '{listed}'; exit; }}
        [ "$policy" = private_deque ] && {{ {CRASH}; }}""",
    )
    refused("queue-size", "--cases", "16", text="pool-private_deque on 16, 2 threads failed")
