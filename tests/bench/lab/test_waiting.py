# SPDX-License-Identifier: Apache-2.0
"""waiting: pairing, policies, gaps, and every way to fail."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from conftest import Ran, Refused, WholeRun
from fakes import CRASH, WRONG_RESULT, FakeBuild
from fakes_micro import RUNTIMES
from runs import plan_of, result_of, sampled, short

from finegrain_lab.experiments.waiting import (
    GAPS_US,
    HINTS,
    MODES,
    WAITING,
    burned_text,
    gaps_of,
    slot_of,
)
from finegrain_lab.run.experiment import Slot

SHORT = short(MODES["quick"], gaps_ms=2, max_gaps=3, min_gaps=1)
POLICIES = ["spin_then_sleep", "spin_pause", "spin"]

pytestmark = pytest.mark.usefixtures("two_cpus")


def say_policies(build: FakeBuild, *policies: str) -> None:
    """Lets relic have these."""
    relic = '"relic", "policies": ["spin_then_sleep", "spin_pause", "spin"]'
    assert relic in RUNTIMES
    names = ", ".join(f'"{policy}"' for policy in policies)
    build.say("list", RUNTIMES.replace(relic, f'"relic", "policies": [{names}]'))


def output(
    slot: Slot, ns: Sequence[float], burned: Sequence[float], sleeps: int = 0
) -> dict[str, Any]:
    return {
        **{"policy": slot.policy, "gap_us": slot.gap_us, "hints": slot.hints},
        **{"first_task_ns": ns, "burned_share": burned, "sleeps": sleeps, "wake_ups": 2 * sleeps},
        **{"main_cpu": 0, "assistant_cpu": 1},
    }


def test_latency_is_over_spinning_of_the_same_round_and_gap(build: FakeBuild) -> None:
    say_policies(build, "spin_then_sleep", "spin_pause")
    plan = plan_of(WAITING, build, SHORT)
    outputs = {slot: [output(slot, [100.0], [1.0])] * 3 for slot in plan.slots}  # not looked at
    slot = slot_of("spin_then_sleep", "hints", 1_000)
    # Medians of a process 300, 900, 320; spinning beside them 200, 600, 160: 1.5, 1.5, 2. The
    # medians' ratio would be 320 / 200 = 1.6.
    outputs[slot] = [
        output(slot, [250.0, 300.0, 9000.0], [0.02, 0.04, 0.9], sleeps=3),
        output(slot, [900.0], [0.03], sleeps=1),
        output(slot, [320.0], [0.02], sleeps=1),
    ]
    spin = slot_of("spin_pause", "none", 1_000)
    outputs[spin] = [output(spin, [ns], [1.0]) for ns in (200.0, 600.0, 160.0)]
    result = result_of(WAITING, plan, outputs)
    (row,) = result.rows_of(policy="spin_then_sleep", hints="hints", gap_us=1_000)
    assert row.of_spin == pytest.approx(1.5)
    assert row.of_spin_ci95 == pytest.approx((1.5, 2.0))
    assert (row.first_task_ns, row.samples) == (320.0, [300.0, 900.0, 320.0])
    assert (row.burned_share, row.burned_share_ci95) == (0.03, (0.02, 0.04))
    assert (row.gaps, row.sleeps, row.wake_ups) == (5, 5, 10)
    (reference,) = result.rows_of(policy="spin_pause", hints="none", gap_us=1_000)
    assert reference.of_spin == 1.0


def test_a_whole_run(whole: WholeRun) -> None:
    result = whole("waiting").file
    rows = {(row["policy"], row["hints"], row["gap_us"]): row for row in result["results"]}
    assert set(rows) == {(p, hints, gap) for p in POLICIES for hints in HINTS for gap in GAPS_US}
    for row in rows.values():
        assert row.keys() == {
            *("case", "runtime", "policy", "hints", "gap_us", "first_task_ns"),
            *("first_task_ns_ci95", "of_spin", "of_spin_ci95", "burned_share"),
            *("burned_share_ci95", "gaps", "sleeps", "wake_ups", "samples"),
        }
    assert rows["spin_then_sleep", "none", 100]["of_spin"] == pytest.approx(1, rel=0.02)
    asleep = rows["spin_then_sleep", "none", 100_000]
    assert (asleep["case"], asleep["runtime"]) == ("gap-100ms", "relic")
    assert asleep["of_spin"] == pytest.approx(20_000 / 160, rel=0.02)
    assert asleep["burned_share"] == 0.0004
    assert asleep["sleeps"] == asleep["gaps"] == 3 * gaps_of(MODES["quick"], 100_000)
    assert rows["spin_then_sleep", "hints", 100_000]["of_spin"] == pytest.approx(1, rel=0.02)
    assert result["settings"]["policies"] == POLICIES
    assert result["settings"]["reference_policy"] == "spin_pause"
    assert result["cases"][0] == "gap-1us"
    assert len(result["floor_samples"]) == 60


def test_the_default_policy_s_answer_and_the_gaps_are_in_the_tables(whole: WholeRun) -> None:
    output = " ".join(whole("waiting").said.split())
    assert re.search(
        r"spin_then_sleep without hints, after 100 ms: first task 20,00\d ns, 12[45]\.\d\d of "
        r"spinning, 0\.04 % of a CPU burned",
        output,
    )
    assert re.search(r"with hints, after 100 ms: first task 16\d ns, (1\.0|0\.9)\d of spin", output)
    awake, asleep = r"(16\d )", r"(20,00\d )"
    policy = "spin_then_sleep"
    assert re.search(rf"{policy} none {awake}{{3}}{asleep}{{3}}{policy} hints {awake}{{6}}", output)
    assert f"{policy} none 100% 100% 100% 0.04% 0.04% 0.04% {policy} hints" in output


def test_the_processes_get_what_the_protocol_says(build: FakeBuild) -> None:
    say_policies(build, "spin_pause")
    sampled(WAITING, plan_of(WAITING, build, SHORT))
    starts = build.starts()
    for gap_us, gaps in ((1, 3), (1_000, 2), (100_000, 1)):
        for hints in HINTS:
            command = (
                f"waiting --policy spin_pause --gap-us {gap_us} --hints {hints} --cpus 0,1 "
                f"--rounds {gaps}"
            )
            assert starts.count(command) == 3
    assert starts.count("floor --cpus 0,1 --batches 5 --round-trips 10000") == 12
    assert starts[0] == "handoff --list"
    assert len(starts) == 1 + 3 * (6 * 2 + 4)


def test_a_process_s_gaps_are_bounded_by_time_and_number() -> None:
    mode = short(MODES["quick"], gaps_ms=50, max_gaps=200, min_gaps=2)
    assert [gaps_of(mode, gap_us) for gap_us in GAPS_US] == [200, 200, 200, 50, 5, 2]


def test_the_policies_are_those_of_relic_on_this_machine(
    ran: Ran, build: FakeBuild, capsys: pytest.CaptureFixture[str]
) -> None:
    say_policies(build, "umwait", "spin_pause")
    result = ran("waiting")
    assert {row["policy"] for row in result["results"]} == {"umwait", "spin_pause"}
    assert "umwait without hints, after 100 ms" in capsys.readouterr().out


def test_a_relic_without_the_reference_s_policy_is_refused(
    refused: Refused, build: FakeBuild
) -> None:
    say_policies(build, "spin_then_sleep")
    refused("waiting", text="no relic under spin_pause to compare with")


def test_a_policy_that_fails_is_left_out_and_told(
    ran: Ran, build: FakeBuild, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    build.trouble_in("waiting", f'[ "$policy/$hints/$gap" = spin/hints/10 ] && {{ {CRASH}; }}')
    result = ran("waiting", status=1)
    assert result["failed"] == [
        {"runtime": "relic", "case": "spin with hints, 10us", "reason": "exit status 1: boom"}
    ]
    assert len(result["results"]) == 3 * 2 * 6 - 1
    assert "failed on spin with hints, 10 µs: exit status 1: boom" in capsys.readouterr().out
    assert 'class="failed"' in (tmp_path / "out/waiting.html").read_text()


@pytest.mark.parametrize(
    ("commands", "text"),
    [
        (f'case=$gap; [ "$gap" = 10 ] && {{ {WRONG_RESULT}; }}', "wrong result from "),
        (
            f'[ "$policy/$hints/$gap" = spin_pause/none/100 ] && {{ {CRASH}; }}',
            "spin_pause without hints, 100us failed: exit status 1: boom",
        ),
    ],
)
def test_what_ends_a_run_leaves_no_file(
    refused: Refused, build: FakeBuild, commands: str, text: str
) -> None:
    build.trouble_in("waiting", commands)
    refused("waiting", text=text)


@pytest.mark.parametrize(
    ("commands", "reason"),
    [
        ("policy=umwait", "answered with a sample of something else"),
        ("gap=11", "answered with a sample of something else"),
        ("batches=2", "gave other than 3 gaps"),
    ],
)
def test_half_a_sample_is_a_failure(build: FakeBuild, commands: str, reason: str) -> None:
    wanted = "spin/none/10"
    build.trouble_in("waiting", f'if [ "$policy/$hints/$gap" = {wanted} ]; then {commands}; fi')
    say_policies(build, "spin_pause", "spin")
    run = sampled(WAITING, plan_of(WAITING, build, SHORT))
    assert run.samples.failed == {slot_of("spin", "none", 10): reason}


def test_a_share_is_told_as_precisely_as_it_matters() -> None:
    texts = [burned_text(share) for share in (1.0, 0.0951, 0.00071, -0.0001)]
    assert texts == ["100%", "9.51%", "0.07%", "0.00%"]
