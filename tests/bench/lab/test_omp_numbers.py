# SPDX-License-Identifier: Apache-2.0
"""What omp makes of times: ratios round by round, the geometric means, the paper's statements."""

import dataclasses
import math

import pytest
from fakes import FakeBuild
from omp_plans import GNU, SERVED, Times, plan_of, result_of

from finegrain_lab.experiments.omp import OMP
from finegrain_lab.experiments.omp_programs import KERNELS
from finegrain_lab.run.experiment import Slot
from finegrain_lab.show.drawing import by_name
from finegrain_lab.show.result import Result
from finegrain_lab.show.rows import Fields
from finegrain_lab.show.tables import Statement, Statements
from finegrain_lab.show.views import drawings_of

pytestmark = pytest.mark.usefixtures("two_cpus")

INTEL, LLVM = "intel-openmp", "llvm-openmp"


def times_of(case: str, **times: tuple[float, ...]) -> Times:
    names = {"serial": "serial", "alone": GNU, "served": SERVED}
    return {Slot(case, names[name]): ns for name, ns in times.items()}


def test_a_speed_up_is_of_the_same_round(build: FakeBuild) -> None:
    times = times_of(
        "sort",
        serial=(60.0, 240.0, 80.0),
        alone=(120.0, 480.0, 200.0),
        served=(30.0, 240.0, 40.0),
    )
    result = result_of(plan_of(build, [SERVED], "sort"), times)
    row = result.row(case="sort", runtime=SERVED)
    assert row is not None
    assert (row.ns, row.samples) == (40.0, [30.0, 240.0, 40.0])
    # 4, 2, 5. The medians' ratio would be 5.
    assert (row.over_own, row.over_own_ci95) == (4.0, (2.0, 5.0))
    assert (row.times_own, row.times_own_ci95) == (0.25, (0.2, 0.5))
    assert row.over_serial == 2.0  # 2, 1, 2
    alone = result.row(case="sort", runtime=GNU)
    assert alone is not None
    assert (alone.over_own, alone.times_own, alone.over_serial) == (None, None, 0.5)


def test_an_overhead_below_zero_has_no_ratio(build: FakeBuild) -> None:
    times = times_of("region-overhead", alone=(10.0, -2.0, 10.0), served=(11.0, 11.0, 11.0))
    result = result_of(plan_of(build, [SERVED], "region-overhead"), times)
    row = result.row(case="region-overhead", runtime=SERVED)
    assert row is not None
    assert (row.ns, row.times_own, row.times_own_ci95, row.over_own) == (11.0, None, None, None)
    assert ">region-overhead, ns<" in svg_of(result, "region-overhead")


def svg_of(result: Result, name: str) -> str:
    return by_name(drawings_of(OMP, result))[name].svg


def kernels_result(build: FakeBuild, names: list[str], times: dict[str, list[float]]) -> Result:
    by_slot = {
        Slot(case, name): (ns, 2 * ns, ns)
        for name, of_kernels in times.items()
        for case, ns in zip(KERNELS, of_kernels, strict=True)
    }
    return result_of(plan_of(build, names, *KERNELS), by_slot)


def test_the_mean_is_of_the_five_kernels_and_names_the_least(build: FakeBuild) -> None:
    times = {
        "serial": [50.0] * 5,
        GNU: [100.0] * 5,
        SERVED: [10.0, 20.0, 50.0, 100.0, 200.0],
    }
    (line,) = kernels_result(build, [SERVED], times).settings.summary
    assert (line.runtime, line.over) == (SERVED, GNU)
    assert line.geomean == pytest.approx(math.pow(10 * 5 * 2 * 1 * 0.5, 0.2))
    assert line.ci95 == pytest.approx((line.geomean, line.geomean))
    assert (line.least, line.least_case) == (0.5, "uts-T1")


def test_without_all_five_there_is_no_mean(build: FakeBuild) -> None:
    times = {"serial": [50.0] * 5, GNU: [100.0] * 5}
    result = kernels_result(build, [SERVED], times)
    assert result.settings.summary == []
    assert len(drawings_of(OMP, result)) == len(KERNELS)


def test_llvm_s_runtime_is_held_against_intel_s_too(build: FakeBuild) -> None:
    served = [f"{LLVM}+finegrain:private_deque", f"{INTEL}+finegrain:private_deque"]
    times = {
        "serial": [50.0] * 5,
        LLVM: [200.0] * 5,
        INTEL: [100.0] * 5,
        served[0]: [50.0] * 5,
        served[1]: [40.0] * 5,
    }
    result = kernels_result(build, served, times)
    found = {(line.runtime, line.over): line.geomean for line in result.settings.summary}
    assert found == {
        (served[0], LLVM): pytest.approx(4),
        (served[0], INTEL): pytest.approx(2),
        (served[1], INTEL): pytest.approx(2.5),
    }


def paper_of(result: Result) -> dict[str, Statement]:
    parts = [part for section in OMP.sections(result) for part in section.parts]
    (statements,) = [part for part in parts if isinstance(part, Statements)]
    return {line.what: line for line in statements.lines}


def test_the_paper_stands_beside_its_own_policies_here(build: FakeBuild) -> None:
    plan = plan_of(build, None, *KERNELS)
    times = dict.fromkeys(plan.slots, (100.0, 100.0)) | {Slot("sort", SERVED): (25.0, 25.0)}
    result = result_of(plan, times)
    # The fakes have no policy of the paper's; the rows of one are made of another's.
    renamed = [
        Fields(
            row
            | {
                "runtime": row.runtime.replace("chase_lev", "xqueue_static"),
                "policy": row.policy and row.policy.replace("chase_lev", "xqueue_static"),
                "over_own": 3.0 if row.case == "uts-T1" else row.over_own,
            }
        )
        for row in result.rows
    ]
    lines = paper_of(dataclasses.replace(result, rows=renamed))
    at_best = lines["over GNU OpenMP, at best"]
    assert at_best.paper == "40 times as fast (abstract)"
    assert at_best.here == (
        "over gnu-openmp: its policies 3.00 times (xqueue_static on uts-T1); our default 4.00 "
        "times (private_deque on sort)"
    )
    tree = lines["tree search over LLVM OpenMP"]
    assert "over intel-openmp: its policies 3.00 times (xqueue_static on uts-T1)" in tree.here
    best = lines["the policy that is best on the tree"]
    assert "xqueue_static (over gnu-openmp)" in best.here
    assert lines["Strassen, 8192 x 8192, 96 threads"].here == "not measured"
    none = paper_of(dataclasses.replace(result, rows=[]))
    assert {line.here for line in none.values()} == {"not measured"}


def test_a_figure_has_a_group_a_runtime_and_a_bar_a_policy(build: FakeBuild) -> None:
    times = {"serial": [50.0] * 5, GNU: [100.0] * 5, SERVED: [10.0] * 5}
    result = kernels_result(build, [SERVED], times)
    case, means = svg_of(result, "sort"), svg_of(result, "means")
    for label in ("alone", "private_deque", "serial, 1 thread", "gnu-openmp", "sort, ms"):
        assert f">{label}<" in case
    assert ">alone<" not in means
    assert ">private_deque<" in means
    assert ">chase_lev<" not in case + means
