# SPDX-License-Identifier: Apache-2.0
"""The Relic paper's kernels and tasks of one length: what runs, and what is printed of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Dict, List

from finegrain_lab.run.experiment import (
    Command,
    Missing,
    Plan,
    Request,
    Slot,
)
from finegrain_lab.run.host import choose_cpus
from finegrain_lab.run.instruments import spin_steps_per_us
from finegrain_lab.run.modes import LEAST_ROUNDS, SURE_ROUNDS, Mode, by_name
from finegrain_lab.run.runtimes import cpu_list, environment_of
from finegrain_lab.run.shapes import Misfit

KERNELS = ("bc", "bfs", "cc", "pr", "sssp", "tc", "json")
SPIN = "spin-"
SPIN_LENGTHS = ("10ns", "20ns", "50ns", "100ns", "200ns", "500ns", "1us", "2us", "5us", "10us")
SPIN_CASES = tuple(f"{SPIN}{length}" for length in SPIN_LENGTHS)
CASES = KERNELS + SPIN_CASES
NOT_MEASURED = "not measured"
NEVER = "-"

# How much is measured: of the kernels, of the spin cases, and in every which round these are.
MODES = by_name(
    Mode(
        name="quick",
        work={
            "kernels": {
                "iterations": 20_000,  # 16 ms of a pair of 0.8 us: short kernels end by count
                "warmup": 200,  # warms caches and predictors; 20 ms even at 100 us an iteration
                "max_ms": 40,  # the long kernels and slow runtimes end by time
            },
            "spin": {"iterations": 10_000, "warmup": 200, "max_ms": 20},  # points may be rougher
            "spin_every": 2,  # 10 cases against 7: the kernels get most of the time so
        },
        min_rounds=LEAST_ROUNDS,
        max_rounds=30,  # as many as the paper mode has; more is no longer quick
        budget_s=135,  # `make demo` promises 3 minutes: this, the interpreter and the report
    ),
    Mode(
        name="full",
        work={
            "kernels": {"iterations": 100_000, "warmup": 2_000},  # the paper's 10^5 (section IV)
            "spin": {"iterations": 10_000, "warmup": 1_000},  # 200 ms at 10 us, enough for a curve
            "spin_every": 3,  # the kernels decide convergence and get the time
        },
        min_rounds=5,
        max_rounds=60,  # past that the host's drift, not the count, sets the interval
        budget_s=17 * 60,  # 20 minutes an experiment, less the round under way and the report
        converged_half_width=0.015,  # well under the 8 % that separate the runtimes of interest
        converged_rounds=SURE_ROUNDS,
    ),
    Mode(
        name="paper",
        work={
            "kernels": {"iterations": 100_000, "warmup": 2_000},  # the paper's 10^5 for every case
            "spin": {"iterations": 100_000, "warmup": 2_000},
            "spin_every": 1,
        },
        min_rounds=30,
        max_rounds=30,  # the paper names no repetitions; 30 pairs make a median's interval stable
    ),
)


@dataclass(frozen=True)
class Sample:
    """What `relic-kernels-<runtime>` prints."""

    runtime: str
    case: str
    iterations: int
    ns: float
    offloaded_share: float
    main_cpu: int
    task_cpus: List[int]
    version: str
    note: str

    def __post_init__(self) -> None:
        if min(self.ns, self.iterations) <= 0 or not 0 <= self.offloaded_share <= 1:
            raise Misfit("a time, a count or a share is none")


def has_spin(mode: Mode, at: int) -> bool:
    """Says whether this round measures the spin cases beside the kernels."""
    return at < mode.min_rounds or at % int(mode["spin_every"]) == 0


def _effort(mode: Mode, case: str) -> Dict[str, int]:
    effort: Dict[str, int] = mode["kernels" if case in KERNELS else "spin"]
    return effort


def plan(request: Request) -> Plan:
    """Returns the plan of a request. Raises LabError."""
    cases = request.chosen_cases(CASES)
    cpus, placement = choose_cpus(request.cpus)
    build, mode, peers = request.build, request.mode, request.peers or "tuned"
    runtimes = build.choose(request.runtimes)
    programs = {it.name: build.command(it) for it in runtimes}
    environment = {name: environment_of(name, peers, cpus) for name in programs}

    def command(slot: Slot, found: Any) -> Command:
        effort = _effort(mode, slot.case)
        words: List[Any] = [programs[slot.runtime], "--case", slot.case]
        words += ["--iterations", effort["iterations"], "--warmup", effort["warmup"]]
        words += ["--cpus", cpu_list(cpus)]
        if "max_ms" in effort:
            words += ["--max-ms", effort["max_ms"]]
        if slot.case in SPIN_CASES:
            words += ["--spin-steps-per-us", found["spin_steps_per_us"]]
        return Command(words, environment[slot.runtime])

    def begin(run: Any) -> Dict[str, Any]:
        is_spun = any(case in SPIN_CASES for case in cases)
        steps = spin_steps_per_us(run.processes, build, cpus[0]) if is_spun else None
        return {"spin_steps_per_us": steps}

    return Plan(
        build=build,
        mode=mode,
        cpus=cpus,
        placement=placement,
        groups=[[Slot(case, runtime) for runtime in programs] for case in cases],
        command=command,
        cases=cases,
        runtimes=list(programs),
        settings={
            "peers": peers,
            "environment": environment,
            "built": {it.name: {"compiler": it.compiler, "flags": it.flags} for it in runtimes},
            "has_kernels": any(case in KERNELS for case in cases),
        },
        missing=[Missing(it.name, it.how_to_get) for it in build.missing("relic-kernels")],
        notes={it.name: it.note for it in runtimes},
        begin=begin,
        takes_part=lambda slot, at: slot.case in KERNELS or has_spin(mode, at),
    )


def complaint(sample: Sample, slot: Slot, plan: Plan) -> str:
    """Returns what is wrong with a sample, nothing if it is what was asked for."""
    if (sample.case, sample.runtime) != (slot.case, slot.runtime):
        return f"answered with a sample of {sample.runtime} on {sample.case}"
    effort = _effort(plan.mode, slot.case)
    if "max_ms" not in effort and sample.iterations != effort["iterations"]:
        return f"ran {sample.iterations} of {effort['iterations']} iterations"
    return ""
