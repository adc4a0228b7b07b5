# SPDX-License-Identifier: Apache-2.0
"""break-even: the oracle, the break-even grain, wrong decisions, and every way to fail."""

import dataclasses
import io

import pytest
from conftest import Ran, Refused, Silent, WholeRun, host_of
from fakes import CRASH, WRONG_RESULT, FakeBuild
from rich.console import Console

from finegrain_lab.break_even.cases import (
    ADAPTIVE,
    ALWAYS,
    GRAINS_NS,
    ORACLE,
    RUNTIMES,
    SITES,
    Point,
    Site,
)
from finegrain_lab.break_even.evaluate import point_rows, to_result, wrong_share
from finegrain_lab.break_even.experiment import BreakEven
from finegrain_lab.break_even.measure import Measured, Plan, measure
from finegrain_lab.break_even.modes import MODES, QUICK
from finegrain_lab.break_even.protocol import BreakEvenSample, Phase
from finegrain_lab.break_even.results import Result
from finegrain_lab.break_even.table import break_even_text
from finegrain_lab.runtimes import load_build

SHORT = dataclasses.replace(QUICK, min_rounds=3, max_rounds=3, batches=3)
SITE = Site("1to1", 100)
POINT = Point(SITE, 100)
CHANGING = Site("1to1", 50, 2_000)

pytestmark = pytest.mark.usefixtures("two_cpus")


def plan_of(build: FakeBuild, *sites: Site) -> Plan:
    return Plan(load_build(build.folder), sites or SITES, (0, 1), SHORT)


def result_of(plan: Plan, measured: Measured) -> Result:
    return to_result(plan, measured, host_of(plan.build))


def phase(
    serial: float, always: float, adaptive: float, share: float = 0.0, grain_ns: float = 100
) -> Phase:
    """A phase of one batch."""
    return Phase(
        grain_ns=grain_ns,
        serial_ns=[serial],
        always_ns=[always],
        adaptive_ns=[adaptive],
        adaptive_offloaded_share=[share],
        calls=[1000],
    )


def measured_of(*phases: Phase, site: Site = SITE) -> Measured:
    """One round a phase."""
    measured = Measured(floor_samples=[100.0])
    for at, one in enumerate(phases):
        measured.samples[site][at] = BreakEvenSample(
            ratio=site.ratio,
            grain_ns=site.grain_ns,
            change_to_ns=site.change_to_ns,
            phases=[one],
            round_trip_ns=160.0,
            main_cpu=0,
            assistant_cpu=1,
        )
    return measured


def test_the_cases_are_named_as_the_issue_has_them() -> None:
    names = [site.name for site in SITES]
    assert names[0] == "1to1-10ns"
    assert {"1to1-50ns", "1to4-1us", "4to1-10us", "change-50ns-2us"} <= set(names)
    assert len(names) == len(set(names)) == 3 * len(GRAINS_NS) + 2
    assert [point.case for point in CHANGING.points] == [
        *("change-50ns-2us/50ns", "change-50ns-2us/2us"),
    ]
    assert [point.case for point in SITE.points] == ["1to1-100ns"]


def test_every_arm_comes_first_equally_often() -> None:
    assert all(mode.batches % 3 == 0 for mode in MODES.values())


def test_a_process_s_time_is_that_of_all_its_calls() -> None:
    # The first batch, in which the controller learns, counts by its calls: (10*300 + 30*100) / 40.
    learning = Phase(
        grain_ns=100,
        serial_ns=[100.0, 100.0],
        always_ns=[300.0, 100.0],
        adaptive_ns=[300.0, 100.0],
        adaptive_offloaded_share=[1.0, 0.2],
        calls=[10, 30],
    )
    measured = measured_of(learning)
    assert measured.ns(POINT, ADAPTIVE) == {0: pytest.approx(150.0)}
    assert measured.shares(POINT) == {0: pytest.approx(0.4)}
    assert measured.speedups(POINT, ADAPTIVE) == [pytest.approx(100 / 150)]


