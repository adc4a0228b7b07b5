# SPDX-License-Identifier: Apache-2.0
"""Plans and samples of omp for its tests."""

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

import runs
from fakes import FakeBuild

from finegrain_lab.experiments.omp import OMP
from finegrain_lab.experiments.omp_programs import MODES
from finegrain_lab.run.experiment import Plan, Slot
from finegrain_lab.run.modes import Mode
from finegrain_lab.run.samples import Samples
from finegrain_lab.show.result import Result

WORK = {"batches": 2, "short_batches": 3, "overhead_processes": 2, "policies_every": 2}
SHORT = runs.short(MODES["quick"], **WORK)
BASES = ["gnu-openmp", "llvm-openmp", "intel-openmp"]
POLICIES = ["private_deque", "chase_lev"]
GNU, SERVED = "gnu-openmp", "gnu-openmp+finegrain:private_deque"

Times = Mapping[Slot, Sequence[float]]


def plan_of(build: FakeBuild, names: list[str] | None, *cases: str, mode: Mode = SHORT) -> Plan:
    return runs.plan_of(OMP, build, mode, runtimes=names, cases=cases or None, cpus=(1, 0))


def measured(plan: Plan) -> Samples:
    return runs.sampled(OMP, plan).samples


def rounds_of(plan: Plan) -> dict[Slot, list[int]]:
    return {slot: list(by_round) for slot, by_round in measured(plan).by_row.items()}


def with_mode(**changes: Any) -> Mode:
    return dataclasses.replace(SHORT, **changes)


def result_of(plan: Plan, times: Times) -> Result:
    """Of a process of three batches a round, whose median is its time; the others have failed."""
    outputs = {slot: [output(slot, ns) for ns in by_round] for slot, by_round in times.items()}
    failed = {slot: "not here" for slot in plan.slots if slot not in times}
    return runs.result_of(OMP, plan, outputs, {"taken_over": {}}, failed)


def output(slot: Slot, ns: float) -> dict[str, Any]:
    return {
        **{"runtime": slot.runtime.partition("+")[0], "case": slot.case, "size": 1, "threads": 2},
        **{"tasks": 10, "ns": [100 * abs(ns), ns, ns - 1], "offloaded_share": 0.5},
        **{"cpus": [1], "version": "1"},
    }
