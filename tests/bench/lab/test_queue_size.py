# SPDX-License-Identifier: Apache-2.0
"""queue-size: who takes part at which size, what each is told, what the time is held against."""

import dataclasses
import json
from pathlib import Path

import pytest
from conftest import Ran, Refused, Silent, host_of
from fakes import CRASH, FakeBuild
from test_tasking import PEERS, SHORT, fill, plan_of

from finegrain_lab.runtimes import SERIAL, load_build
from finegrain_lab.tasking import queue_size
from finegrain_lab.tasking.contestants import REFERENCE, choose
from finegrain_lab.tasking.evaluate import to_result
from finegrain_lab.tasking.measure import Measured, Slot, measure

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
    plan = plan_of(build, queue_size.STUDY, names, "4", "256", "growing")
    measured = measure(plan, Silent())
    steps = measured.spin_steps_per_us
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
        (slot.runtime, slot.case): {sample.note for sample in rounds.values()}
        for slot, rounds in measured.samples.items()
        if slot.runtime in names[2:]
    }
    assert notes == {
        ("llvm-openmp", "256"): {"throttling "},
        ("llvm-openmp", "growing"): {"throttling 0"},
        ("gnu-openmp", "growing"): {"throttling "},
    }
    settings = to_result(plan, measured, host_of(plan.build)).settings
    assert settings.beside == {
        "4": {"pool-xqueue_static": "--queue-capacity 4"},
        "256": {"pool-xqueue_static": "--queue-capacity 256"},
        "growing": {"llvm-openmp": "KMP_ENABLE_TASK_THROTTLING=0"},
    }


def test_the_time_is_held_against_that_of_perfect_balance(build: FakeBuild) -> None:
    plan = plan_of(build, queue_size.STUDY, [], "16")
    (case,) = plan.cases
    assert isinstance(case, queue_size.QueueCase)
    assert case.ideal_ns == 10 * 5_000_000 + 40_000 * 100
    measured = Measured(floor_samples=[100.0])
    fill(measured, Slot("16", SERIAL, 1), 5.4e6, 5.4e6)  # of each of its 10 tasks
    fill(measured, Slot("16", REFERENCE, 2), 10.8e6, 5.4e6)
    result = to_result(plan, measured, host_of(plan.build))
    assert [row.value for row in result.results] == [1.0, 1.5]
    (table,) = queue_size.STUDY.tables(queue_size.STUDY, result)
    assert table.columns == ["16"]
    assert list(table.rows) == [("ideal", ["54.0"]), (SERIAL, ["54.0"]), (REFERENCE, ["81.0"])]


def test_the_paper_s_own_ideal_is_ten_seconds_and_less_than_one(build: FakeBuild) -> None:
    del build
    for mode, ideal_ms in {"quick": 54, "full": 216, "paper": 10_800}.items():
        cases = queue_size.STUDY.cases_of(mode)
        assert [case.name for case in cases] == [*SIZES, "growing"]
        for case in cases:
            assert isinstance(case, queue_size.QueueCase)
            assert case.ideal_ns / 1e6 == ideal_ms


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
    assert "<td>ideal</td><td>54.0</td>" in page
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
    plan = plan_of(build, queue_size.STUDY, names, "16", "growing")
    assert measure(dataclasses.replace(plan, mode=steady), Silent()).rounds == 4


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