def test_the_oracle_is_one_arm_for_the_whole_point() -> None:
    # Always' speedups 0.8, 1.25, 0.5: median 0.8, so serial is right. Who took the better arm in
    # every round would gain 1.25 in round 1 and have a mean above 1.
    measured = measured_of(phase(100, 125, 104), phase(100, 80, 80), phase(100, 200, 125))
    always, adaptive, oracle = point_rows(measured, POINT)
    assert always.speedup == pytest.approx(0.8)
    assert always.offloaded_share == 1.0
    assert (oracle.speedup, oracle.ci95) == (1.0, (1.0, 1.0))
    assert (oracle.samples, oracle.offloaded_share) == ([100.0, 100.0, 100.0], 0.0)
    # 100/104, 100/80, 100/125: the median is the first.
    assert adaptive.of_oracle == pytest.approx(100 / 104)
    assert adaptive.of_oracle_ci95 == pytest.approx((0.8, 1.25))
    assert always.of_oracle is None
    assert oracle.of_oracle is None


def test_the_oracle_hands_over_where_that_is_better() -> None:
    # The host slows down by three in round 1; always' speedups 1.5, 1.25, 1.6.
    measured = measured_of(
        phase(150, 100, 125, 0.9), phase(450, 360, 400, 1.0), phase(160, 100, 100, 0.8)
    )
    _, adaptive, oracle = point_rows(measured, POINT)
    assert oracle.speedup == pytest.approx(1.5)
    assert (oracle.samples, oracle.offloaded_share) == ([100.0, 360.0, 100.0], 1.0)
    assert (adaptive.serial_ns, adaptive.ns) == (160.0, 125.0)
    assert adaptive.offloaded_share == pytest.approx(0.9)
    assert adaptive.of_oracle == pytest.approx(0.9)  # of 100/125, 360/400 and 100/100


def test_wrong_decisions_are_counted_where_the_arms_differ() -> None:
    losing, winning, close = (Point(Site("1to1", grain), grain) for grain in (10, 1000, 200))
    measured = measured_of(phase(20, 100, 20, 0.01), phase(20, 100, 20, 0.03), site=losing.site)
    more = measured_of(phase(200, 110, 120, 0.9), phase(200, 110, 120, 0.7), site=winning.site)
    even = measured_of(phase(100, 97, 99, 0.5), phase(100, 97, 99, 0.5), site=close.site)
    measured.samples.update(more.samples)
    measured.samples.update(even.samples)
    wrong = wrong_share(measured, [losing, winning, close])
    assert wrong.cases == {"1to1-10ns": pytest.approx(0.02), "1to1-1us": pytest.approx(0.2)}
    assert wrong.overall == pytest.approx(0.11)
    assert wrong.margin == 0.04
    assert wrong_share(measured, [close]).overall is None


def test_a_whole_run(whole: WholeRun) -> None:
    result = whole("break-even").file
    rows = {(row["case"], row["runtime"]): row for row in result["results"]}
    cases = [point.case for site in SITES for point in site.points]
    assert list(rows) == [(case, name) for case in cases for name in (ALWAYS, ADAPTIVE, ORACLE)]
    assert result["runtimes"] == ["relic-always", "relic-adaptive", "oracle"]
    for row in rows.values():
        assert row.keys() == {
            *("case", "runtime", "ratio", "grain_ns", "ns", "ns_ci95", "serial_ns", "speedup"),
            *("ci95", "of_oracle", "of_oracle_ci95", "offloaded_share", "samples"),
        }
    # Handing over costs 150 ns: 200 ns twice take 350 instead of 400.
    assert rows["1to1-200ns", "relic-always"]["speedup"] == pytest.approx(400 / 350)
    assert rows["1to4-50ns", "relic-always"]["speedup"] == pytest.approx(250 / 350)
    assert rows["1to1-50ns", "oracle"]["speedup"] == 1.0
    assert rows["change-50ns-2us/50ns", "relic-always"]["speedup"] == pytest.approx(0.5)
    assert rows["change-50ns-2us/2us", "relic-always"]["speedup"] == pytest.approx(4000 / 2150)
    assert rows["change-50ns-2us/2us", "relic-adaptive"]["offloaded_share"] == 1.0
    # Between 100 ns (0.8) and 200 ns (8/7): 100 * 2^((1 - 0.8) / (8/7 - 0.8)).
    assert result["break_even_ns"]["1to1"] == pytest.approx(100 * 2 ** (0.2 / (8 / 7 - 0.8)))
    assert list(result["break_even_ns"]) == ["1to1", "1to4", "4to1"]
    assert result["round_trip_ns"] == 160.5
    assert result["wrong_share"]["overall"] == 0
    assert result["settings"] == {"batches": 6, "batch_ms": 4, "spin_steps_per_us": 1234.5}
    assert result["floor_ns"] == 150
    assert len(result["floor_samples"]) == 60


