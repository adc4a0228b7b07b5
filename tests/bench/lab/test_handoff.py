# SPDX-License-Identifier: Apache-2.0
"""handoff: groups and pairing, placements, instructions, and every way to fail."""

import dataclasses
import json
import random
import re
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
import runs
from conftest import Ran, Refused, WholeRun
from fakes import CRASH, KILLED, WRONG_RESULT, FakeBuild
from fakes_micro import INFO, QUEUE_HOW_TO_GET, ROUND_TRIP_NS
from runs import sampled, short

from finegrain_lab.experiments.handoff import (
    CASES,
    EMPTY_CASES,
    HANDOFF,
    MODES,
    NOT_INSTALLED,
    VALGRIND,
    floor_of,
    headlines,
    tasks_of,
    total_of,
)
from finegrain_lab.experiments.handoff_rows import EMPTY
from finegrain_lab.run.experiment import Plan, Slot
from finegrain_lab.run.processes import ProcessFailed
from finegrain_lab.run.sampling import Sampling, shuffled_groups
from finegrain_lab.show.result import Result, load
from finegrain_lab.show.views import page_of

NEAR, FAR = "shared_l3", "other_package"
SHORT = short(MODES["quick"], batches=2)

pytestmark = pytest.mark.usefixtures("two_cpus", "fake_valgrind")


def plan_of(
    build: FakeBuild, runtimes: list[str] | None = None, cases: Sequence[str] = CASES
) -> Plan:
    return runs.plan_of(HANDOFF, build, SHORT, runtimes=runtimes, cases=cases)


def result_after(run: Sampling) -> Result:
    """The result of a run that sampled a plan to its end."""
    outputs = {
        slot: [dataclasses.asdict(sample) for sample in by_round.values()]
        for slot, by_round in run.samples.by_row.items()
    }
    return runs.result_of(HANDOFF, run.plan, outputs, run.found, run.samples.failed)


def output(slot: Slot, ns: Sequence[float]) -> dict[str, Any]:
    about = {"runtime": slot.runtime, "policy": slot.policy, "case": slot.case}
    return {**about, "ns": ns, "main_cpu": 0, "task_cpus": [1]}


def slot_of(case: str, runtime: str, policy: str) -> Slot:
    return Slot.of(case, runtime, policy=policy, placement=NEAR, group=case)


def times(case: str) -> float:
    """How many times as long as an empty round trip it takes in the fakes."""
    return 1 / 3 if case.startswith("burst") else 2 if case == "reference-out" else 1


def say_far_placement(build: FakeBuild) -> None:
    """Lets finegrain-info have a second pair."""
    info = json.loads(INFO)
    info["placements"].append({"kind": FAR, "main_cpu": 0, "assistant_cpu": 4})
    build.say("info", json.dumps(info))


def test_the_floor_is_in_every_group_once_and_all_but_empty_is_of_those_who_carry_tasks(
    build: FakeBuild,
) -> None:
    say_far_placement(build)
    cases = ("empty", "burst-4", "value-in")
    groups = plan_of(build, cases=cases).groups
    assert [(group[0].placement, group[0].group) for group in groups] == [
        (kind, case) for kind in (NEAR, FAR) for case in cases
    ]
    for group in groups:
        assert len(group) == len(set(group))
        assert sum(slot == floor_of(slot) for slot in group) == 1
        assert len({(slot.placement, slot.group) for slot in group}) == 1
    floors = {"floor-one-line", "floor-two-line"}
    assert floors <= {slot.runtime for slot in groups[0]}
    assert len(groups[0]) == 2 + 2 + 3 + 1 + 2 + 1
    for group in groups[1:3]:
        assert [slot.runtime for slot in group if slot.runtime in floors] == ["floor-one-line"]
        assert len(group) == 1 + 3 + 1 + 2 + 1


