# SPDX-License-Identifier: Apache-2.0
"""spawn-homogeneous and -heterogeneous: the work units' lengths, and what is made of ten runs."""

import cmath
import math
from collections.abc import Callable

import numpy as np
import pytest
from conftest import Ran, Silent, host_of
from fakes import FakeBuild
from test_tasking import fill, plan_of

from finegrain_lab.tasking import spawn_heterogeneous, spawn_homogeneous
from finegrain_lab.tasking.distributions import (
    CMS,
    LEVY,
    LOCATION,
    NORMAL_25,
    NORMAL_75,
    Distribution,
    cms_scale,
)
from finegrain_lab.tasking.evaluate import to_result
from finegrain_lab.tasking.measure import Measured, Slot, measure
from finegrain_lab.tasking.protocol import TaskSample
from finegrain_lab.tasking.study import Table
from finegrain_lab.tasking.work_units import EXECUTION_TIME, UnitCase, mean_of_most

ALL = (CMS, LEVY, NORMAL_25, NORMAL_75)
MANY = 200_000

pytestmark = pytest.mark.usefixtures("two_cpus")


# ---- the distributions, by the characteristic functions that the paper prints ----


def cms(t: float) -> complex:
    alpha, beta = 1.0744, -1
    k = 1 - abs(1 - alpha)
    return cmath.exp(
        -(abs(t) ** alpha) * cmath.exp(-1j * math.pi / 2 * beta * k * math.copysign(1, t))
    )


def levy(t: float) -> complex:
    return cmath.exp(-(abs(t) ** 1.5))


def normal(deviation: float) -> Callable[[float], complex]:
    return lambda t: cmath.exp(-((deviation * t) ** 2) / 2)


@pytest.mark.parametrize(
    ("distribution", "expected", "points"),
    [
        (CMS, cms, (-2.0, -0.5, 0.5, 1.0, 2.0, 5.0)),
        (LEVY, levy, (-1.0, 0.3, 1.0, 2.0)),
        (NORMAL_25, normal(25), (0.01, 0.05)),
        (NORMAL_75, normal(75), (0.005, 0.02)),
    ],
)
def test_what_is_drawn_has_the_paper_s_characteristic_function(
    distribution: Distribution, expected: Callable[[float], complex], points: tuple[float, ...]
) -> None:
    drawn = distribution.sample(np.random.default_rng(1), MANY) - LOCATION
    for t in points:
        # 1/sqrt(200,000) is 0.0022.
        assert abs(np.exp(1j * t * drawn).mean() - expected(t)) < 0.012, t


def test_the_cms_scale_is_that_of_the_usual_form() -> None:
    assert cms_scale(1.0744, -1) == pytest.approx(math.exp(-2), rel=1e-3)


@pytest.mark.parametrize("distribution", ALL, ids=lambda it: it.name)
def test_the_same_whole_numbers_are_drawn_each_time_none_below_0(
    distribution: Distribution,
) -> None:
    drawn = distribution.draw(1000)
    assert drawn.dtype == np.int64
    assert (drawn == distribution.draw(1000)).all()
    assert drawn.min() >= 0
    assert len(set(drawn.tolist())) > 5


def test_the_tails_are_cut_off() -> None:
    far = Distribution("far", "", lambda random, n: random.normal(0, 1000, n), most=500)
    drawn = far.draw(1000)
    assert (drawn.min(), drawn.max()) == (0, 500)
    assert CMS.most == 300_000
    assert LEVY.most == 1_000_000


# ---- ten runs ----


@pytest.mark.parametrize(
    ("runs", "mean"),
    [
        ([1.0] * 6 + [50.0, 60.0, 70.0, 80.0], 1.0),
        ([2.0, 4.0, 2.0, 4.0, 2.0, 4.0, 90.0, -80.0, 70.0, -60.0], 3.0),
        ([1.0, 9.0, 2.0], 1.5),  # of three, one
        ([7.0], 7.0),
    ],
)
def test_of_ten_runs_the_four_farthest_out_are_dropped(runs: list[float], mean: float) -> None:
    assert mean_of_most(runs) == pytest.approx(mean)


def test_the_time_is_that_of_as_many_tasks_as_the_paper_s() -> None:
    sample = TaskSample(
        runtime="x",
        threads=1,
        tasks=200,
        ns=[100.0] * 6 + [900.0] * 4,
        offloaded_share=0,
        cpus=[0],
        allocator="glibc",
        version="",
        tasks_by_thread=[[200]],
    )
    case = UnitCase("100", x=100, iterations=100, tasks_each=200)
    assert EXECUTION_TIME.of(sample, case) == 50.0  # ms


# ---- what the processes are told ----


def test_the_programs_get_the_iterations(build: FakeBuild) -> None:
    measure(plan_of(build, spawn_homogeneous.STUDY, ["gnu-openmp"], "0", "1000"), Silent())
    for words in ("--tasks 100000 --iterations 0", "--tasks 2000 --iterations 1000"):
        lines = [line for line in build.starts() if f" flat --producers 1 {words}" in line]
        assert {line.split()[0] for line in lines} == {
            *("spawn/spawn-serial", "spawn/spawn-pool", "spawn/spawn-gnu-openmp"),
        }


