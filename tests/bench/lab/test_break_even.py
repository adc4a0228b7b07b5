# SPDX-License-Identifier: Apache-2.0
"""break-even: the oracle, the break-even grain, wrong decisions, and every way to fail."""

import dataclasses
import io
import re
from collections.abc import Sequence
from typing import Any

import pytest
from conftest import Ran, Refused, WholeRun, changed, save, with_rows
from fakes import CRASH, WRONG_RESULT, FakeBuild
from rich.console import Console
from runs import plan_of, result_of, sampled, short

from finegrain_lab.experiments.break_even import (
    ADAPTIVE,
    ALWAYS,
    BREAK_EVEN,
    GRAINS_NS,
    MARGIN,
    MODES,
    ORACLE,
    RUNTIMES,
    SITES,
    break_even_texts,
    break_evens,
    rows_of,
    site,
    wrong_shares,
)
from finegrain_lab.run.experiment import Slot
from finegrain_lab.run.sampling import Sampling
from finegrain_lab.show.result import Result, load
from finegrain_lab.show.rows import Fields
from finegrain_lab.show.terminal import print_result
from finegrain_lab.show.views import page_of

SHORT = short(MODES["quick"], batches=3)
SITE = site("1to1", 100)
CHANGING = site("1to1", 50, 2_000)
CASE = "1to1-100ns"

pytestmark = pytest.mark.usefixtures("two_cpus")


def run(build: FakeBuild, *sites: Slot, mode: Any = SHORT) -> Sampling:
    cases = [it.case for it in sites] or None
    return sampled(BREAK_EVEN, plan_of(BREAK_EVEN, build, mode, cases=cases))


def result_from(sampling: Sampling) -> Result:
    """The result of what has been run."""
    outputs = {
        it: [dataclasses.asdict(sample) for sample in by_round.values()]
        for it in sampling.plan.slots
        if (by_round := sampling.samples.by_row.get(rows_of(it)[0]))
    }
    failed = sampling.samples.failed
    return result_of(BREAK_EVEN, sampling.plan, outputs, sampling.found, failed)


def phase(
    serial: Sequence[float],
    always: Sequence[float],
    adaptive: Sequence[float],
    share: Sequence[float] = (0.0,),
    calls: Sequence[int] = (1000,),
) -> dict[str, Any]:
    """A phase, with a number a batch."""
    times = {"serial_ns": serial, "always_ns": always, "adaptive_ns": adaptive}
    return {**times, "adaptive_offloaded_share": share, "calls": calls}


def batch(serial: float, always: float, adaptive: float, share: float = 0.0) -> dict[str, Any]:
    """A phase of one batch."""
    return phase([serial], [always], [adaptive], [share])


def result_with(build: FakeBuild, phases: dict[Slot, list[dict[str, Any]]]) -> Result:
    """The result of these sites, a phase a round."""
    plan = plan_of(BREAK_EVEN, build, SHORT, cases=[it.case for it in phases])
    outputs = {
        it: [
            {
                **{"ratio": it.ratio, "grain_ns": it.grain_ns, "change_to_ns": it.change_to_ns},
                **{"phases": [{**one, "grain_ns": it.grain_ns}], "round_trip_ns": 160.0},
                **{"main_cpu": 0, "assistant_cpu": 1},
            }
            for one in by_round
        ]
        for it, by_round in phases.items()
    }
    return result_of(BREAK_EVEN, plan, outputs, {"spin_steps_per_us": 1.0})


def rows_with(build: FakeBuild, *phases: dict[str, Any]) -> list[Fields]:
    """The rows of serial, always, adaptive and the oracle, a phase a round."""
    rows = result_with(build, {SITE: list(phases)}).rows
    assert [row.runtime for row in rows] == ["serial", *RUNTIMES]
    return list(rows)


def test_the_cases_are_named_as_the_issue_has_them() -> None:
    names = list(SITES)
    assert names[0] == "1to1-10ns"
    assert {"1to1-50ns", "1to4-1us", "4to1-10us", "change-50ns-2us"} <= set(names)
    assert len(names) == 3 * len(GRAINS_NS) + 2
    assert [row.case for row in rows_of(CHANGING)] == [
        *["change-50ns-2us/50ns"] * 3,
        *["change-50ns-2us/2us"] * 3,
    ]
    assert [row.case for row in rows_of(SITE)] == [CASE] * 3