def test_groups_stay_together_and_their_order_changes() -> None:
    order = random.Random(1)
    groups = [[Slot(EMPTY, name) for name in names] for names in ("abcd", "xyz")]
    rounds = [[slot.runtime for slot in shuffled_groups(order, groups)] for _ in range(20)]
    assert all(sorted(steps[:4]) == ["a", "b", "c", "d"] for steps in rounds)
    assert len({tuple(steps[:4]) for steps in rounds}) > 10
    assert len({tuple(steps[4:]) for steps in rounds}) > 4


def test_ratios_are_of_the_same_round_and_of_the_floor_in_the_same_group(build: FakeBuild) -> None:
    plan = plan_of(build, ["relic", "boost-spsc"], ("empty", "burst-64"))
    outputs = {slot: [output(slot, [100.0])] * 3 for slot in plan.slots}  # what is not looked at

    def say(slot: Slot, *by_round: Sequence[float]) -> None:
        assert slot in outputs
        outputs[slot] = [output(slot, ns) for ns in by_round]

    # The host slows down by three in round 2. Relic over the floor: 1.1, 1.2, 1.1; the ratio of the
    # medians would be 220 / 110 = 2.
    say(slot_of("empty", "floor-one-line", "spin_pause"), [90.0, 100.0, 300.0], [110.0], [300.0])
    say(slot_of("empty", "relic", "spin"), [110.0], [132.0], [330.0])
    say(slot_of("empty", "relic", "spin_then_sleep"), [120.0], [132.0], [330.0])
    # Boost over relic's default: 2, 3, 2.
    say(slot_of("empty", "boost-spsc", "spin_pause"), [240.0], [396.0], [660.0])
    # A task of a burst over the round trip: 1/4, 1/4, 1/10.
    burst = slot_of("burst-64", "relic", "spin_then_sleep")
    say(burst, [30.0], [33.0], [33.0])
    # The floor beside the burst is another one: 30/60, 33/66 and 33/110 of it.
    say(floor_of(burst), [60.0], [66.0], [110.0])
    result = runs.result_of(HANDOFF, plan, outputs)

    (row,) = result.rows_of(case="empty", runtime="relic", policy="spin", placement=NEAR)
    assert row.of_floor == pytest.approx(1.1)
    assert row.of_floor_ci95 == pytest.approx((1.1, 1.2))
    assert (row.ns, row.samples) == (132.0, [110.0, 132.0, 330.0])
    assert (row.main_cpu, row.task_cpus) == (0, [1])
    (burst_row,) = result.rows_of(case="burst-64", runtime="relic", policy="spin_then_sleep")
    assert burst_row.of_floor == pytest.approx(0.5)
    assert not result.rows_of(case="burst-64", runtime="floor-one-line")
    by_runtime = {line["runtime"]: line for line in headlines(result, NEAR)}
    assert by_runtime["boost-spsc"]["policy"] == "spin_pause"
    assert by_runtime["boost-spsc"]["of_relic"] == pytest.approx(2.0)
    assert by_runtime["relic"]["policy"] == "spin_then_sleep"
    assert by_runtime["relic"]["of_relic"] is None
    assert by_runtime["relic"]["burst_64_of_empty"] == pytest.approx(0.25)
    assert by_runtime["floor-one-line"]["burst_64_of_empty"] is None
    assert sorted(result.floor_samples) == [
        *(60.0, 66.0, 90.0, 100.0),
        *(110.0,) * 2,
        *(300.0,) * 2,
    ]
    assert result.floor_ns == pytest.approx((100 + 110) / 2)


