# SPDX-License-Identifier: Apache-2.0
"""Plans and samples of omp for its tests."""

from fakes import FakeBuild

from finegrain_lab.omp.cases import CASES
from finegrain_lab.omp.contestants import choose
from finegrain_lab.omp.measure import Measured, Plan, Slot
from finegrain_lab.omp.modes import OmpMode
from finegrain_lab.omp.protocol import OmpSample
from finegrain_lab.policies import policies_of
from finegrain_lab.runtimes import load_build

SHORT = OmpMode(
    name="quick",
    batches=2,
    short_batches=3,
    overhead_processes=2,
    policies_every=2,
    min_rounds=3,
    max_rounds=3,
)
BASES = ["gnu-openmp", "llvm-openmp", "intel-openmp"]
POLICIES = ["private_deque", "chase_lev"]
GNU, SERVED = "gnu-openmp", "gnu-openmp+finegrain:private_deque"


def plan_of(
    build: FakeBuild,
    names: list[str] | None,
    *cases: str,
    cpus: tuple[int, ...] = (3, 1),
    mode: OmpMode = SHORT,
) -> Plan:
    loaded = load_build(build.folder)
    return Plan(
        build=loaded,
        contestants=choose(loaded, names),
        policies=policies_of(loaded),
        cases=[CASES[name] for name in cases],
        cpus=cpus,
        mode=mode,
        peers="tuned",
        is_asked=names is not None,
    )


def fill(measured: Measured, case: str, runtime: str, *ns: float) -> None:
    """A process of three batches a round, whose median is `ns`."""
    measured.samples[Slot(case, runtime)] = {
        at: OmpSample(
            runtime=runtime.partition("+")[0],
            case=case,
            size=1,
            threads=2,
            tasks=10,
            ns=[100 * abs(value), value, value - 1],
            offloaded_share=0.5,
            cpus=[3],
            version="1",
        )
        for at, value in enumerate(ns)
    }