def test_every_runtime_gets_the_same_numbers(build: FakeBuild) -> None:
    seen = build.folder / "numbers"
    for program in ("spawn-serial", "spawn-pool", "spawn-gnu-openmp"):
        build.trouble_in(f"spawn/{program}", f'cksum <"$numbers" >>"{seen}"')
    plan = plan_of(build, spawn_heterogeneous.STUDY, ["gnu-openmp"], "levy")
    measure(plan, Silent())
    sums = seen.read_text().splitlines()
    assert len(sums) > 10
    assert len(set(sums)) == 1
    expected = "".join(f"{number}\n" for number in LEVY.draw(20_000))
    assert sums[0].split()[1] == str(len(expected))


@pytest.mark.parametrize(
    ("name", "case", "words"),
    [
        (
            "spawn-homogeneous",
            "10000",
            "--batches 10 --batch-ms 30 flat --producers 1 --tasks 500000 ",
        ),
        ("spawn-heterogeneous", "levy", "flat --producers 1 --tasks 500000 --iterations-from "),
    ],
)
def test_paper_has_the_paper_s_own_sizes(
    ran: Ran, build: FakeBuild, name: str, case: str, words: str
) -> None:
    assert ran(name, "--paper", "--cases", case, "--runtimes", "onetbb")["mode"] == "paper"
    assert any(words in line for line in build.starts())


# ---- the tables ----


def columns_of(table: Table) -> dict[str, dict[str, str]]:
    return {name: dict(zip(table.columns, cells, strict=True)) for name, cells in table.rows}


def test_the_largest_difference_is_over_the_threads_and_less_the_work_s_own(
    build: FakeBuild,
) -> None:
    study = spawn_heterogeneous.STUDY
    plan = plan_of(build, study, ["gnu-openmp"], "alike", "levy")
    measured = Measured(floor_samples=[100.0])
    for threads in (1, 2):
        fill(measured, Slot("alike", "pool-private_deque", threads), 100.0, 200.0, 100.0)
        fill(measured, Slot("alike", "gnu-openmp", threads), 100.0, 100.0, 100.0)
    for case, ns in (("alike", 100.0), ("levy", 101.0)):
        fill(measured, Slot(case, "serial", 1), ns, ns, ns)
        fill(measured, Slot(case, "ceiling", 2), ns, ns, ns)
    fill(measured, Slot("levy", "pool-private_deque", 1), 101.0, 204.0, 103.0)  # 1, 2, 3 %
    fill(measured, Slot("levy", "pool-private_deque", 2), 105.0, 208.0, 103.0)  # 5, 4, 3 %
    fill(measured, Slot("levy", "gnu-openmp", 1), 95.0, 95.0, 95.0)
    fill(measured, Slot("levy", "gnu-openmp", 2), 102.0, 102.0, 102.0)
    result = to_result(plan, measured, host_of(plan.build))
    _, raw, less_work = study.tables(study, result)
    assert columns_of(raw) == {
        "serial": {"levy": "+1.00"},
        "pool-private_deque": {"levy": "+4.00"},
        "gnu-openmp": {"levy": "-5.00"},
    }
    assert columns_of(less_work) == {
        "pool-private_deque": {"levy": "+3.00"},
        "gnu-openmp": {"levy": "-6.00"},
    }


def test_a_difference_needs_both(build: FakeBuild) -> None:
    study = spawn_heterogeneous.STUDY
    plan = plan_of(build, study, ["gnu-openmp"], "alike", "levy")
    measured = Measured(floor_samples=[100.0])
    for case in ("alike", "levy"):
        fill(measured, Slot(case, "serial", 1), 100.0, 100.0)
        fill(measured, Slot(case, "ceiling", 2), 100.0, 100.0)
        for threads in (1, 2):
            fill(measured, Slot(case, "pool-private_deque", threads), 100.0, 100.0)
            measured.failed[Slot(case, "gnu-openmp", threads)] = "crashed"
    del measured.failed[Slot("levy", "gnu-openmp", 2)]
    fill(measured, Slot("levy", "gnu-openmp", 2), 95.0, 95.0)
    result = to_result(plan, measured, host_of(plan.build))
    _, raw, _ = study.tables(study, result)
    assert columns_of(raw)["gnu-openmp"] == {"levy": ""}


def test_the_drawn_numbers_are_described(ran: Ran, capsys: pytest.CaptureFixture[str]) -> None:
    ran("spawn-heterogeneous", "--runtimes", "onetbb")
    output = capsys.readouterr().out
    drawn = LEVY.draw(20_000)
    assert f"{drawn.mean():.2f}" in output
    assert f"{drawn.max():,}" in output


def test_the_length_of_the_work_unit_stands_beside_the_paper_s(
    ran: Ran, capsys: pytest.CaptureFixture[str]
) -> None:
    ran("spawn-homogeneous", "--runtimes", "onetbb")
    output = " ".join(capsys.readouterr().out.split())
    assert "here 1.50 41.5 402 4002 40002" in output
    assert "the paper, Table 2 2.5 103 1059 10610 106200" in output