def test_a_whole_run(whole: WholeRun) -> None:
    result = whole("handoff").file
    kept = {(r["case"], r["runtime"], r["policy"], r["placement"]) for r in result["results"]}
    relics = {
        (case, "relic", policy, "shared_l3")
        for case in CASES
        for policy in ("spin_then_sleep", "spin_pause", "spin")
    }
    assert relics <= kept
    assert len(kept) == 4 + 13 * (3 + 1 + 2 + 1)
    for row in result["results"]:
        assert row.keys() == {
            *("case", "runtime", "policy", "placement", "group", "ns", "ns_ci95", "of_floor"),
            *("of_floor_ci95", "main_cpu", "task_cpus", "samples"),
        }
        expected = ROUND_TRIP_NS[row["runtime"]] * times(row["case"])
        assert row["ns"] == pytest.approx(expected, rel=0.02)
        assert row["of_floor"] == pytest.approx(expected / 150, rel=0.02)
        assert row["of_floor_ci95"][0] <= row["of_floor"] <= row["of_floor_ci95"][1]
    lines = headlines(whole("handoff").result, NEAR)
    assert [line["runtime"] for line in lines] == list(ROUND_TRIP_NS)
    instructions = {case: 256 / tasks_of(case) for case in EMPTY_CASES}
    assert result["settings"]["instructions"] == instructions
    assert result["missing"] == [{"runtime": "moodycamel-rw", "how_to_get": QUEUE_HOW_TO_GET}]
    assert result["settings"]["placements"] == {NEAR: [0, 1]}
    assert result["settings"]["policies"]["relic"][0] == "spin_then_sleep"
    assert result["settings"]["versions"]["boost-spsc"] == "1.74"
    assert result["host"]["placement"] == "shared_l3, as finegrain-info has it"
    assert result["notes"] == {"relic": ["relic says"]}
    assert len(result["floor_samples"]) == 3 * len(CASES) * MODES["quick"]["batches"]


def test_relic_s_answer_and_every_policy_are_in_the_table(
    ran: Ran, capsys: pytest.CaptureFixture[str]
) -> None:
    ran("handoff", "--cases", "empty,burst-2,burst-64")
    output = " ".join(capsys.readouterr().out.split())
    assert re.search(
        r"relic \(spin_then_sleep, shared_l3\): a round trip of 16\d ns, 1\.1\d "
        r"\[1\.\d\d, 1\.\d\d\] of the floor; a task in a burst of 64 costs 0\.3[34] of it",
        output,
    )
    number = r"56\.\d"
    assert re.search(
        rf"spin_then_sleep 16\d 1\.1\d ±0\.0\d {number} {number} relic spin_pause 16", output
    )
    assert re.search(
        r"floor-two-line spin_pause 21\d 1\.4\d ±0\.0\d floor-two-line spin 21", output
    )
    assert f"moodycamel-rw: not installed: {QUEUE_HOW_TO_GET}" in output
    counts = "empty 256.0; burst-2 128.0; burst-64 4.0"
    assert f"on the main thread, instructions a task: {counts}" in output


def test_every_mode_gives_fifty_batches_of_the_floor() -> None:
    assert all(mode.min_rounds * len(CASES) * mode["batches"] >= 50 for mode in MODES.values())


def test_the_processes_get_what_the_protocol_says(build: FakeBuild) -> None:
    sampled(HANDOFF, plan_of(build, ["relic"], ("burst-8",)))
    starts = build.starts()
    assert starts[:2] == ["finegrain-info --json --no-measure", "handoff --list"]
    arguments = f"--cpus 0,1 --batches 2 --round-trips {SHORT['round_trips']}"
    relic = f"handoff --runtime relic --policy spin --case burst-8 {arguments}"
    floor = f"handoff --runtime floor-one-line --policy spin_pause --case empty {arguments}"
    assert starts.count(relic) == starts.count(floor) == 3
    (callgrind,) = (line for line in starts if line.startswith("valgrind"))
    program = build.folder / "bench/handoff-instructions"
    assert callgrind.startswith(
        "valgrind --tool=callgrind --collect-atstart=no "
        "--toggle-collect=submit_part --toggle-collect=wait_part --callgrind-out-file="
    )
    assert callgrind.endswith(f" {program} --case burst-8 --repeat 100")
    # Once to ask for the functions, once under callgrind.
    assert starts.count("handoff-instructions --case burst-8 --repeat 100") == 2


