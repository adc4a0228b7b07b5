# SPDX-License-Identifier: Apache-2.0
"""The OpenMP programs of `omp`: what runs, with the drop-in and without, and its checks."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from itertools import groupby
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple

from finegrain_lab.run import drop_in
from finegrain_lab.run.drop_in import DropIn, TakenOver, base_of, policy_of, with_policy
from finegrain_lab.run.errors import LabError
from finegrain_lab.run.experiment import (
    Command,
    Missing,
    Plan,
    Request,
    Slot,
)
from finegrain_lab.run.host import choose_all_cpus
from finegrain_lab.run.instruments import spin_steps_per_us
from finegrain_lab.run.modes import LEAST_ROUNDS, Mode, by_name
from finegrain_lab.run.policies import policies_of
from finegrain_lab.run.processes import ProcessFailed
from finegrain_lab.run.runtimes import OPENMP, SERIAL, cpu_list, environment_of, without_doubles
from finegrain_lab.run.stacks import DEEP_STACK

Values = Tuple[float, float, float]  # a number, and its interval
KERNEL, LOOP, OVERHEAD = "kernel", "loop", "overhead"


@dataclass(frozen=True)
class Case:
    """A case of the programs `omp-RUNTIME`."""

    name: str
    kind: str  # kernels make the geometric mean; loops are one thread's tasks; of one construct
    what: str
    size: Optional[int] = None  # None: the program's own
    needs_calibration: bool = False
    is_short: bool = False  # tens of ms: a process makes more batches
    has_deep_tasks: bool = False  # as deep as the tree is, so that the threads' stacks have to be

    @property
    def has_serial(self) -> bool:
        """Says whether there is anything to do without OpenMP."""
        return self.kind != OVERHEAD


FIB, UTS = "fib-nocutoff", "uts-T1"
_MERGES = "merge sort of 2^22 numbers, merges in parallel too"
_LU = "LU of a sparse matrix of 50 x 50 blocks of 20 x 20"
_COARSE = "2,000 tasks of 100 µs from one thread"
_REGION = "an empty parallel region, in the manner of EPCC"
_ALL = (
    Case(FIB, KERNEL, "fib(30), two tasks a call, no cutoff", 30),
    Case("nqueens", KERNEL, "12 queens, a task a placement, no cutoff", 12),
    Case("sort", KERNEL, _MERGES, 1 << 22),
    Case("sparselu", KERNEL, _LU, 50, is_short=True),
    Case(UTS, KERNEL, "search of UTS's sample tree T1, a task a node", has_deep_tasks=True),
    Case("flat-empty", LOOP, "10^6 empty tasks from one thread", 1_000_000, is_short=True),
    Case("coarse-100us", LOOP, _COARSE, 2000, needs_calibration=True, is_short=True),
    Case("region-overhead", OVERHEAD, _REGION, is_short=True),
    Case("barrier-overhead", OVERHEAD, "a barrier, in the manner of EPCC", is_short=True),
)
CASES = {case.name: case for case in _ALL}
KERNELS, LOOPS, OVERHEADS = (
    [case.name for case in _ALL if case.kind == kind] for kind in (KERNEL, LOOP, OVERHEAD)
)

# 21,890 tasks, 2 ms of work at 0.1 us each: the timed processes need not be verbose then.
PROBE = replace(CASES[FIB], size=20)

ALONE = "alone"  # a program without the drop-in
# LLVM's runtime built for release: the one that clang's programs are held against, whichever of
# the two they run on (llvm-openmp is Debian's, built with assertions).
CLANGS_TARGET, CLANGS_OTHER = "intel-openmp", "llvm-openmp"
GNU = "gnu-openmp"

# The policies beside the default one are in the first rounds, as many as an interval takes, and
# then in every `policies_every`-th: they are most of the processes, and the least of the news.
#
# An overhead differs from one process to the next: a region took 404 to 578 ns on Intel's runtime,
# 592 to 770 with the drop-in. The medians of seven: 529 to 575, and 621 to 637 over four rounds
# (Xeon, model 207).
MODES = by_name(
    Mode(
        name="quick",
        min_rounds=LEAST_ROUNDS,
        max_rounds=15,  # more is no longer quick
        budget_s=150,  # of a few runtimes; with all, the least number of rounds takes longer
        work={
            "batches": 1,  # of 0.1 s and more; warming up and counting by thread cost two more
            "short_batches": 3,
            "overhead_processes": 7,  # in a round, for one number
            "policies_every": 4,
        },
    ),
    Mode(
        name="full",
        min_rounds=5,  # one with all policies takes 80 to 104 s on two vCPUs (EPYC)
        max_rounds=40,  # past that the host's drift, not the count, sets the interval
        budget_s=16 * 60,  # 20 minutes an experiment, less the round under way and the report
        converged_half_width=0.01,  # half of the 2 % that are at stake with coarse tasks
        converged_rounds=15,
        work={
            "batches": 1,  # the host drifts between processes, not within them: rounds say more
            "short_batches": 5,
            "overhead_processes": 7,
            "policies_every": 3,
        },
    ),
)


@dataclass(frozen=True)
class Sample:
    """What a program prints of one case."""

    runtime: str
    case: str
    size: int
    threads: int
    tasks: int  # explicit ones of a batch
    # A number a batch: wall time of the whole work; of overheads, of one construct less its
    # reference, which can be below 0 by the clock's noise.
    ns: List[float]
    offloaded_share: float  # of the tasks, on other threads than the one with most
    cpus: List[int]  # where the threads were seen
    version: str
    note: str = ""


@dataclass(frozen=True)
class Mean:
    """A runtime with the drop-in over another one alone: all five kernels."""

    runtime: str
    over: str
    geomean: float  # of the kernels' speedups
    ci95: Tuple[float, float]
    least: float  # of them
    least_case: str


# ---- the run


def plan(request: Request) -> Plan:
    """Returns the plan of a request. Raises LabError."""
    pair, placement, cpus = choose_all_cpus(request.cpus)
    build, mode, peers = request.build, request.mode, request.peers or "tuned"
    cases = [CASES[name] for name in request.chosen_cases(list(CASES))]
    policies = policies_of(build)
    installed = [runtime for runtime in build.installed("spawn") if runtime.name in OPENMP]
    missing = [it for it in build.missing("spawn") if it.name in OPENMP]
    programs = {
        base: build.program(build.manifest.omp / f"omp-{base}")
        for base in (SERIAL, *(runtime.name for runtime in installed))
    }
    library = build.drop_in()
    known = [SERIAL]
    for runtime in installed:
        known += [runtime.name, *(with_policy(runtime.name, policy) for policy in policies)]
    runtimes = _chosen(request, known, policies[0], {it.name: it.how_to_get for it in missing})

    def served(runtime: str) -> Optional[DropIn]:
        policy = policy_of(runtime)
        return DropIn(library, policy) if policy else None

    def environment(runtime: str) -> Dict[str, str]:
        """The same alone and with the drop-in."""
        loaded = served(runtime)
        own = environment_of(base_of(runtime), peers, cpus)
        return {**own, **(loaded.variables if loaded else {})}

    def words(case: Case, runtime: str, batches: int) -> List[Any]:
        threads = _threads(runtime, cpus)
        return [
            *(programs[base_of(runtime)], "--case", case.name),
            *(("--size", case.size) if case.size is not None else ()),
            *("--batches", batches, "--threads", threads, "--cpus", cpu_list(cpus)),
        ]

    def command(slot: Slot, found: Mapping[str, Any]) -> Command:
        case, variables = CASES[slot.case], environment(slot.runtime)
        if case.has_deep_tasks and slot.runtime != SERIAL:
            variables.update(DEEP_STACK)
        steps = ("--spin-steps-per-us", found["spin_steps_per_us"])
        told = words(case, slot.runtime, _batches(mode, case))
        return Command([*told, *(steps if case.needs_calibration else ())], variables)

    def prove(run: Any, runtime: str) -> Optional[TakenOver]:
        variables = {**environment(runtime), **drop_in.VERBOSE}
        sample, lines = run.processes.listen(Command(words(PROBE, runtime, 1), variables), Sample)
        if complaint := _other_answer(sample, PROBE, runtime, cpus):
            raise ProcessFailed(complaint)
        loaded = served(runtime)
        if loaded is None:
            drop_in.require_absence(lines)
            return None
        least = drop_in.LEAST_RUNS * sample.tasks
        return drop_in.require_service(base_of(runtime), loaded, least, lines)

    def begin(run: Any) -> Dict[str, Any]:
        is_needed = any(case.needs_calibration for case in cases)
        steps = spin_steps_per_us(run.processes, build, cpus[0]) if is_needed else None
        proofs = {name: partial(prove, run, name) for name in runtimes if name != SERIAL}
        return {"spin_steps_per_us": steps, "taken_over": drop_in.take_over(run, proofs)}

    def takes_part(slot: Slot, at: int) -> bool:
        has_all = at < LEAST_ROUNDS or at % mode["policies_every"] == 0
        is_asked = request.runtimes is not None
        return is_asked or has_all or policy_of(slot.runtime) in (None, policies[0])

    used = {policy_of(runtime) for runtime in runtimes}
    return Plan(
        build=build,
        mode=mode,
        cpus=pair,
        placement=placement,
        all_cpus=cpus,
        groups=_groups(cases, runtimes),
        command=command,
        begin=begin,
        takes_part=takes_part,
        processes_of=lambda slot: _processes(mode, CASES[slot.case]),
        cases=[case.name for case in cases],
        runtimes=runtimes,
        missing=[Missing(it.name, it.how_to_get) for it in missing],
        notes={it.name: it.note for it in installed if it.note},
        settings={
            "bases": [name for name in runtimes if name in OPENMP],
            "policies": [policy for policy in policies if policy in used],
            "default_policy": policies[0],
            "threads": len(cpus),
            "cpus": cpus,  # thread by thread
            "peers": peers,
            "environment": {  # without where the drop-in is
                name: drop_in.told(environment(name), served(name))
                for name in runtimes
                if name != SERIAL
            },
            # Variables of its own; then of a process, and of a round.
            "beside": {case.name: DEEP_STACK for case in cases if case.has_deep_tasks},
            "batches": {case.name: _batches(mode, case) for case in cases},
            "processes": {case.name: _processes(mode, case) for case in cases},
        },
    )


def _chosen(
    request: Request, known: Sequence[str], default: str, missing: Mapping[str, str]
) -> List[str]:
    """Returns serial and the asked ones, or all, each with its own runtime alone.

    Of a name without a policy the default one. Raises LabError for a name that there is not or that
    is not installed.
    """
    wanted = {drop_in.whole_name(name, default) for name in request.runtimes or known}
    for name in sorted(wanted):
        base = base_of(name)
        if base in missing:
            raise LabError(f"{base} is not installed: {missing[base]}")
        if name not in known:
            raise LabError(f"there is no runtime '{name}'; known are {', '.join(known)}", 2)
    wanted |= {SERIAL, *map(base_of, wanted)}
    chosen = [name for name in known if name in wanted]
    if not request.is_brief:
        return chosen
    once = without_doubles({base_of(name) for name in chosen})
    return [it for it in chosen if base_of(it) in once and policy_of(it) in (None, default)]


def _groups(cases: Sequence[Case], runtimes: Sequence[str]) -> List[List[Slot]]:
    """Returns a group for each case and runtime, serial with the first.

    What the drop-in is held against, its own runtime alone, is to be as near as possible.
    """
    first = next((name for name in runtimes if name != SERIAL), SERIAL)
    groups: List[List[Slot]] = []
    for case in cases:
        slots = [Slot(case.name, it) for it in runtimes if it != SERIAL or case.has_serial]
        bases = groupby(slots, lambda it: base_of(first if it.runtime == SERIAL else it.runtime))
        groups += [list(of_base) for _, of_base in bases]
    return groups


def _threads(runtime: str, cpus: Sequence[int]) -> int:
    return 1 if runtime == SERIAL else len(cpus)


def _batches(mode: Mode, case: Case) -> int:
    """Returns the batches of one process."""
    batches: int = mode["short_batches" if case.is_short else "batches"]
    return batches


def _processes(mode: Mode, case: Case) -> int:
    """Returns how many processes of a runtime a round has."""
    return mode["overhead_processes"] if case.kind == OVERHEAD else 1


def _other_answer(sample: Sample, case: Case, runtime: str, cpus: Sequence[int]) -> str:
    asked = (base_of(runtime), case.name, _threads(runtime, cpus))
    is_size = case.size is None or sample.size == case.size
    if (sample.runtime, sample.case, sample.threads) != asked or not is_size:
        return "answered with a sample of something else"
    return ""


def complaint(sample: Sample, slot: Slot, plan: Plan) -> str:
    """Returns what is wrong with a sample, nothing if it is what was asked for."""
    case = CASES[slot.case]
    batches = _batches(plan.mode, case)
    if text := _other_answer(sample, case, slot.runtime, plan.all_cpus):
        return text
    if len(sample.ns) != batches:
        return f"gave other than {batches} batches"
    if case.kind != OVERHEAD and not (sample.tasks > 0 and min(sample.ns) > 0):
        return "gave a time that no task took"
    if sample.tasks < 0 or not 0 <= sample.offloaded_share <= 1:
        return f"printed no valid sample: {sample.tasks} tasks, {sample.offloaded_share} elsewhere"
    if (sample.threads == 1) is not (sample.offloaded_share == 0):
        share = f"{sample.offloaded_share:.0%}"
        return f"ran {share} of the tasks on other threads than the one with most"
    return ""


def discord(sample: Sample, slot: Slot, samples: Any) -> str:
    """Every process of a case does the same work."""
    others = samples.of(row for row in samples.by_row if row.case == slot.case)
    if others and sample.tasks != others[0].tasks:
        return f"made {sample.tasks} tasks, where others made {others[0].tasks}"
    return ""
