# SPDX-License-Identifier: Apache-2.0
"""periodic: pairing, beats, how runtimes wait, and every way to fail."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from conftest import Ran, Refused, WholeRun
from fakes import CRASH, HOW_TO_GET, MISSING, WRONG_RESULT, FakeBuild
from runs import plan_of, result_of, sampled, short

from finegrain_lab.experiments.periodic import (
    BEATS,
    DEFAULT,
    FULL,
    HINTS,
    MIDDLE,
    MODES,
    PERIODIC,
    PERIODS_US,
    QUICK,
    SPINNING,
    Beat,
    answers_of,
    quantile,
    share_text,
    slot_of,
    warmup_of,
)
from finegrain_lab.run.experiment import Slot

SHORT = short(MODES["quick"], ticks_ms=4, most_answers=3, least_answers=2)
CONTESTANTS = [
    *(("serial", "default"), ("relic", "default"), ("relic", "spinning"), ("relic", "hints")),
    *(("pool", "default"), ("gnu-openmp", "passive"), ("gnu-openmp", "active")),
    *(("intel-openmp", "passive"), ("intel-openmp", "active")),
    *(("onetbb", "default"), ("taskflow", "default")),
]

pytestmark = pytest.mark.usefixtures("two_cpus")


def output(slot: Slot, ns: Sequence[int], **more: Any) -> dict[str, Any]:
    """Returns what a program prints of these answers."""
    fields = ("period_us", "work_us", "jitter_percent")
    return {
        **{"runtime": slot.runtime, "waits": slot.waits, "ns": ns, "missed": 0},
        **{name: getattr(slot, name) for name in fields},
        **{"burned_share": 0.5, "elsewhere": 1.0, "work_ns": 16_000.0},
        **{"main_cpu": 0, "task_cpus": [1], "version": "1", "note": ""},
        **more,
    }


def test_answers_are_over_serial_and_spinning_of_the_same_round_and_beat(build: FakeBuild) -> None:
    plan = plan_of(PERIODIC, build, SHORT)
    outputs = {slot: [output(slot, [1000, 1000])] * 3 for slot in plan.slots}
    relic, serial = slot_of(MIDDLE, "relic"), slot_of(MIDDLE, "serial")
    spinning = slot_of(MIDDLE, "relic", SPINNING)
    # Medians of a process 300, 900, 320; serial's beside them 200, 600, 160: 1.5, 1.5, 2, where
    # the medians' ratio would be 320 / 200 = 1.6; spinning's 100, 300, 400: 3, 3, 0.8.
    outputs[relic] = [
        output(relic, [250, 300, 9000], missed=2, elsewhere=0.9, burned_share=0.1),
        output(relic, [900, 900, 900], missed=1, elsewhere=0.6, burned_share=0.3),
        output(relic, [320, 320, 320], elsewhere=0.3, burned_share=0.2),
    ]
    outputs[serial] = [output(serial, [ns, ns, 1000]) for ns in (200, 600, 160)]
    outputs[spinning] = [output(spinning, [ns, ns, ns]) for ns in (100, 300, 400)]
    row = result_of(PERIODIC, plan, outputs).row(case=MIDDLE.case, runtime="relic", waits=DEFAULT)
    assert row
    assert (row.median_ns, row.samples) == (320.0, [300.0, 900.0, 320.0])
    assert row.of_serial == pytest.approx(1.5)
    assert row.of_serial_ci95 == pytest.approx((1.5, 2.0))
    assert row.of_spinning == pytest.approx(3)
    assert row.p99_ns == 900
    assert row.p99_of_serial == pytest.approx(0.9)  # of 9, 0.9 and 0.32
    assert row.burned_share == 0.2
    assert (row.answers, row.missed, row.p999_ns) == (9, 3, 9000)
    assert row.elsewhere == pytest.approx(0.6)
    assert row.work_ns == 16_000


def test_a_quantile_is_a_value_that_was_measured() -> None:
    values = list(range(1000, 0, -1))
    assert [quantile(values, share) for share in (0.001, 0.5, 0.99, 0.999, 1)] == [
        *(1, 500, 990, 999, 1000)
    ]
    assert quantile([7], 0.999) == quantile([7], 0.01) == 7
    assert quantile(range(1, 101), 0.999) == 100  # of few the longest


def test_a_whole_run(whole: WholeRun) -> None:
    result = whole("periodic").file
    rows = {(row["case"], row["runtime"], row["waits"]): row for row in result["results"]}
    assert list(rows) == [(beat.case, *who) for beat in QUICK for who in CONTESTANTS]
    for row in rows.values():
        assert row.keys() == {
            *("case", "runtime", "waits", "period_us", "work_us", "jitter_percent"),
            *("median_ns", "median_ns_ci95", "p99_ns", "p99_ns_ci95"),
            *("burned_share", "burned_share_ci95", "of_serial", "of_serial_ci95"),
            *("of_spinning", "of_spinning_ci95", "p99_of_serial", "p99_of_serial_ci95"),
            *("p999_ns", "answers", "missed", "elsewhere", "work_ns", "samples"),
        }
    asleep = rows[MIDDLE.case, "relic", "default"]
    assert (asleep["period_us"], asleep["work_us"], asleep["jitter_percent"]) == tuple(MIDDLE)
    assert asleep["of_serial"] == asleep["p99_of_serial"] == pytest.approx(2)
    assert asleep["of_spinning"] == pytest.approx(2 / 0.55)
    assert (asleep["burned_share"], asleep["elsewhere"], asleep["missed"]) == (0.03, 0.25, 0)
    assert asleep["answers"] == 3 * answers_of(MODES["quick"], 2_000)
    assert rows["500us-16us-1%", "relic", "default"]["of_serial"] == pytest.approx(0.55)
    assert rows[MIDDLE.case, "relic", "spinning"]["of_serial"] == pytest.approx(0.55)
    assert rows[MIDDLE.case, "gnu-openmp", "active"]["of_serial"] == pytest.approx(0.55)
    assert rows[MIDDLE.case, "gnu-openmp", "passive"]["of_serial"] == pytest.approx(2)
    assert rows["2ms-64us-1%", "relic", "hints"]["of_serial"] == pytest.approx(1.25)
    settings = result["settings"]
    assert settings["beats"][MIDDLE.case] == MIDDLE._asdict()
    assert settings["spin_steps_per_us"] == 1234.5
    assert settings["seed"] == 2024
    assert [each["runtime"] for each in result["missing"]] == [MISSING]


def test_the_default_relic_and_the_spinning_one_are_ahead_of_the_tables(whole: WholeRun) -> None:
    said = " ".join(whole("periodic").said.split())
    assert "relic, 16 µs of work every 2 ms: 32.0 µs, 2.00 of serial, 3.0 % of a CPU burned" in said
    assert (
        "relic (spinning), 16 µs of work every 2 ms: 8.8 µs, 0.55 of serial, 100 % of a CPU burned"
    ) in said


def test_the_tables_vary_one_thing_at_a_time(whole: WholeRun) -> None:
    said = " ".join(whole("periodic").said.split())
    by_period = r"runtime 500us 2ms 10ms [─ ]+serial 1\.00 1\.00 1\.00 relic 0\.55 2\.00 2\.00"
    assert re.search(by_period, said)
    assert re.search(r"runtime 16us 64us [─ ]+serial 1\.00 1\.00 relic 2\.00 1\.25 ", said)
    assert re.search(r"runtime 0% 1% 20% [─ ]+serial 1\.00 1\.00 1\.00 relic 2\.00 2\.00", said)
    assert "relic (spinning) 100% 100% 100% relic (hints) 2.0% 2.0% 2.0%" in said
    assert "missed" not in said  # on the page, with all that was measured
    page = whole("periodic").page
    assert "64 µs of work every 2 ms, jitter 1 %" in page
    assert "<th>missed</th>" in re.sub(r'<th scope="col"[^>]*>', "<th>", page)


def test_the_figure_is_the_middle_s_work_and_jitter_by_period(whole: WholeRun) -> None:
    result = whole("periodic").result
    figure = next(part for section in PERIODIC.sections(result) for part in section.parts)
    series = {it.name: it for it in figure.series}
    assert list(series) == [
        *(name if waits == "default" else f"{name} ({waits})" for name, waits in CONTESTANTS[1:]),
        "serial",
    ]
    points = [(point.x, point.y) for point in series["relic"].points]
    assert points == [(500, pytest.approx(0.55)), (2_000, 2.0), (10_000, 2.0)]


def test_the_processes_get_what_the_protocol_says(build: FakeBuild) -> None:
    sampled(PERIODIC, plan_of(PERIODIC, build, SHORT))
    starts = build.starts()
    end = "--seed 2024{} --spin-steps-per-us 1234.5 --cpus 0,1"
    for beat, answers, warmup in ((MIDDLE, 2, 3), (QUICK[0], 3, 3), (QUICK[-1], 2, 3)):
        begin = (
            f"--period-us {beat.period_us} --work-us {beat.work_us} --jitter-percent "
            f"{beat.jitter_percent} --answers {answers} --warmup {warmup} "
        )
        for waits in (DEFAULT, SPINNING, HINTS):
            command = f"periodic/periodic-relic {begin}{end.format(f' --waits {waits}')}"
            assert starts.count(command) == 3
        assert starts.count(f"periodic/periodic-pool {begin}{end.format('')}") == 3
        assert starts.count(f"periodic/periodic-gnu-openmp {begin}{end.format('')}") == 2 * 3
    assert len(starts) == 3 * (6 * 11 + 4)


def environments(build: FakeBuild, runtime: str) -> Mapping[str, Mapping[str, str]]:
    """Returns how a runtime is set up, by how it is to wait."""
    plan = plan_of(PERIODIC, build, SHORT)
    slots = [it for it in plan.slots if (it.case, it.runtime) == (MIDDLE.case, runtime)]
    return {it.waits: plan.command(it, {"spin_steps_per_us": 1.0}).environment for it in slots}


def test_openmp_s_threads_sleep_at_once_or_never(build: FakeBuild) -> None:
    common = {
        **{"OMP_NUM_THREADS": "2", "OMP_PLACES": "{0},{1}", "OMP_PROC_BIND": "close"},
        "OMP_DYNAMIC": "false",
    }
    for runtime, forever in (
        ("gnu-openmp", {"GOMP_SPINCOUNT": "infinite"}),
        ("intel-openmp", {"KMP_BLOCKTIME": "infinite"}),
    ):
        assert environments(build, runtime) == {
            "passive": {**common, "OMP_WAIT_POLICY": "passive"},
            "active": {**common, "OMP_WAIT_POLICY": "active", **forever},
        }
    assert environments(build, "relic") == {"default": {}, "spinning": {}, "hints": {}}


def test_beats_leave_time_to_wait() -> None:
    assert len(set(BEATS)) == len(BEATS) == (2 + 4 + 4 + 4 + 4) * 3
    assert all(2 * beat.work_us <= beat.period_us for beat in BEATS)
    assert Beat(100, 16, 1) in BEATS
    assert Beat(100, 64, 1) not in BEATS
    assert set(QUICK) <= set(FULL) <= set(BEATS)


def test_a_full_run_has_a_thousand_answers_to_what_is_frequent() -> None:
    full = MODES["full"]
    answers = {us: full.min_rounds * answers_of(full, us) for us in PERIODS_US}
    assert all(answers[us] >= 1000 for us in PERIODS_US[:-1])
    assert answers[100_000] >= 100
    # A process of the quick run takes about a second at most.
    quick = MODES["quick"]
    for beat in QUICK:
        ticks = answers_of(quick, beat.period_us)
        assert (ticks + warmup_of(ticks)) * beat.period_us < 1_000_000


def test_a_process_s_answers_are_bounded_by_time_and_number() -> None:
    mode = short(MODES["quick"], ticks_ms=100, most_answers=400, least_answers=5)
    assert [answers_of(mode, period_us) for period_us in PERIODS_US] == [400, 200, 50, 10, 5]
    assert [warmup_of(answers) for answers in (400, 100, 50, 10, 5)] == [20, 20, 10, 3, 3]


def test_a_brief_run_has_the_figure_s_beats_and_shorter_processes(build: FakeBuild) -> None:
    plan = plan_of(PERIODIC, build, MODES["quick"], is_brief=True)
    assert plan.cases == ["500us-16us-1%", "2ms-16us-1%", "10ms-16us-1%"]
    assert list(plan.settings["answers_per_process"].values()) == [600, 150, 30]
    assert {(it.runtime, it.waits) for it in plan.slots} == set(CONTESTANTS)


def test_runtimes_and_cases_are_those_asked_for(build: FakeBuild) -> None:
    asked = {"runtimes": ["llvm-openmp", "pool"], "cases": ["2ms-64us-1%"]}
    plan = plan_of(PERIODIC, build, MODES["quick"], **asked)
    assert plan.runtimes == ["serial", "pool", "llvm-openmp"]
    assert {slot.case for slot in plan.slots} == {"2ms-64us-1%"}
    beyond = plan_of(PERIODIC, build, MODES["quick"], cases=["100ms-200us-0%", "100us-4us-20%"])
    assert beyond.cases == ["100us-4us-20%", "100ms-200us-0%"]
    assert plan.notes == {"serial": "", "llvm-openmp": "built with assertions"}


def test_without_relic_nothing_is_over_its_spinning(ran: Ran) -> None:
    result = ran("periodic", "--runtimes", "onetbb", "--cases", "2ms-16us-1%")
    assert {row["runtime"] for row in result["results"]} == {"serial", "onetbb"}
    assert all(row["of_spinning"] is None for row in result["results"])
    assert all(row["of_serial"] for row in result["results"])


def test_a_runtime_that_is_not_installed_is_told(refused: Refused) -> None:
    refused("periodic", "--runtimes", MISSING, text=f"{MISSING} is not installed: {HOW_TO_GET}")


def test_a_runtime_that_fails_is_left_out_and_told(
    ran: Ran, build: FakeBuild, capsys: pytest.CaptureFixture[str]
) -> None:
    where = 'if [ "$waits/$period/$work/$jitter" = hints/2000/16/20 ]'
    build.trouble_in("periodic/periodic-relic", f"{where}; then {CRASH}; fi")
    result = ran("periodic", status=1)
    reason = {"case": "2ms-16us-20%, hints", "reason": "exit status 1: boom"}
    assert result["failed"] == [{"runtime": "relic", **reason}]
    assert len(result["results"]) == 6 * 11 - 1
    output = capsys.readouterr().out
    assert "relic: failed on 2 ms-16 µs-20 %, hints: exit status 1: boom" in output
    assert "failed" in output.partition("by jitter")[2].partition("pool")[0]


@pytest.mark.parametrize(
    ("program", "commands", "text"),
    [
        ("relic", f"case=x; {WRONG_RESULT}", "wrong result from relic"),
        ("serial", CRASH, "failed: exit status 1: boom"),
    ],
)
def test_what_ends_a_run_leaves_no_file(
    refused: Refused, build: FakeBuild, program: str, commands: str, text: str
) -> None:
    build.trouble_in(f"periodic/periodic-{program}", commands)
    refused("periodic", text=text)


@pytest.mark.parametrize(
    ("commands", "reason"),
    [
        ("waits=spinning", "answered with a sample of something else"),
        ("period=501", "answered with a sample of something else"),
        ("work=17", "answered with a sample of something else"),
        ("jitter=2", "answered with a sample of something else"),
        ("batches=2", "gave other than 3 answers"),
        ("work=-20", "answered with a sample of something else"),
    ],
)
def test_half_a_sample_is_a_failure(build: FakeBuild, commands: str, reason: str) -> None:
    where = 'if [ "$waits/$period" = hints/500 ]'
    build.trouble_in("periodic/periodic-relic", f"{where}; then {commands}; fi")
    run = sampled(PERIODIC, plan_of(PERIODIC, build, SHORT))
    assert run.samples.failed == {slot_of(QUICK[0], "relic", HINTS): reason}


def test_a_time_that_is_not_positive_is_a_failure(build: FakeBuild) -> None:
    plan = plan_of(PERIODIC, build, SHORT)
    slot = slot_of(MIDDLE, "pool")
    for ns, complaint in (([5, 0], "gave a time that is not positive"), ([5, 1], "")):
        sample = PERIODIC.sample(**output(slot, ns))
        assert PERIODIC.complaint(sample, slot, plan) == complaint


def test_a_share_is_told_as_precisely_as_it_matters() -> None:
    texts = [share_text(share) for share in (1.004, 0.0951, 0.0007, -0.001)]
    assert texts == ["100%", "9.5%", "0.1%", "0.0%"]