def test_without_relic_no_instructions_are_counted(build: FakeBuild) -> None:
    result = result_after(sampled(HANDOFF, plan_of(build, ["boost-spsc"], ("empty",))))
    assert result.settings.instructions == {}
    assert not any(line.startswith("valgrind") for line in build.starts())
    assert [line["of_relic"] for line in headlines(result, NEAR)] == [None, None]


def test_without_valgrind_a_note_says_so(build: FakeBuild, monkeypatch: pytest.MonkeyPatch) -> None:
    plan = plan_of(build, ["relic"], ("empty",))
    which = shutil.which
    monkeypatch.setattr("shutil.which", lambda name: None if name == VALGRIND else which(name))
    result = result_after(sampled(HANDOFF, plan))
    assert result.settings.instructions == {}
    assert NOT_INSTALLED in result.notes["relic"]
    assert result.failed == []


@pytest.mark.parametrize(
    ("commands", "reason"),
    [
        ("total=0", "callgrind collected nothing"),
        ("echo illegal instruction >&2; exit 1", "exit status 1: illegal instruction"),
        ('exec "$@"', "callgrind collected nothing"),
    ],
)
def test_what_callgrind_can_not_count_is_a_note(
    build: FakeBuild, commands: str, reason: str
) -> None:
    build.trouble_in_valgrind(commands)
    result = result_after(sampled(HANDOFF, plan_of(build, ["relic"], ("empty", "burst-2"))))
    assert result.settings.instructions == {}
    assert result.notes["relic"] == [
        "relic says",
        *(f"instructions of {case} were not counted: {reason}" for case in ("empty", "burst-2")),
    ]


@pytest.mark.parametrize("name", ["totals", "summary"])
def test_a_profile_s_total_is_read(tmp_path: Path, name: str) -> None:
    profile = tmp_path / "profile"
    profile.write_text(f"events: Ir\nfn=(1) totals\n5 99\n\n{name}: 12345\n")
    assert total_of(profile) == 12345
    profile.write_text("events: Ir\n")
    with pytest.raises(ProcessFailed, match="collected nothing"):
        total_of(profile)


