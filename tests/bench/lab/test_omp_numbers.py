# SPDX-License-Identifier: Apache-2.0
"""What omp makes of times: ratios round by round, the geometric means, the paper's statements."""

import math

import pytest
from conftest import host_of
from fakes import FakeBuild
from omp_plans import GNU, SERVED, fill, plan_of

from finegrain_lab.omp import paper, plots
from finegrain_lab.omp.cases import KERNELS
from finegrain_lab.omp.evaluate import to_result
from finegrain_lab.omp.measure import Measured
from finegrain_lab.omp.results import Result

pytestmark = pytest.mark.usefixtures("two_cpus")

INTEL, LLVM = "intel-openmp", "llvm-openmp"


def test_a_speed_up_is_of_the_same_round(build: FakeBuild) -> None:
    plan = plan_of(build, [SERVED], "sort")
    measured = Measured(floor_samples=[100.0])
    fill(measured, "sort", "serial", 60.0, 240.0, 80.0)
    fill(measured, "sort", GNU, 120.0, 480.0, 200.0)
    fill(measured, "sort", SERVED, 30.0, 240.0, 40.0)
    result = to_result(plan, measured, host_of(plan.build))
    row = result.row("sort", SERVED)
    assert row is not None
    assert (row.ns, row.samples) == (40.0, [30.0, 240.0, 40.0])
    # 4, 2, 5. The medians' ratio would be 5.
    assert (row.over_own, row.over_own_ci95) == (4.0, (2.0, 5.0))
    assert (row.times_own, row.times_own_ci95) == (0.25, (0.2, 0.5))
    assert row.over_serial == 2.0  # 2, 1, 2
    alone = result.row("sort", GNU)
    assert alone is not None
    assert (alone.over_own, alone.times_own, alone.over_serial) == (None, None, 0.5)


def test_an_overhead_below_zero_has_no_ratio(build: FakeBuild) -> None:
    plan = plan_of(build, [SERVED], "region-overhead")
    measured = Measured(floor_samples=[100.0])
    fill(measured, "region-overhead", GNU, 10.0, -2.0, 10.0)
    fill(measured, "region-overhead", SERVED, 11.0, 11.0, 11.0)
    result = to_result(plan, measured, host_of(plan.build))
    row = result.row("region-overhead", SERVED)
    assert row is not None
    assert (row.ns, row.times_own, row.times_own_ci95, row.over_own) == (11.0, None, None, None)
    assert ">region-overhead, ns<" in plots.case_drawing(result, "region-overhead").svg


def kernels_result(build: FakeBuild, names: list[str], times: dict[str, list[float]]) -> Result:
    plan = plan_of(build, names, *KERNELS)
    measured = Measured(floor_samples=[100.0])
    for name, of_kernels in times.items():
        for case, ns in zip(KERNELS, of_kernels, strict=True):
            fill(measured, case, name, ns, 2 * ns, ns)
    return to_result(plan, measured, host_of(plan.build))


def test_the_mean_is_of_the_five_kernels_and_names_the_least(build: FakeBuild) -> None:
    times = {
        "serial": [50.0] * 5,
        GNU: [100.0] * 5,
        SERVED: [10.0, 20.0, 50.0, 100.0, 200.0],
    }
    (line,) = kernels_result(build, [SERVED], times).summary
    assert (line.runtime, line.over) == (SERVED, GNU)
    assert line.geomean == pytest.approx(math.pow(10 * 5 * 2 * 1 * 0.5, 0.2))
    assert line.ci95 == pytest.approx((line.geomean, line.geomean))
    assert (line.least, line.least_case) == (0.5, "uts-T1")


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
    found = {(line.runtime, line.over): line.geomean for line in result.summary}
    assert found == {
        (served[0], LLVM): pytest.approx(4),
        (served[0], INTEL): pytest.approx(2),
        (served[1], INTEL): pytest.approx(2.5),
    }


def test_the_paper_stands_beside_its_own_policies_here(build: FakeBuild) -> None:
    plan = plan_of(build, None, *KERNELS)
    measured = Measured(floor_samples=[100.0])
    for name in plan.contestants:
        for case in KERNELS:
            fill(measured, case, name.name, 100.0, 100.0)
    fill(measured, "sort", SERVED, 25.0, 25.0)
    result = to_result(plan, measured, host_of(plan.build))
    # The fakes have no policy of the paper's; the rows of one are made of another's.
    renamed = [
        row.model_copy(
            update={
                "runtime": row.runtime.replace("chase_lev", "xqueue_static"),
                "policy": row.policy and row.policy.replace("chase_lev", "xqueue_static"),
                "over_own": 3.0 if row.case == "uts-T1" else row.over_own,
            }
        )
        for row in result.results
    ]
    lines = {
        line.what: line
        for line in paper.comparisons(result.model_copy(update={"results": renamed}))
    }
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
    none = paper.comparisons(result.model_copy(update={"results": []}))
    assert {line.here for line in none} == {"not measured"}


def test_a_figure_has_a_group_a_runtime_and_a_bar_a_policy(build: FakeBuild) -> None:
    times = {"serial": [50.0] * 5, GNU: [100.0] * 5, SERVED: [10.0] * 5}
    result = kernels_result(build, [SERVED], times)
    case, means = plots.case_drawing(result, "sort").svg, plots.means_drawing(result).svg
    for label in ("alone", "private_deque", "serial, 1 thread", "gnu-openmp", "sort, ms"):
        assert f">{label}<" in case
    assert ">alone<" not in means
    assert ">private_deque<" in means
    assert ">chase_lev<" not in case + means