def test_every_arm_comes_first_equally_often() -> None:
    assert all(mode["batches"] % 3 == 0 for mode in MODES.values())


def test_a_process_s_time_is_that_of_all_its_calls(build: FakeBuild) -> None:
    # The first batch, in which the controller learns, counts by its calls: (10*300 + 30*100) / 40.
    learning = phase([100.0, 100.0], [300.0, 100.0], [300.0, 100.0], [1.0, 0.2], [10, 30])
    _, _, adaptive, _ = rows_with(build, learning, learning)
    assert adaptive.samples == pytest.approx([150.0] * 2)
    assert adaptive.offloaded_share == pytest.approx(0.4)
    assert adaptive.speedup == pytest.approx(100 / 150)


def test_the_oracle_is_one_arm_for_the_whole_point(build: FakeBuild) -> None:
    # Always' speedups 0.8, 1.25, 0.5: median 0.8, so serial is right. Who took the better arm in
    # every round would gain 1.25 in round 1 and have a mean above 1.
    serial, always, adaptive, oracle = rows_with(
        build, batch(100, 125, 104), batch(100, 80, 80), batch(100, 200, 125)
    )
    assert always.speedup == pytest.approx(0.8)
    assert always.offloaded_share == 1.0
    assert (oracle.speedup, oracle.speedup_ci95) == (1.0, (1.0, 1.0))
    assert (oracle.samples, oracle.offloaded_share) == ([100.0, 100.0, 100.0], 0.0)
    assert (serial.samples, serial.offloaded_share) == (oracle.samples, 0.0)
    # 100/104, 100/80, 100/125: the median is the first.
    assert adaptive.of_oracle == pytest.approx(100 / 104)
    assert adaptive.of_oracle_ci95 == pytest.approx((0.8, 1.25))
    assert always.of_oracle is None
    assert oracle.of_oracle is None


def test_the_oracle_hands_over_where_that_is_better(build: FakeBuild) -> None:
    # The host slows down by three in round 1; always' speedups 1.5, 1.25, 1.6.
    _, _, adaptive, oracle = rows_with(
        *(build, batch(150, 100, 125, 0.9), batch(450, 360, 400, 1.0), batch(160, 100, 100, 0.8))
    )
    assert oracle.speedup == pytest.approx(1.5)
    assert (oracle.samples, oracle.offloaded_share) == ([100.0, 360.0, 100.0], 1.0)
    assert (adaptive.serial_ns, adaptive.ns) == (160.0, 125.0)
    assert adaptive.offloaded_share == pytest.approx(0.9)
    assert adaptive.of_oracle == pytest.approx(0.9)  # of 100/125, 360/400 and 100/100


def test_wrong_decisions_are_counted_where_the_arms_differ(build: FakeBuild) -> None:
    losing, winning, close = (site("1to1", grain) for grain in (10, 1000, 200))
    phases = {
        losing: [batch(20, 100, 20, 0.01), batch(20, 100, 20, 0.03)],
        winning: [batch(200, 110, 120, 0.9), batch(200, 110, 120, 0.7)],
        close: [batch(100, 97, 99, 0.5), batch(100, 97, 99, 0.5)],
    }
    wrong = wrong_shares(result_with(build, phases))
    assert wrong == {"1to1-10ns": pytest.approx(0.02), "1to1-1us": pytest.approx(0.2)}
    assert MARGIN == 0.04
    assert wrong_shares(result_with(build, {close: phases[close]})) == {}