def test_a_queue_that_fails_loses_that_policy_and_case_alone(
    ran: Ran, build: FakeBuild, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    build.trouble_in(
        "handoff", f'[ "$runtime/$policy/$case" = boost-spsc/spin/burst-4 ] && {KILLED}'
    )
    result = ran("handoff", status=1)
    reason = "killed by signal 11: it said nothing"
    assert result["failed"] == [
        {"runtime": "boost-spsc", "case": "burst-4 (spin, shared_l3)", "reason": reason}
    ]
    assert len(result["results"]) == 4 + 13 * 7 - 1
    output = capsys.readouterr().out
    assert f"boost-spsc: failed on burst-4 (spin, shared_l3): {reason}" in output
    assert 'class="failed"' in (tmp_path / "out/handoff.html").read_text()
    started = "handoff --runtime boost-spsc --policy spin --case burst-4 --cpus 0,1"
    assert sum(line.startswith(started) for line in build.starts()) == 1


@pytest.mark.parametrize(
    ("commands", "text"),
    [
        (f'[ "$runtime" = relic ] && {{ {WRONG_RESULT}; }}', "wrong result from relic (spin"),
        (
            f'[ "$runtime" = floor-one-line ] && {{ {CRASH}; }}',
            "floor-one-line (spin_pause, shared_l3) on empty failed: exit status 1: boom",
        ),
        (f'[ -n "$list" ] && {{ {CRASH}; }}', "handoff does not tell its runtimes: exit status 1"),
    ],
)
def test_what_ends_a_run_leaves_no_file(
    refused: Refused, build: FakeBuild, commands: str, text: str
) -> None:
    build.trouble_in("handoff", commands)
    refused("handoff", text=text)


@pytest.mark.parametrize(
    ("commands", "reason"),
    [
        ("policy=umwait", "answered with a sample of relic-paper (umwait) on empty"),
        ("case=burst-2", "answered with a sample of relic-paper (spin_pause) on burst-2"),
        ("batches=1", "gave 1 of 2 batches"),
        ("ns=-1; main=x", "printed no valid sample"),
    ],
)
def test_half_a_sample_is_a_failure(build: FakeBuild, commands: str, reason: str) -> None:
    build.trouble_in("handoff", f'if [ "$runtime" = relic-paper ]; then {commands}; fi')
    run = sampled(HANDOFF, plan_of(build, ["relic-paper"], ("empty",)))
    ((slot, told),) = run.samples.failed.items()
    assert slot.runtime == "relic-paper"
    assert told.startswith(reason)


def test_a_task_on_a_foreign_cpu_is_told(build: FakeBuild) -> None:
    build.trouble_in("handoff", '[ "$runtime" = relic-paper ] && assistant=5')
    run = sampled(HANDOFF, plan_of(build, ["relic-paper"], ("empty",)))
    notes = result_after(run).notes
    assert notes == {"relic-paper": ["was seen on a CPU that is not its own: [5]"]}


def test_every_placement_is_measured_and_has_its_own_floor(
    ran: Ran, build: FakeBuild, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    say_far_placement(build)
    # On the far pair everything takes 300 ns more, the floor 1,000.
    slower = 'if [ "$runtime" = floor-one-line ]; then extra=1000; else extra=300; fi'
    script = build.folder / "bench/handoff"
    text = script.read_text()
    more = f'if [ "$assistant" = 4 ]; then {slower}; ns=$((ns + extra)); fi\ncase "$case" in'
    script.write_text(text.replace('case "$case" in', more, 1))
    result = ran("handoff", "--runtimes", "relic", "--cases", "empty")
    relics = [row for row in result["results"] if row["policy"] == "spin_then_sleep"]
    ratios = {row["placement"]: row["of_floor"] for row in relics}
    ours, floor = ROUND_TRIP_NS["relic"], ROUND_TRIP_NS["floor-one-line"]
    expected = {"shared_l3": ours / floor, "other_package": (ours + 300) / (floor + 1000)}
    assert ratios == pytest.approx(expected, rel=0.01)  # each time varies by up to 0.9 ns
    assert result["floor_ns"] == pytest.approx(floor, rel=0.02)  # the first placement's alone
    assert result["host"]["used_cpus"] == [0, 1]
    assert "other_package, CPUs 0 and 4" in capsys.readouterr().out
    assert (tmp_path / "out/handoff.html").read_text().count("<svg") == 2


def test_convergence_waits_for_every_default_policy(build: FakeBuild) -> None:
    # The fakes' times differ by less than 1 %: 7 rounds converge at 1.5 %, but not at 0.001 %.
    for half_width, rounds in ((0.02, 7), (0.00001, 9)):
        mode = dataclasses.replace(
            SHORT, max_rounds=9, converged_half_width=half_width, converged_rounds=7
        )
        asked = {"runtimes": ["relic"], "cases": ["empty", "burst-2"]}
        run = sampled(HANDOFF, runs.plan_of(HANDOFF, build, mode, **asked))
        assert max(max(by_round) for by_round in run.samples.by_row.values()) + 1 == rounds


def test_an_older_file_s_failures_are_told(tmp_path: Path) -> None:
    path = next((Path(__file__).parents[3] / "results").glob("*/handoff.json"))
    said = json.loads(path.read_text())
    failure = {"runtime": "relic", "case": "burst-2", "reason": "boom"}
    said["failed"] = [{**failure, "policy": "spin", "placement": NEAR}]
    said["results"] = [
        row
        for row in said["results"]
        if (row["runtime"], row["policy"], row["case"]) != ("relic", "spin", "burst-2")
    ]
    (tmp_path / "handoff.json").write_text(json.dumps(said))
    result = load(tmp_path, HANDOFF)
    assert [it.told() for it in result.failed] == [
        "relic: failed on burst-2 (spin, shared_l3): boom"
    ]
    assert result.settings.instructions["empty"] == 60.0
    page = page_of(HANDOFF, result)
    assert page.count('class="failed"') == 1
