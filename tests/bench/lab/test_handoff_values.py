# SPDX-License-Identifier: Apache-2.0
"""handoff: the cases in which a task carries a value, or has a result."""

import csv
import io
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
import runs
from conftest import Ran, WholeRun
from fakes import KILLED, FakeBuild
from fakes_micro import ROUND_TRIP_NS
from runs import sampled, short

from finegrain_lab.experiments.handoff import CASES, EMPTY_CASES, HANDOFF, MODES, tasks_of
from finegrain_lab.experiments.handoff_rows import EMPTY
from finegrain_lab.experiments.handoff_values import VALUE_CASES, of_empty
from finegrain_lab.run.experiment import Plan, Slot
from finegrain_lab.show.drawing import Drawing, by_name
from finegrain_lab.show.result import Result, load
from finegrain_lab.show.views import page_of

NEAR = "shared_l3"
SHORT = short(MODES["quick"], batches=2)
TIMES = "ns of a round trip with values"
RATIOS = "a round trip with values, over the same runtime's empty one"
RESULTS = Path(__file__).parents[3] / "results"

pytestmark = pytest.mark.usefixtures("two_cpus", "fake_valgrind")


def plan_of(build: FakeBuild, runtimes: list[str], cases: Sequence[str]) -> Plan:
    return runs.plan_of(HANDOFF, build, SHORT, runtimes=runtimes, cases=cases)


def test_the_cases_and_their_tasks() -> None:
    values = ("value-in", "value-out-8", "value-out-32", "reference-out", "in-and-out")
    assert list(VALUE_CASES) == list(values)
    assert list(CASES) == [*EMPTY_CASES, *values]
    assert [tasks_of(case) for case in VALUE_CASES] == [1] * len(VALUE_CASES)
    assert [tasks_of(case) for case in ("empty", "burst-8", "burst-128")] == [1, 8, 128]


def test_no_instructions_are_counted_of_them(build: FakeBuild) -> None:
    run = sampled(HANDOFF, plan_of(build, ["relic"], ("empty", *VALUE_CASES)))
    assert list(run.found["instructions"]) == ["empty"]
    assert run.found["notes"] == {"relic": []}
    counted = [line for line in build.starts() if line.startswith("handoff-instructions")]
    assert counted == ["handoff-instructions --case empty --repeat 100"] * 2


def test_the_ratio_is_to_the_same_runtime_s_empty_task_of_the_same_round(build: FakeBuild) -> None:
    plan = plan_of(build, ["relic", "boost-spsc"], (EMPTY, "value-in"))
    times = {slot: [100.0] * 3 for slot in plan.slots}  # what is not looked at

    def say(case: str, runtime: str, policy: str, *ns: float) -> None:
        slot = Slot.of(case, runtime, policy=policy, placement=NEAR, group=case)
        assert slot in times
        times[slot] = list(ns)

    # The host slows down by three in round 2: 1.5, 1.4, 1.5. That of the medians would be 1.75.
    say(EMPTY, "relic", "spin", 100.0, 120.0, 300.0)
    say("value-in", "relic", "spin", 150.0, 168.0, 450.0)
    # Another policy's empty task is another one: 3, 3, 3. And so is another runtime's: 2, 2, 2.
    say(EMPTY, "relic", "spin_pause", 50.0, 56.0, 150.0)
    say("value-in", "relic", "spin_pause", 150.0, 168.0, 450.0)
    say(EMPTY, "boost-spsc", "spin", 200.0, 240.0, 600.0)
    say("value-in", "boost-spsc", "spin", 400.0, 480.0, 1200.0)
    outputs = {
        slot: [
            {
                **{"runtime": slot.runtime, "policy": slot.policy, "case": slot.case},
                **{"ns": [ns], "main_cpu": 0, "task_cpus": [1]},
            }
            for ns in by_round
        ]
        for slot, by_round in times.items()
    }
    result = runs.result_of(HANDOFF, plan, outputs)

    def ratio(runtime: str, policy: str) -> Any:
        return of_empty(result, result.row(case="value-in", runtime=runtime, policy=policy))

    assert ratio("relic", "spin") == (pytest.approx(1.5), pytest.approx((1.4, 1.5)))
    assert ratio("relic", "spin_pause")[0] == pytest.approx(3.0)
    assert ratio("boost-spsc", "spin")[0] == pytest.approx(2.0)


