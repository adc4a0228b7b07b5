# SPDX-License-Identifier: Apache-2.0
"""spawn-homogeneous and -heterogeneous: the work units' lengths, and what is made of ten runs."""

import cmath
import math
import random
from collections.abc import Callable

import numpy as np
import pytest
from conftest import Ran
from fakes import FakeBuild
from runs import result_of, sampled
from test_tasking import filled, output, plan_of, slot_of, tables_of

from finegrain_lab.experiments.spawn_heterogeneous import (
    CMS,
    LEVY,
    LOCATION,
    NORMAL_25,
    NORMAL_75,
    SPAWN_HETEROGENEOUS,
    Distribution,
    cms_scale,
)
from finegrain_lab.experiments.spawn_homogeneous import SPAWN_HOMOGENEOUS
from finegrain_lab.experiments.spawning import TaskSample
from finegrain_lab.experiments.work_units import execution_ms, mean_of_most
from finegrain_lab.run.shapes import fit
from finegrain_lab.show.tables import Table

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
    numbers = random.Random(1)
    drawn = np.array([distribution.sample(numbers) for _ in range(MANY)]) - LOCATION
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
    assert {type(number) for number in drawn} == {int}
    assert drawn == distribution.draw(1000)
    assert min(drawn) >= 0
    assert len(set(drawn)) > 5


def test_the_tails_are_cut_off() -> None:
    far = Distribution("far", "", lambda numbers: numbers.gauss(0, 1000), most=500)
    drawn = far.draw(1000)
    assert (min(drawn), max(drawn)) == (0, 500)
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
    printed = output(slot_of("100", "x", 1), [100.0] * 6 + [900.0] * 4, tasks=200)
    assert execution_ms(fit(printed, TaskSample), None) == 50.0


# ---- what the processes are told ----


def test_the_programs_get_the_iterations(build: FakeBuild) -> None:
    sampled(SPAWN_HOMOGENEOUS, plan_of(build, SPAWN_HOMOGENEOUS, ["gnu-openmp"], "0", "1000"))
    for words in ("--tasks 100000 --iterations 0", "--tasks 2000 --iterations 1000"):
        lines = [line for line in build.starts() if f" flat --producers 1 {words}" in line]
        assert {line.split()[0] for line in lines} == {
            *("spawn/spawn-serial", "spawn/spawn-pool", "spawn/spawn-gnu-openmp"),
        }


def test_every_runtime_gets_the_same_numbers(build: FakeBuild) -> None:
    seen = build.folder / "numbers"
    for program in ("spawn-serial", "spawn-pool", "spawn-gnu-openmp"):
        build.trouble_in(f"spawn/{program}", f'cksum <"$numbers" >>"{seen}"')
    sampled(SPAWN_HETEROGENEOUS, plan_of(build, SPAWN_HETEROGENEOUS, ["gnu-openmp"], "levy"))
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
    return {str(line[0]): dict(zip(table.heads[1:], line[1:], strict=True)) for line in table.lines}  # type: ignore[arg-type]


RAW, LESS_WORK = "longer than tasks of one length", "less the serial process's"


def test_the_largest_difference_is_over_the_threads_and_less_the_work_s_own(
    build: FakeBuild,
) -> None:
    outputs = {
        # 1, 2, 3 %
        **filled(slot_of("levy", "pool-private_deque", 1), 101.0, 204.0, 103.0),
        # 5, 4, 3 %
        **filled(slot_of("levy", "pool-private_deque", 2), 105.0, 208.0, 103.0),
        **filled(slot_of("levy", "gnu-openmp", 1), 95.0, 95.0, 95.0),
        **filled(slot_of("levy", "gnu-openmp", 2), 102.0, 102.0, 102.0),
    }
    for threads in (1, 2):
        outputs |= filled(slot_of("alike", "pool-private_deque", threads), 100.0, 200.0, 100.0)
        outputs |= filled(slot_of("alike", "gnu-openmp", threads), 100.0, 100.0, 100.0)
    for case, ns in (("alike", 100.0), ("levy", 101.0)):
        outputs |= filled(slot_of(case, "serial", 1), ns, ns, ns)
        outputs |= filled(slot_of(case, "ceiling", 2), ns, ns, ns)
    plan = plan_of(build, SPAWN_HETEROGENEOUS, ["gnu-openmp"], "alike", "levy")
    result = result_of(SPAWN_HETEROGENEOUS, plan, outputs)
    (raw,) = tables_of(SPAWN_HETEROGENEOUS, result, RAW)
    (less_work,) = tables_of(SPAWN_HETEROGENEOUS, result, LESS_WORK)
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
    plan = plan_of(build, SPAWN_HETEROGENEOUS, ["gnu-openmp"], "alike", "levy")
    failed = {
        of: "crashed"
        for of in plan.slots
        if of.runtime == "gnu-openmp" and of != slot_of("levy", "gnu-openmp", 2)
    }
    outputs = {of: filled(of, 100.0, 100.0)[of] for of in plan.slots if of not in failed}
    result = result_of(SPAWN_HETEROGENEOUS, plan, outputs, failed=failed)
    (raw,) = tables_of(SPAWN_HETEROGENEOUS, result, RAW)
    assert columns_of(raw)["gnu-openmp"] == {"levy": ""}


def test_the_drawn_numbers_are_described(ran: Ran, capsys: pytest.CaptureFixture[str]) -> None:
    ran("spawn-heterogeneous", "--runtimes", "onetbb")
    said = capsys.readouterr().out
    drawn = LEVY.draw(20_000)
    assert f"{np.mean(drawn):.2f}" in said
    assert f"{max(drawn):,}" in said


def test_the_length_of_the_work_unit_stands_beside_the_paper_s(
    ran: Ran, capsys: pytest.CaptureFixture[str]
) -> None:
    ran("spawn-homogeneous", "--runtimes", "onetbb")
    said = " ".join(capsys.readouterr().out.split())
    assert "here 1.50 41.5 402 4002 40002" in said
    assert "the paper, Table 2 2.5 103 1059 10610 106200" in said