def test_a_whole_run(whole: WholeRun) -> None:
    result = whole("break-even").file
    rows = {(row["case"], row["runtime"]): row for row in result["results"]}
    cases = list(dict.fromkeys(row.case for it in SITES.values() for row in rows_of(it)))
    names = ("serial", ALWAYS, ADAPTIVE, ORACLE)
    assert list(rows) == [(case, name) for case in cases for name in names]
    assert result["cases"] == cases
    assert result["runtimes"] == ["relic-always", "relic-adaptive", "oracle"]
    for row in rows.values():
        assert row.keys() == {
            *("case", "runtime", "ratio", "grain_ns", "ns", "ns_ci95", "serial_ns", "speedup"),
            *("speedup_ci95", "of_oracle", "of_oracle_ci95", "offloaded_share", "samples"),
        }
    # Handing over costs 150 ns: 200 ns twice take 350 instead of 400.
    assert rows["1to1-200ns", "relic-always"]["speedup"] == pytest.approx(400 / 350)
    assert rows["1to4-50ns", "relic-always"]["speedup"] == pytest.approx(250 / 350)
    assert rows["1to1-50ns", "oracle"]["speedup"] == 1.0
    assert rows["change-50ns-2us/50ns", "relic-always"]["speedup"] == pytest.approx(0.5)
    assert rows["change-50ns-2us/2us", "relic-always"]["speedup"] == pytest.approx(4000 / 2150)
    assert rows["change-50ns-2us/2us", "relic-adaptive"]["offloaded_share"] == 1.0
    # Between 100 ns (0.8) and 200 ns (8/7): 100 * 2^((1 - 0.8) / (8/7 - 0.8)).
    grains_ns = break_evens(whole("break-even").result)
    assert grains_ns["1to1"] == pytest.approx(100 * 2 ** (0.2 / (8 / 7 - 0.8)))
    assert list(grains_ns) == ["1to1", "1to4", "4to1"]
    assert set(wrong_shares(whole("break-even").result).values()) == {0}
    assert result["settings"] == {
        **{"batches": 6, "batch_ms": 4, "spin_steps_per_us": 1234.5, "round_trip_ns": 160.5}
    }
    assert result["floor_ns"] == 150
    assert len(result["floor_samples"]) == 60


def test_the_processes_get_what_the_protocol_says(build: FakeBuild) -> None:
    run(build, site("1to4", 1_000), CHANGING)
    starts = build.starts()
    rest = "--cpus 0,1 --spin-steps-per-us 1234.5 --batches 3 --batch-ms 4"
    assert starts.count(f"break-even --ratio 1to4 --grain-ns 1000 {rest}") == 3
    assert starts.count(f"break-even --ratio 1to1 --grain-ns 50 {rest} --change-to-ns 2000") == 3
    assert starts.count("floor --cpus 0,1 --batches 5 --round-trips 10000") == 12
    assert len(starts) == 3 * (2 + 4)


def test_a_ratio_that_never_pays_has_no_break_even(build: FakeBuild) -> None:
    build.trouble_in("break-even", "always=$((3 * serial)); adaptive=$serial; share=0")
    result = result_from(run(build, site("1to1", 10), site("1to1", 10_000), CHANGING))
    assert break_evens(result) == {"1to1": None}
    assert break_even_texts(result) == {"1to1": "never, as far as measured"}


def test_a_ratio_that_always_pays_has_its_least_grain(build: FakeBuild) -> None:
    build.trouble_in("break-even", "always=$((serial / 2))")
    result = result_from(run(build, site("1to1", 20), site("1to1", 1_000)))
    assert break_evens(result) == {"1to1": 20.0}
    assert break_even_texts(result) == {"1to1": "20ns or less"}


def test_a_site_that_fails_is_left_out_and_told(
    ran: Ran, build: FakeBuild, capsys: pytest.CaptureFixture[str]
) -> None:
    build.trouble_in("break-even", f'[ "$ratio/$grain" = 4to1/500 ] && {{ {CRASH}; }}')
    result = ran("break-even", status=1)
    reason = "exit status 1: boom"
    assert result["failed"] == [
        {"runtime": "relic-adaptive", "case": "4to1-500ns", "reason": reason}
    ]
    assert "4to1-500ns" not in [row["case"] for row in result["results"]]
    output = capsys.readouterr().out
    assert "failed on 4to1-500 ns: exit status 1: boom" in output
    assert re.search(r"^ 4to1-500ns +failed +failed *$", output, re.MULTILINE)
    assert (
        sum(line.startswith("break-even --ratio 4to1 --grain-ns 500 ") for line in build.starts())
        == 1
    )


@pytest.mark.parametrize(
    ("commands", "text"),
    [
        (f'case=$ratio; [ "$ratio" = 1to4 ] && {{ {WRONG_RESULT}; }}', "wrong result from 1to4-"),
        (CRASH, "nothing could be measured: exit status 1: boom"),
    ],
)
def test_what_ends_a_run_leaves_no_file(
    refused: Refused, build: FakeBuild, commands: str, text: str
) -> None:
    build.trouble_in("break-even", commands)
    refused("break-even", text=text)


