# SPDX-License-Identifier: Apache-2.0
"""bots and strassen: what the programs are told, what is drawn, and the mean over applications."""

from typing import Any

import pytest
from conftest import Ran
from fakes import FakeBuild
from runs import result_of, sampled
from test_tasking import filled, output, plan_of, rows_of, slot_of, tables_of

from finegrain_lab.experiments import bots, strassen
from finegrain_lab.experiments.applications import (
    EXECUTION_TIME,
    ApplicationCase,
    ApplicationSample,
)
from finegrain_lab.experiments.bots import BOTS
from finegrain_lab.run.shapes import fit
from finegrain_lab.show.result import Result

REFERENCE = "pool-private_deque"

pytestmark = pytest.mark.usefixtures("two_cpus")


def test_all_nine_are_there_tied_and_untied_in_every_mode() -> None:
    nine = [
        *("fib", "nqueens", "floorplan", "alignment", "fft", "health", "sort", "sparselu"),
        "strassen",
    ]
    for mode in BOTS.modes:
        names = [case.name for case in bots.CASES[mode]]
        assert names == nine + [f"{name}-untied" for name in nine]
    assert bots.PAPER_SIZES["fib"] == 40
    assert bots.PAPER_SIZES["nqueens"] == 14


def test_the_programs_are_told_the_application(build: FakeBuild) -> None:
    sampled(BOTS, plan_of(build, BOTS, ["gnu-openmp", "onetbb"], "fib", "fib-untied"))
    tied = [line for line in build.starts() if "bots --application fib --size 24" in line]
    untied = [line for line in tied if "--untied-tasks" in line]
    assert {line.split()[0].removeprefix("spawn/spawn-") for line in untied} == {
        *("serial", "pool", "gnu-openmp"),
    }
    others = {line.split()[0] for line in tied if "--untied-tasks" not in line}
    assert "spawn/spawn-onetbb" in others
    # Untied tasks are measured on all threads only.
    gnu = [line for line in untied if "spawn-gnu-openmp" in line]
    assert all("--threads 2" in line for line in gnu)


def test_who_takes_part() -> None:
    tied, untied = (ApplicationCase("fib", (), tied=tied) for tied in (True, False))
    for runtime in ("serial", REFERENCE, "gnu-openmp", "gnu-openmp+finegrain:private_deque"):
        assert tied.is_for(runtime)
        assert untied.is_for(runtime)
    for runtime in ("onetbb", "pool-combining"):
        assert tied.is_for(runtime)
        assert not untied.is_for(runtime)
    for runtime in ("ceiling", "opencilk", "rayon", "chili", "charm++"):
        assert not tied.is_for(runtime)


def test_the_time_is_that_of_the_whole_application() -> None:
    case = ApplicationCase("sort", (), tied=True)
    printed = output(slot_of("sort", "x", 2), [100.0], tasks=2000)
    sample = fit(printed, ApplicationSample)
    assert EXECUTION_TIME.of(sample, case) == 0.2  # ms


@pytest.mark.parametrize(
    ("found", "reason"),
    [
        ('found="900, 99"', "counted other than 1000 tasks"),
        ("found=1000", "counted the tasks of other than 2 threads"),
    ],
)
def test_tasks_that_were_not_counted_are_a_failure(
    build: FakeBuild, found: str, reason: str
) -> None:
    build.trouble_in("spawn/spawn-onetbb", f'[ "$threads" = 1 ] || {found}')
    run = sampled(BOTS, plan_of(build, BOTS, ["onetbb"], "sort"))
    assert run.samples.failed == {slot_of("sort", "onetbb", 2): reason}


def test_floorplan_may_have_another_number_of_tasks(build: FakeBuild) -> None:
    build.trouble_in("spawn/spawn-onetbb", '[ "$threads" = 1 ] || found="900, 99"')
    assert not sampled(BOTS, plan_of(build, BOTS, ["onetbb"], "floorplan")).samples.failed


# ---- the mean over the applications ----


def result_with(build: FakeBuild, times: dict[str, dict[str, tuple[float, ...]]]) -> Result:
    """Returns a result of these times, by case and runtime; who has none has crashed."""
    plan = plan_of(build, BOTS, ["gnu-openmp", "onetbb"], *times)
    outputs: dict[Any, Any] = {}
    for of in plan.slots:
        if of.runtime in times[of.case]:
            outputs |= filled(of, *times[of.case][of.runtime])
    failed = {of: "crashed" for of in plan.slots if of not in outputs}
    return result_of(BOTS, plan, outputs, failed=failed)


def test_the_mean_is_over_the_better_form_of_each_application(build: FakeBuild) -> None:
    result = result_with(
        build,
        {
            "fib": {
                "serial": (1.0,) * 3,
                REFERENCE: (100.0, 100.0, 200.0),
                "gnu-openmp": (800.0, 900.0, 1400.0),  # 8, 9, 7 times
                "onetbb": (100.0, 400.0, 400.0),  # 1, 4, 2 times
            },
            "sort": {
                "serial": (1.0,) * 3,
                REFERENCE: (100.0,) * 3,
                "gnu-openmp": (90.0,) * 3,
                "onetbb": (50.0,) * 3,
            },
            "fib-untied": {
                "serial": (1.0,) * 3,
                REFERENCE: (200.0,) * 3,
                "gnu-openmp": (1000.0,) * 3,  # 5 times: better than tied
            },
            "sort-untied": {
                "serial": (1.0,) * 3,
                REFERENCE: (100.0,) * 3,
                "gnu-openmp": (300.0,) * 3,
            },
        },
    )
    (table,) = tables_of(BOTS, result, "applications")
    assert "over all 2 applications" in table.title
    assert rows_of(table) == {
        "gnu-openmp": ["2.12", "2.12 to 2.12", "0.90", "sort"],  # of 5 and 0.9
        "onetbb": ["1.00", "0.71 to 1.41", "0.50", "sort"],  # of 2 and 0.5
    }


def test_a_runtime_that_lacks_an_application_has_no_mean(build: FakeBuild) -> None:
    whole: dict[str, tuple[float, ...]] = {
        "serial": (1.0,) * 3,
        REFERENCE: (2.0,) * 3,
        "onetbb": (3.0,) * 3,
    }
    result = result_with(build, {"fib": whole, "sort": whole | {"gnu-openmp": (3.0,) * 3}})
    (table,) = tables_of(BOTS, result, "applications")
    assert set(rows_of(table)) == {"onetbb"}


# ---- strassen ----


def test_strassen_is_measured_by_threads_and_by_base(ran: Ran, build: FakeBuild) -> None:
    result = ran("strassen", "--runtimes", "onetbb")
    assert result["cases"] == ["scaling", "base-16", "base-32", "base-64", "base-128"]
    by_threads = {
        (row["case"], row["threads"]) for row in result["results"] if row["runtime"] == "onetbb"
    }
    assert {("scaling", 1), ("scaling", 2), ("base-16", 2)} <= by_threads
    assert ("base-16", 1) not in by_threads
    assert any("--application strassen --size 512 --base 64" in line for line in build.starts())


def test_strassen_has_the_paper_s_sizes() -> None:
    words = [" ".join(map(str, case.words)) for case in strassen.CASES["paper"]]
    assert words[0].endswith("--size 8192 --base 256")
    assert [word.rpartition(" ")[2] for word in words[1:]] == ["128", "256", "512", "1024"]
    assert strassen.STRASSEN.modes["paper"]["batches"] == 3