def test_the_terminal_has_times_and_ratios(ran: Ran, capsys: pytest.CaptureFixture[str]) -> None:
    ran("handoff", "--cases", ",".join(("empty", *VALUE_CASES)))
    output = " ".join(capsys.readouterr().out.split())
    relic = r"relic spin_then_sleep( 16\d){3} 33\d 16\d relic spin_pause( 16\d){3} 33\d"
    assert re.search(rf"{TIMES} runtime policy {' '.join(VALUE_CASES)} .*?{relic}", output)
    same, twice = r"1\.00 ±0\.0\d", r"2\.0\d ±0\.0\d|1\.9\d ±0\.0\d"
    ratios = rf"boost-spsc spin_pause( {same}){{3}} ({twice}) {same}"
    assert re.search(rf"{RATIOS} ± half of ci95 .*?{ratios}", output)
    assert re.search(
        r"of the floor; one with a result of 8 bytes takes 1\.00 of it, "
        r"stored into a variable (2\.0\d|1\.99)",
        output,
    )


def test_without_an_empty_task_there_are_times_alone(
    ran: Ran, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ran("handoff", "--cases", "value-in,in-and-out")
    output = " ".join(capsys.readouterr().out.split())
    assert f"{TIMES} runtime policy value-in in-and-out" in output
    assert RATIOS not in output
    assert "in a burst" not in output
    page = (tmp_path / "out/handoff.html").read_text()
    assert TIMES in page
    assert RATIOS.replace("'", "&#39;") not in page


def test_one_way_home_alone_is_not_told_in_the_header(
    ran: Ran, capsys: pytest.CaptureFixture[str]
) -> None:
    ran("handoff", "--cases", "empty,value-out-8")
    output = " ".join(capsys.readouterr().out.split())
    assert "a round trip of" in output
    assert "a result of 8 bytes" not in output


def test_without_a_value_there_is_no_table_of_them(
    ran: Ran, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ran("handoff", "--cases", "empty,burst-2")
    assert TIMES not in capsys.readouterr().out
    assert "Tasks with values" not in (tmp_path / "out/handoff.html").read_text()


def test_a_case_that_fails_says_so_where_its_time_would_be(
    ran: Ran, build: FakeBuild, capsys: pytest.CaptureFixture[str]
) -> None:
    build.trouble_in(
        "handoff", f'[ "$runtime/$policy/$case" = boost-spsc/spin/value-in ] && {KILLED}'
    )
    ran("handoff", "--cases", "empty,value-in", "--runtimes", "boost-spsc", status=1)
    output = " ".join(capsys.readouterr().out.split())
    assert len(re.findall(r"boost-spsc spin failed", output)) == 2  # its time and its ratio


def test_the_page_has_times_and_ratios_with_their_intervals(whole: WholeRun) -> None:
    page = whole("handoff").page
    section = page.partition("Tasks with values")[2].partition("Instructions of")[0]
    assert "and every runtime carries the value" in section
    assert len(re.findall(r"<table", section)) >= 2
    assert TIMES in section
    assert RATIOS.replace("'", "&#39;") in section
    assert "half of ci95" not in section
    assert "relic-paper" in section
    assert "floor-two-line" not in section.rpartition("</svg>")[2]  # it carries no task


def test_the_figure_has_a_bar_a_runtime_and_case(
    drawings: dict[str, list[Drawing]], whole_results: dict[str, Any]
) -> None:
    result = whole_results["handoff"]
    drawing = by_name(drawings["handoff"])[f"values-{NEAR}"]
    rows = list(csv.reader(io.StringIO(drawing.csv)))[1:]
    carriers = [name for name in ROUND_TRIP_NS if "floor" not in name]
    bars = {(row[0], row[2]): float(row[1]) for row in rows if row[0] != "floor"}
    assert list(bars) == [(name, case) for name in carriers for case in (EMPTY, *VALUE_CASES)]
    for (runtime, case), length in bars.items():
        policy = result.settings.policies[runtime][0]
        row = result.row(case=case, runtime=runtime, policy=policy)
        assert length == pytest.approx(row.of_floor)


@pytest.mark.parametrize("folder", sorted(each.parent for each in RESULTS.glob("*/handoff.json*")))
def test_a_published_result_shows_them_if_it_has_them(folder: Path) -> None:
    result: Result = load(folder, HANDOFF)
    page = page_of(HANDOFF, result)
    assert "burst-64" in page
    # The older results were measured before these cases were.
    assert ("Tasks with values" in page) == bool(set(result.cases) & set(VALUE_CASES))
