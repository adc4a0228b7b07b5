# SPDX-License-Identifier: Apache-2.0
"""The constructs and loops of `omp-regions`: what runs, on which runtimes, and its checks."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, Dict, List, Mapping, Optional, Sequence

from finegrain_lab.run import drop_in
from finegrain_lab.run.drop_in import PRELOAD
from finegrain_lab.run.errors import LabError
from finegrain_lab.run.experiment import Command, Missing, Plan, Request, Slot
from finegrain_lab.run.host import choose_all_cpus
from finegrain_lab.run.modes import FULL_BUDGET_S, LEAST_ROUNDS, SURE_ROUNDS, Mode, by_name
from finegrain_lab.run.processes import ProcessFailed
from finegrain_lab.run.runtimes import (
    OPENMP,
    SERIAL,
    PeerSettings,
    cpu_list,
    environment_of,
)


@dataclass(frozen=True)
class Variant:
    """A program and who serves its regions: a row of every table."""

    name: str
    base: str  # the runtime that it was built for, and runs on unless it is ours
    is_ours: bool = False
    variables: Mapping[str, str] = field(default_factory=dict)  # of its own


CLANGS, GCCS = "intel-openmp", "gnu-openmp"
OUR_CLANGS, OUR_GCCS = "finegrain-clang", "finegrain-gcc"
_ALL_VARIANTS = (
    Variant(CLANGS, CLANGS),
    Variant(GCCS, GCCS),
    Variant(OUR_CLANGS, CLANGS, is_ours=True),
    Variant(OUR_GCCS, GCCS, is_ours=True),
)
VARIANTS = {variant.name: variant for variant in _ALL_VARIANTS}


@dataclass(frozen=True)
class Case:
    """A case of the programs `omp-RUNTIME`, in a size."""

    name: str
    program: str  # what the programs call it
    what: str
    size: Optional[int] = None  # None: repetitions, by the mode
    is_even: bool = True  # no thread does another's part, however late that comes

    @property
    def is_construct(self) -> bool:
        """Says whether it is the cost of a construct, else a program of loops."""
        return self.size is None


def _construct(name: str, program: str, what: str, *, is_even: bool = True) -> Case:
    return Case(name, f"{program}-overhead", what, is_even=is_even)


def _loops(program: str, what: str, *sizes: int, is_even: bool = True) -> List[Case]:
    return [Case(f"{program}-{size}", program, what, size, is_even) for size in sizes]


_CONSTRUCTS = (
    _construct("parallel", "region", "PARALLEL, nothing captured"),
    _construct("parallel-value", "region-value", "PARALLEL, one variable captured"),
    _construct("for", "for", "FOR, static, an iteration a thread"),
    _construct("parallel-for", "region-for", "PARALLEL FOR, the same"),
    _construct("barrier", "barrier", "BARRIER"),
    _construct("single", "single", "SINGLE", is_even=False),
    _construct("reduction", "reduction", "PARALLEL with a REDUCTION"),
    _construct("critical", "critical", "CRITICAL"),
    _construct("dynamic", "dynamic", "FOR, dynamic, 8 iterations a thread", is_even=False),
    _construct("guided", "guided", "FOR, guided, 8 iterations a thread", is_even=False),
)
# Of each size a loop lasts about 1, 10 and 20 to 100 us in the serial program (EPYC 9005).
_PROGRAMS = (
    *_loops("cg", "conjugate gradients, n x n points", 48, 128, 256),
    *_loops("multigrid", "V cycles on n x n squares", 128, 384, 1024),
    *_loops("fft", "Fourier transforms of n numbers", 2048, 16384, 131072),
    *_loops("stencil", "five points on n x n points", 56, 160, 448),
    *_loops("gemm", "n products of 8 x 8 matrices", 24, 256, 2048),
    *_loops("lu", "LU of n x n numbers, by rows", 128, 320, 640),
    *_loops(
        "levels", "breadth-first search by levels on n x n places", 160, 512, 1024, is_even=False
    ),
    *_loops("springs", "n masses and springs, in phases", 2500, 20000, 150000),
)
CASES = {case.name: case for case in (*_CONSTRUCTS, *_PROGRAMS)}
CONSTRUCTS = [case.name for case in _CONSTRUCTS]
PROGRAMS = [case.name for case in _PROGRAMS]

PAIR = 2
THREADS = (1, PAIR, 4, 8)  # of the constructs; the programs have one a CPU
PROBE = CASES["parallel-value"]
PROBE_REGIONS = 100
_ROUNDING = 1e-6  # of a share

MODES = by_name(
    Mode(
        name="quick",
        min_rounds=LEAST_ROUNDS,
        max_rounds=9,  # more is no longer quick
        budget_s=150,
        work={
            "batches": 3,
            "constructs": 2000,  # in a batch: 0.2 to 3 ms of each
            "constructs_beyond": 200,  # with more threads than CPUs, where one can take 0.1 ms
            "processes": 3,  # of constructs on two threads: they differ from process to process
            "others_every": 4,  # rounds, once an interval can be had: other numbers of threads
        },
    ),
    Mode(
        name="full",
        min_rounds=SURE_ROUNDS,
        max_rounds=40,  # past that the host's drift, not the count, sets the interval
        budget_s=FULL_BUDGET_S,
        converged_half_width=0.02,
        converged_rounds=15,
        work={
            "batches": 5,
            "constructs": 5000,
            "constructs_beyond": 500,
            "processes": 5,
            "others_every": 3,
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
    loops: int  # parallel ones of a batch, of a program of loops
    # A number a batch: wall time of the whole; of a construct, that of one less its reference,
    # which can be below 0 by the clock's noise.
    ns: List[float]
    offloaded_share: float  # of the iterations, or of the threads' visits
    cpus: List[int]  # where the threads were seen
    version: str
    note: str = ""


# ---- the run


def plan(request: Request) -> Plan:
    """Returns the plan of a request. Raises LabError."""
    pair, placement, cpus = choose_all_cpus(request.cpus)
    build, mode, peers = request.build, request.mode, request.peers or "tuned"
    cases = [CASES[name] for name in request.chosen_cases(list(CASES))]
    missing = {it.name: it.how_to_get for it in build.missing("spawn") if it.name in OPENMP}
    variants = _chosen(request, missing)
    programs = {
        base: build.program(build.manifest.omp / f"omp-{base}")
        for base in dict.fromkeys([SERIAL, *(variant.base for variant in variants)])
    }
    library = str(build.drop_in_all()) if any(it.is_ours for it in variants) else ""
    by_name = {variant.name: variant for variant in variants}

    def environment(variant: Variant, threads: int) -> Dict[str, str]:
        loaded = {PRELOAD: library} if variant.is_ours else {}
        return {**_settings(variant, peers, threads, cpus), **loaded, **variant.variables}

    def command(slot: Slot, _found: Mapping[str, Any], *, size: Optional[int] = None) -> Command:
        case, threads = CASES[slot.case], slot.threads
        variant = by_name.get(slot.runtime)
        sized = size or case.size or mode[_repetitions(threads, cpus)]
        words = [
            *(programs[variant.base if variant else SERIAL], "--case", case.program),
            *("--size", sized, "--batches", mode["batches"], "--threads", threads),
            *(("--cpus", cpu_list(cpus)) if threads <= len(cpus) else ()),
        ]
        return Command(words, environment(variant, threads) if variant else {})

    def prove(run: Any, variant: Variant) -> Dict[str, int]:
        """Has it say who serves its regions; a slot of its that fails takes part in nothing."""
        run.reporter.step(0.0, f"proof of {variant.name}")
        slot = Slot.of(PROBE.name, variant.name, threads=PAIR)
        told = command(slot, {}, size=PROBE_REGIONS)
        verbose = replace(told, environment={**told.environment, **drop_in.VERBOSE})
        try:
            _sample, lines = run.processes.listen(verbose, Sample)
            if variant.is_ours:
                served = drop_in.require_regions(PROBE_REGIONS * PAIR, lines)
                return {variant.name: served}
            drop_in.require_absence(lines)
        except ProcessFailed as error:
            slots = (it for it in run.plan.slots if it.runtime == variant.name)
            run.samples.failed.update(dict.fromkeys(slots, str(error)))
        return {}

    def begin(run: Any) -> Dict[str, Any]:
        served: Dict[str, int] = {}
        for variant in variants:
            served.update(prove(run, variant))
        return {"served": served}

    def takes_part(slot: Slot, at: int) -> bool:
        has_all = at < LEAST_ROUNDS or at % mode["others_every"] == 0
        return has_all or slot.threads == PAIR or not CASES[slot.case].is_construct

    return Plan(
        build=build,
        mode=mode,
        cpus=pair,
        placement=placement,
        all_cpus=cpus,
        groups=_groups(cases, variants, (PAIR,) if request.is_brief else THREADS, len(cpus)),
        command=command,
        begin=begin,
        takes_part=takes_part,
        processes_of=lambda slot: (
            mode["processes"] if CASES[slot.case].is_construct and slot.threads == PAIR else 1
        ),
        cases=[case.name for case in cases],
        runtimes=[SERIAL, *by_name],
        missing=[Missing(name, how_to_get) for name, how_to_get in missing.items()],
        settings={
            "threads": len(cpus),  # of the programs
            "cpus": cpus,
            "peers": peers,
            "environment": {  # without where the drop-in is
                it.name: {
                    name: "libfinegrain-omp-all.so" if name == PRELOAD else value
                    for name, value in environment(it, len(cpus)).items()
                }
                for it in variants
            },
        },
    )


def _chosen(request: Request, missing: Mapping[str, str]) -> List[Variant]:
    """Returns the asked variants, or all that can run, and what ours are held against.

    Raises LabError for a name that there is not or that cannot run.
    """
    for name in request.runtimes or ():
        if name not in (SERIAL, *VARIANTS):
            known = ", ".join([SERIAL, *VARIANTS])
            raise LabError(f"there is no runtime '{name}'; known are {known}", 2)
        if name != SERIAL and VARIANTS[name].base in missing:
            base = VARIANTS[name].base
            raise LabError(f"{base} is not installed: {missing[base]}")
    asked = list(VARIANTS) if request.runtimes is None else request.runtimes
    wanted = {name for name in asked if name != SERIAL}
    wanted |= {VARIANTS[name].base for name in wanted}
    return [it for it in VARIANTS.values() if it.name in wanted and it.base not in missing]


def _settings(
    variant: Variant, peers: PeerSettings, threads: int, cpus: Sequence[int]
) -> Dict[str, str]:
    """Returns its runtime's variables, for ours the same.

    With more threads than CPUs nobody spins forever: all wait as they come.
    """
    if threads <= len(cpus):
        return environment_of(variant.base, peers, cpus[:threads])
    return {**environment_of(variant.base, "default", cpus), "OMP_NUM_THREADS": str(threads)}


def _repetitions(threads: int, cpus: Sequence[int]) -> str:
    return "constructs" if threads <= len(cpus) else "constructs_beyond"


def _groups(
    cases: Sequence[Case], variants: Sequence[Variant], threads: Sequence[int], cpus: int
) -> List[List[Slot]]:
    """Returns a group for each case and number of threads, serial with the programs."""
    groups: List[List[Slot]] = []
    for case in cases:
        for count in threads if case.is_construct else (cpus,):
            slots = [Slot.of(case.name, variant.name, threads=count) for variant in variants]
            serial = [] if case.is_construct else [Slot.of(case.name, SERIAL, threads=1)]
            groups.append([*serial, *slots])
    return groups


def complaint(sample: Sample, slot: Slot, plan: Plan) -> str:
    """Returns what is wrong with a sample, nothing if it is what was asked for."""
    case, threads = CASES[slot.case], slot.threads
    base = VARIANTS[slot.runtime].base if slot.runtime in VARIANTS else slot.runtime
    asked = (base, case.program, threads)
    is_size = case.is_construct or sample.size == case.size
    if (sample.runtime, sample.case, sample.threads) != asked or not is_size:
        return "answered with a sample of something else"
    if len(sample.ns) != plan.mode["batches"]:
        return f"gave other than {plan.mode['batches']} batches"
    if not case.is_construct and not (sample.loops > 0 and min(sample.ns) > 0):
        return "gave a time that no loop took"
    share = sample.offloaded_share
    is_right = abs(share - (1 - 1 / threads)) < _ROUNDING if case.is_construct else share > 0
    if case.is_even and not is_right and threads > 1:
        return f"did {share:.0%} of the work on other threads than the one with most"
    return ""


def discord(sample: Sample, slot: Slot, samples: Any) -> str:
    """Every process of a case does the same work."""
    others = samples.of(row for row in samples.by_row if row.case == slot.case)
    if others and sample.loops != others[0].loops:
        return f"had {sample.loops} loops, where others had {others[0].loops}"
    return ""