def test_the_processes_get_what_the_protocol_says(build: FakeBuild) -> None:
    measure(plan_of(build, Site("1to4", 1_000), CHANGING), Silent())
    starts = build.starts()
    rest = "--cpus 0,1 --spin-steps-per-us 1234.5 --batches 3 --batch-ms 4"
    assert starts.count(f"break-even --ratio 1to4 --grain-ns 1000 {rest}") == 3
    assert starts.count(f"break-even --ratio 1to1 --grain-ns 50 {rest} --change-to-ns 2000") == 3
    assert starts.count("floor --cpus 0,1 --batches 5 --round-trips 10000") == 12
    assert len(starts) == 3 * (2 + 4)


def test_a_ratio_that_never_pays_has_no_break_even(build: FakeBuild) -> None:
    build.trouble_in("break-even", "always=$((3 * serial)); adaptive=$serial; share=0")
    plan = plan_of(build, Site("1to1", 10), Site("1to1", 10_000), CHANGING)
    result = result_of(plan, measure(plan, Silent()))
    assert result.break_even_ns == {"1to1": None}
    assert break_even_text(result, "1to1") == "never, as far as measured"


def test_a_ratio_that_always_pays_has_its_least_grain(build: FakeBuild) -> None:
    build.trouble_in("break-even", "always=$((serial / 2))")
    plan = plan_of(build, Site("1to1", 20), Site("1to1", 1_000))
    result = result_of(plan, measure(plan, Silent()))
    assert result.break_even_ns == {"1to1": 20.0}
    assert break_even_text(result, "1to1") == "20ns or less"


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
    assert "failed on 4to1-500 ns: exit status 1: boom" in capsys.readouterr().out
    assert (
        sum(line.startswith("break-even --ratio 4to1 --grain-ns 500 ") for line in build.starts())
        == 1
    )


@pytest.mark.parametrize(
    ("commands", "text"),
    [
        (f'case=$ratio; [ "$ratio" = 1to4 ] && {{ {WRONG_RESULT}; }}', "wrong result from 1to4-"),
        (CRASH, "no site could be measured; "),
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
    measured = measure(plan_of(build, SITE, Site("1to1", 1_000)), Silent())
    assert measured.failed == {Site("1to1", 1_000): reason}
    assert measured.samples.keys() == {SITE}


def test_what_the_program_notes_reaches_the_result(build: FakeBuild) -> None:
    build.trouble_in("break-even", 'note="inline: one usable CPU"; assistant=3')
    plan = plan_of(build, SITE)
    assert result_of(plan, measure(plan, Silent())).notes == {
        "relic": ["inline: one usable CPU", "was seen on a CPU that is not its own: [3]"]
    }


def test_changing_sites_alone_are_reported_too(
    ran: Ran, capsys: pytest.CaptureFixture[str]
) -> None:
    assert ran("break-even", "--cases", "change-50ns-2us")["break_even_ns"] == {}
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
    assert "1to1 always 0.12 1.86 1.94 adaptive 0.25 0.50 1.94 oracle 1.00 1.86 1.94" in output
    assert "of oracle 0.25 0.27 1.00" in output


def test_convergence_waits_for_every_point(build: FakeBuild) -> None:
    plan = plan_of(build, SITE)
    for noise, rounds in (("", 7), ("always=$((always + $$ % 90))", 9)):
        build.trouble_in("break-even", noise)
        mode = dataclasses.replace(
            SHORT, max_rounds=9, converged_half_width=0.002, converged_rounds=7
        )
        assert measure(dataclasses.replace(plan, mode=mode), Silent()).rounds == rounds


@pytest.mark.parametrize("runtime", RUNTIMES)
def test_a_result_without_a_runtime_s_rows_is_read_out(build: FakeBuild, runtime: str) -> None:
    plan = plan_of(build, SITE, CHANGING)
    whole = result_of(plan, measure(plan, Silent()))
    rows = [row for row in whole.results if row.runtime != runtime]
    part = whole.model_copy(update={"results": rows})
    shown = io.StringIO()
    BreakEven().print_result(Console(file=shown), part)
    assert "handing over pays from" in shown.getvalue()
    assert "Handing over" in BreakEven().page(part) or runtime == ALWAYS  # sections are its rows'
