# SPDX-License-Identifier: Apache-2.0
"""bots and strassen: what the programs are told, what is drawn, and the mean over applications."""

import pytest
from conftest import Ran, Silent, host_of
from fakes import FakeBuild
from test_tasking import fill, plan_of

from finegrain_lab.tasking import bots, strassen
from finegrain_lab.tasking.applications import EXECUTION_TIME, ApplicationCase
from finegrain_lab.tasking.evaluate import to_result
from finegrain_lab.tasking.measure import Measured, Slot, measure
from finegrain_lab.tasking.protocol import TaskSample
from finegrain_lab.tasking.results import Result
from finegrain_lab.tasking.study import Table

REFERENCE = "pool-private_deque"

pytestmark = pytest.mark.usefixtures("two_cpus")


def test_all_nine_are_there_tied_and_untied_in_every_mode() -> None:
    nine = [
        *("fib", "nqueens", "floorplan", "alignment", "fft", "health", "sort", "sparselu"),
        "strassen",
    ]
    for mode in bots.STUDY.modes:
        names = [case.name for case in bots.STUDY.cases_of(mode)]
        assert names == nine + [f"{name}-untied" for name in nine]
    assert bots.PAPER_SIZES["fib"] == 40
    assert bots.PAPER_SIZES["nqueens"] == 14


def test_the_programs_are_told_the_application(build: FakeBuild) -> None:
    measure(plan_of(build, bots.STUDY, ["gnu-openmp", "onetbb"], "fib", "fib-untied"), Silent())
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
    for runtime in ("ceiling", "opencilk", "charm++"):
        assert not tied.is_for(runtime)


def test_the_time_is_that_of_the_whole_application() -> None:
    case = ApplicationCase("sort", (), tied=True)
    sample = TaskSample(
        runtime="x",
        threads=2,
        tasks=2000,
        ns=[100.0],
        offloaded_share=0.5,
        cpus=[0, 1],
        allocator="glibc",
        version="",
        tasks_by_thread=[[1000, 1000]],
    )
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
    measured = measure(plan_of(build, bots.STUDY, ["onetbb"], "sort"), Silent())
    assert measured.failed == {Slot("sort", "onetbb", 2): reason}


def test_floorplan_may_have_another_number_of_tasks(build: FakeBuild) -> None:
    build.trouble_in("spawn/spawn-onetbb", '[ "$threads" = 1 ] || found="900, 99"')
    assert not measure(plan_of(build, bots.STUDY, ["onetbb"], "floorplan"), Silent()).failed


# ---- the mean over the applications ----


def result_of(build: FakeBuild, times: dict[str, dict[str, tuple[float, ...]]]) -> Result:
    """Returns a result of these times, by case and runtime."""
    plan = plan_of(build, bots.STUDY, ["gnu-openmp", "onetbb"], *times)
    measured = Measured(floor_samples=[100.0])
    for case, by_runtime in times.items():
        for contestant in plan.everyone:
            for slot in plan.slots_of(plan.case(case), contestant):
                if slot.runtime in by_runtime:
                    fill(measured, slot, *by_runtime[slot.runtime])
                else:
                    measured.failed[slot] = "crashed"
    return to_result(plan, measured, host_of(plan.build))


def rows_of(table: Table) -> dict[str, tuple[str, ...]]:
    return {name: tuple(cells) for name, cells in table.rows}


def test_the_mean_is_over_the_better_form_of_each_application(build: FakeBuild) -> None:
    result = result_of(
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
    (table,) = bots.STUDY.tables(bots.STUDY, result)
    assert "over all 2 applications" in table.title
    assert rows_of(table) == {
        "gnu-openmp": ("2.12", "2.12 to 2.12", "0.90", "sort"),  # of 5 and 0.9
        "onetbb": ("1.00", "0.71 to 1.41", "0.50", "sort"),  # of 2 and 0.5
    }


def test_a_runtime_that_lacks_an_application_has_no_mean(build: FakeBuild) -> None:
    whole: dict[str, tuple[float, ...]] = {
        "serial": (1.0,) * 3,
        REFERENCE: (2.0,) * 3,
        "onetbb": (3.0,) * 3,
    }
    result = result_of(build, {"fib": whole, "sort": whole | {"gnu-openmp": (3.0,) * 3}})
    (table,) = bots.STUDY.tables(bots.STUDY, result)
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
    words = [" ".join(case.words) for case in strassen.STUDY.cases_of("paper")]
    assert words[0].endswith("--size 8192 --base 256")
    assert [word.rpartition(" ")[2] for word in words[1:]] == ["128", "256", "512", "1024"]
    assert strassen.STUDY.modes["paper"].batches == 3