@pytest.mark.parametrize(
    ("commands", "reason"),
    [
        ("ratio=4to1", "answered with a sample of another site"),
        ("change=20", "answered with a sample of another site"),
        ('[ -z "$1" ] || { set -- 55; grain=1000; }', "answered with phases of other grains"),
        ("batches=2", "gave other than 3 batches"),
        ("always=0", "gave a time or a count that is not positive"),
    ],
)
def test_half_a_sample_is_a_failure(build: FakeBuild, commands: str, reason: str) -> None:
    build.trouble_in("break-even", f'if [ "$grain" = 1000 ]; then {commands}; fi')
    samples = run(build, SITE, site("1to1", 1_000)).samples
    assert samples.failed == {site("1to1", 1_000): reason}
    assert list(samples.by_row) == rows_of(SITE)


def test_what_the_program_notes_reaches_the_result(build: FakeBuild) -> None:
    build.trouble_in("break-even", 'note="inline: one usable CPU"; assistant=3')
    assert result_from(run(build, SITE)).notes == {
        "relic": ["inline: one usable CPU", "was seen on a CPU that is not its own: [3]"]
    }


def test_changing_sites_alone_are_reported_too(
    ran: Ran, capsys: pytest.CaptureFixture[str]
) -> None:
    ran("break-even", "--cases", "change-50ns-2us")
    output = capsys.readouterr().out
    assert "change-50ns-2us/2us" in output
    assert "pays from" not in output


def test_the_answers_stand_above_the_table(
    ran: Ran, build: FakeBuild, capsys: pytest.CaptureFixture[str]
) -> None:
    # Hands over none of the 2 us calls, three of four of the 10 ns calls.
    build.trouble_in(
        "break-even",
        """if [ "$1" = 2000 ]; then adaptive=$((2 * serial)); share=0; fi
           if [ "$1" = 10 ]; then adaptive=$((4 * serial)); share=0.75; fi""",
    )
    ran("break-even", "--cases", "1to1-10ns,1to1-2us,1to1-5us,4to1-10us")
    output = " ".join(capsys.readouterr().out.split())
    # 10 * 200^((1 - 1/8) / (4000/2150 - 1/8)) = 144.6.
    assert "pays from (the shorter branch): 1to1 145 ns; 4to1 10 µs or less" in output
    assert "adaptive at its worst: 0.25 of serial (1to1-10 ns), 0.25 of the oracle" in output
    wrong = (
        "wrong decisions: 43.75 % over the 4 cases where serial and always differ by more than 4 %"
    )
    assert f"{wrong}; most in 1to1-2 µs, 100.00 %" in output
    # 20 ns instead of 160; 4,000 or 2,150 instead of 8,000; half.
    output = output.replace(" \N{PLUS-MINUS SIGN}0.00", "")
    assert "1to1-10ns 20.0 0.12 0.25 1.00 0.25 75.0% 75.0%" in output
    assert "1to1-2us 4000.0 1.86 0.50 1.86 0.27 0.0% 100.0%" in output
    assert "1to1-5us 10000.0 1.94 1.94 1.94 1.00 100.0% 0.0%" in output


def test_convergence_waits_for_every_point(build: FakeBuild) -> None:
    for noise, rounds in (("", 7), ("always=$((always + $$ % 90))", 9)):
        build.trouble_in("break-even", noise)
        mode = dataclasses.replace(
            SHORT, max_rounds=9, converged_half_width=0.002, converged_rounds=7
        )
        by_row = run(build, SITE, mode=mode).samples.by_row
        assert {max(by_round) + 1 for by_round in by_row.values()} == {rounds}


@pytest.mark.parametrize("runtime", RUNTIMES)
def test_a_result_without_a_runtime_s_rows_is_read_out(build: FakeBuild, runtime: str) -> None:
    whole = changed(result_from(run(build, SITE, CHANGING)), floor_samples=[150.0])
    part = with_rows(whole, [row for row in whole.rows if row.runtime != runtime])
    shown = io.StringIO()
    print_result(Console(file=shown), BREAK_EVEN, part)
    assert ("handing over pays from" in shown.getvalue()) == (runtime != ALWAYS)
    # Sections are its rows'.
    assert "Handing over" in page_of(BREAK_EVEN, part) or runtime == ALWAYS


def test_a_file_of_rows_without_serial_s_is_read(whole: WholeRun, tmp_path: Any) -> None:
    result = whole("break-even").result
    kept = [row for row in result.rows if row.runtime != "serial"]
    save(tmp_path, with_rows(result, kept))
    read = load(tmp_path, BREAK_EVEN)
    assert (break_evens(read), wrong_shares(read)) == (break_evens(result), wrong_shares(result))
    assert read.settings == result.settings
