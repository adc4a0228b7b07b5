# SPDX-License-Identifier: Apache-2.0
"""What the pool's policies do on many simulated cores: counts, and bands of virtual time.

docs/scaling.md says what these can tell.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Sequence, Tuple

from finegrain_lab.run.errors import LabError
from finegrain_lab.run.experiment import Command, Compared, Experiment, Fact, Plan, Request, Slot
from finegrain_lab.run.host import choose_cpus
from finegrain_lab.run.modes import FULL_BUDGET_S, LEAST_ROUNDS, Mode
from finegrain_lab.run.processes import Processes, ProcessFailed
from finegrain_lab.run.threads import threads_text
from finegrain_lab.show.figures import Axis, Figure, Point, Series
from finegrain_lab.show.tables import FAILED, AnyCell, Section, Table, grid, number

MACHINE = "8x24"
MACHINES = Path(__file__).resolve().parents[3] / "tests/sim/machines"

DEFAULT = "private_deque"
X_OPENMP = ("xqueue_static", "xqueue_wait", "xqueue_nowait", "xqueue_nowait:2")
POLICIES = (DEFAULT, *X_OPENMP, "combining", "chase_lev")
OPENMP = "finegrain-omp"  # regions and barriers with threads of its own, of no policy
THREADS = (1, 2, 8, 32, 64, 128, 192, 256)  # more columns do not fit into a terminal


class Workload(NamedTuple):
    """A case: what `finegrain-sim` runs, on workers that are awake or asleep."""

    workload: str
    start: str
    tasks_a_worker: int  # at least
    least_tasks: int = 0  # of all workers


CASES = {
    "fib": Workload("fib", "awake", 250),
    "fib-asleep": Workload("fib", "asleep", 250),
    "flat-one": Workload("flat-one", "awake", 2, least_tasks=512),
    "flat-all": Workload("flat-all", "awake", 32),
    "parallel-for": Workload("parallel-for", "awake", 64),
    "tree": Workload("tree", "awake", 32),
    "graph": Workload("graph", "awake", 64),
    "regions": Workload("regions", "awake", 20),
    "barriers": Workload("barriers", "awake", 20),
}
OF_OPENMP = ("regions", "barriers")


class Count(NamedTuple):
    """A number of a row: how it is called, and how it follows from a sample."""

    title: str
    of: Callable[[Any], float]


def _a_task(name: str, title: str) -> Count:
    return Count(f"{title} a task", lambda sample: getattr(sample, name) / sample.tasks)


COUNTS: Dict[str, Count] = {
    "line_transfers": _a_task("line_transfers", "line transfers"),
    "accesses": _a_task("accesses", "accesses"),
    "shared_accesses": _a_task("shared_accesses", "accesses to shared lines"),
    "read_modify_writes": _a_task("read_modify_writes", "read-modify-writes"),
    "steal_attempts": _a_task("steal_attempts", "attempts to steal"),
    "wake_ups": _a_task("wake_ups", "wake-ups"),
    "interrupts": _a_task("interrupts", "interrupts by membarrier"),
    "longest_wake_up_chain": Count(
        "longest chain of wake-ups", lambda it: it.longest_wake_up_chain
    ),
    "busiest": Count(
        "line transfers of the busiest core, over those of an average one",
        lambda it: it.most_line_transfers * it.threads / max(it.line_transfers, 1),
    ),
    "pool_kib": Count("KiB of the pool a worker", lambda it: it.pool_bytes / it.threads / 1024),
}


def _number(count: Count) -> Callable[[Any, Slot], float]:
    return lambda sample, _row: count.of(sample)


ON_TERMINAL = ("line_transfers", "accesses", "wake_ups", "longest_wake_up_chain", "pool_kib")

# X-OpenMP's policies look at as many rings as there are workers: their runs take most of the time.
# So the larger ones have two seeds, and in quick runs stop at the paper's 192.
MOST_WITH_ALL_SEEDS, FEW_SEEDS = 64, 2

# A band is of all rounds, at each end of the bracket of the machine's times, however long they
# take; counts are of the first ones, at its usual times.
USUAL, ENDS = "usual", ("low", "high")
JITTER_PERCENT = 10
BAND_ROUNDS = 20
BAND_THREADS = (2, 8, 64, 256)
MOST_OF_X_OPENMPS_BANDS = 64  # 40 runs each, of which some on 256 cores take a minute
MODES = {
    "quick": Mode(
        name="quick",
        min_rounds=BAND_ROUNDS,
        max_rounds=BAND_ROUNDS,
        budget_s=150,
        work={
            "most_threads": 256,
            "most_threads_of_x_openmp": 192,
            "bands": ("fib", "flat-all", "parallel-for", "regions"),
        },
    ),
    "full": Mode(
        name="full",
        min_rounds=BAND_ROUNDS,
        max_rounds=BAND_ROUNDS,
        budget_s=FULL_BUDGET_S,
        work={"most_threads": 256, "most_threads_of_x_openmp": 256, "bands": tuple(CASES)},
    ),
}
MOST_OF_BRIEF = 64
TIMEOUT_S = 900.0  # of xqueue_wait's fib on 256 cores: a minute alone


@dataclass(frozen=True)
class Sample:
    """What `finegrain-sim` prints: counts of a whole run, all cores together, and virtual time."""

    workload: str
    policy: str
    threads: int
    start: str
    seed: int
    machine: str
    tasks: int
    pool_bytes: int
    longest_wake_up_chain: int
    most_line_transfers: int
    times: str
    virtual_ns: float
    accesses: int
    shared_accesses: int
    line_transfers: int
    invalidations: int
    read_modify_writes: int
    looks: int
    steal_attempts: int
    steals: int
    sleeps: int
    wake_ups: int
    heavy_fences: int
    interrupts: int
    note: str = ""


def _runtimes_of(case: str) -> Sequence[str]:
    return (OPENMP,) if case in OF_OPENMP else POLICIES


def _policy(slot: Slot) -> str:
    return DEFAULT if slot.runtime == OPENMP else slot.runtime


def _counted(case: str, policy: str, mode: Mode) -> List[Slot]:
    """Returns the runs of these that are counted."""
    most = mode["most_threads"]
    if policy in X_OPENMP:
        most = min(most, mode["most_threads_of_x_openmp"])
        most = min(most, MOST_WITH_ALL_SEEDS) if CASES[case].start == "asleep" else most
    return [Slot.of(case, policy, threads=count, times=USUAL) for count in THREADS if count <= most]


def _timed(case: str, policy: str, mode: Mode) -> List[Slot]:
    """Returns those that bands of virtual time are of."""
    if case not in mode["bands"]:
        return []
    most = mode["most_threads"]
    if policy in X_OPENMP:
        most = min(most, MOST_OF_X_OPENMPS_BANDS)
    return [
        Slot.of(case, policy, threads=count, times=end)
        for count in BAND_THREADS
        if count <= most
        for end in ENDS
    ]


def _takes_part(slot: Slot, at: int) -> bool:
    if slot.times != USUAL:
        return True
    has_all = slot.runtime not in X_OPENMP or slot.threads <= MOST_WITH_ALL_SEEDS
    return at < (LEAST_ROUNDS if has_all else FEW_SEEDS)


def _name_of(machine: Path, program: Path) -> str:
    """Returns the name that a machine's file gives it. Raises LabError for a bad file."""
    least = Command([program, "--machine", machine, "--threads", 1, "--tasks-a-worker", 1])
    try:
        return Processes().run(least, Sample).machine
    except ProcessFailed as error:
        raise LabError(f"--machine: {str(error).rpartition(': finegrain-sim: ')[2]}", 2) from error


def _plan(request: Request) -> Plan:
    cpus, placement = choose_cpus(request.cpus)
    mode, program = request.mode, request.build.program(request.build.manifest.scaling)
    machine = request.machine or MACHINES / f"{MACHINE}.toml"
    if request.is_brief:
        most = dict.fromkeys(("most_threads", "most_threads_of_x_openmp"), MOST_OF_BRIEF)
        mode = replace(mode, work={**mode.work, **most, "bands": ("fib",)})
    cases = request.chosen_cases(list(CASES))

    def command(slot: Slot, _found: Any) -> Command:
        case = CASES[slot.case]
        tasks = max(case.tasks_a_worker, case.least_tasks // slot.threads)
        words = [
            *(program, "--machine", machine, "--threads", slot.threads),
            *("--workload", case.workload, "--start", case.start, "--policy", _policy(slot)),
            *("--tasks-a-worker", tasks),
        ]
        if slot.times != USUAL:
            words += ["--times", slot.times, "--jitter", JITTER_PERCENT]
        return Command(words, timeout_s=TIMEOUT_S)

    return Plan(
        build=request.build,
        mode=mode,
        cpus=cpus,
        placement=placement,
        groups=[
            [
                slot
                for policy in _runtimes_of(case)
                for slot in (*_counted(case, policy, mode), *_timed(case, policy, mode))
            ]
            for case in cases
        ],
        command=command,
        of_round=lambda it, at: replace(it, words=[*it.words, "--seed", at + 1]),
        takes_part=_takes_part,
        cases=cases,
        runtimes=(*POLICIES, OPENMP),
        settings={"machine": _name_of(machine, program) if request.machine else MACHINE},
    )


def _reach(samples: Sequence[Sample]) -> Tuple[float, float]:
    """Returns the least and the most virtual time a task."""
    times = [sample.virtual_ns / sample.tasks for sample in samples]
    return min(times), max(times)


def _complaint(sample: Sample, slot: Slot, plan: Plan) -> str:
    case = CASES[slot.case]
    machine = plan.settings["machine"]
    asked = (case.workload, _policy(slot), slot.threads, case.start, machine, slot.times)
    told = (
        *(sample.workload, sample.policy, sample.threads, sample.start, sample.machine),
        sample.times,
    )
    return "" if told == asked else "answered with a sample of something else"


# ---- what is shown


def _columns(result: Any) -> Dict[str, Dict[str, Any]]:
    """Returns the numbers of threads that were simulated."""
    counted = {row.threads for row in result.rows_of(times=USUAL)}
    return {str(count): {"threads": count, "times": USUAL} for count in THREADS if count in counted}


def _lines(result: Any) -> Dict[Tuple[str, str], Dict[str, str]]:
    return {
        (case, policy): {"case": case, "runtime": policy}
        for case in result.cases
        for policy in _runtimes_of(case)
    }


def _table(result: Any, name: str) -> Table:
    return grid(
        result,
        f"{COUNTS[name].title}, by cores (simulated)",
        ("workload", "policy"),
        _columns(result),
        number(name),
        _lines(result),
        name in ON_TERMINAL,
    )


def _figure(result: Any, case: str) -> Figure:
    # 0 on one core, which a logarithmic axis does not have.
    lines = [
        Series(
            policy,
            [
                Point(row.threads, row.line_transfers, *row.line_transfers_ci95)
                for row in result.rows_of(case=case, runtime=policy, times=USUAL)
                if min(row.line_transfers_ci95) > 0
            ],
        )
        for policy in _runtimes_of(case)
    ]
    return Figure(
        f"lines-{case}",
        f"{case}: line transfers a task by cores. Simulated: counts, not measurements.",
        [line for line in lines if line.points],
        x=Axis("simulated cores", "log2", {count: str(count) for count in THREADS}),
        y=Axis("line transfers a task", "log"),
        height_in=4.6,
        legend=4,
    )


def band_of(result: Any, **fields: Any) -> Optional[Tuple[float, float]]:
    """Returns the ends of virtual time a task, in ns: of all runs at both ends of the bracket."""
    reaches = [result.row(times=end, **fields) for end in ENDS]
    if None in reaches:
        return None
    ends = [end for row in reaches for end in row.reach_ns]
    return min(ends), max(ends)


def band_text(band: Tuple[float, float]) -> str:
    """Returns a band for a reader."""
    return " to ".join(f"{end:.3g}" for end in band)


def _bands(result: Any) -> Table:
    def cell(row: Any) -> AnyCell:
        fields = {"case": row.case, "runtime": row.runtime, "threads": row.threads}
        band = band_of(result, **fields)
        return band_text(band) if band else FAILED

    timed = {row.threads for row in result.rows_of(times=ENDS[0])}
    names = {(row.case, row.runtime) for row in result.rows_of(times=ENDS[0])}
    return grid(
        result,
        "virtual time a task, ns, by cores: a band (simulated, no measurement)",
        ("workload", "policy"),
        {str(count): {"threads": count, "times": ENDS[0]} for count in sorted(timed)},
        cell,
        {name: fields for name, fields in _lines(result).items() if name in names},
    )


def band_figure(result: Any, case: str) -> Figure:
    """Returns the bands of a case, a policy each; without series where it has none."""
    bands = [
        Series(
            f"{policy}, simulated",
            [
                Point(row.threads, math.sqrt(band[0] * band[1]), *band)
                for row in result.rows_of(case=case, runtime=policy, times=ENDS[0])
                if (band := band_of(result, case=case, runtime=policy, threads=row.threads))
            ],
            "band",
            like=policy,
        )
        for policy in _runtimes_of(case)
        if policy not in X_OPENMP
    ]
    return Figure(
        f"band-{case}",
        f"{case}: virtual time a task by cores, from the least to the most of {2 * BAND_ROUNDS} "
        "runs. Simulated: no measurement.",
        [band for band in bands if band.points],
        x=Axis("simulated cores", "log2", {count: str(count) for count in BAND_THREADS}),
        y=Axis("virtual ns a task (simulated)", "log"),
        height_in=4.6,
        legend=2,
    )


def _sections(result: Any) -> List[Section]:
    return [
        Section(
            "Simulated: counts, not measurements",
            [
                *(_figure(result, case) for case in result.cases),
                *(_table(result, name) for name in COUNTS),
            ],
        ),
        Section(
            "Simulated: bands of virtual time, not measurements",
            [
                f"Each band is of {2 * BAND_ROUNDS} runs: {BAND_ROUNDS} with all times of the "
                f"machine low, and as many with all high, each of them up to {JITTER_PERCENT} % "
                "off by a draw of its own, and threads that begin up to a wake-up late. A time "
                "outside of a band says that the simulation is wrong, one inside says little.",
                *(band_figure(result, case) for case in result.cases if _is_timed(result, case)),
                _bands(result),
            ],
        ),
    ]


def _is_timed(result: Any, case: str) -> bool:
    return bool(result.rows_of(case=case, times=ENDS[0]))


def _where(slot: Any) -> str:
    times = "" if slot.times == USUAL else f", {slot.times} times"
    return f"{slot.case}, {threads_text(slot.threads)}{times}"


def _header(result: Any) -> Sequence[str]:
    return [
        f"simulated: on cores of the machine {result.settings.machine}, not measurements; "
        "docs/scaling.md says what they can tell"
    ]


SCALING = Experiment(
    name="scaling",
    title="what the pool's policies do on 1 to 256 simulated cores: counts, bands of virtual time",
    heading="Scaling: up to 256 simulated cores",
    intro=(
        "Simulated, not measured: the shipped headers run on virtual threads, each on a core of "
        "its own, and what moves between the cores is counted. A pool that has run the workload "
        "before runs it once more, with about as much work a worker at every number of cores, "
        "except for flat-one, where one worker spawns all tasks, 512 of them. fib forks without a "
        "cut-off; flat tasks and the graph's nodes take 500 ns, elements of the loop and the nodes "
        "of the unbalanced tree 100 ns; regions are empty parallel regions of the OpenMP library, "
        "barriers those of one region, a task a thread's part of one. The counts are of all "
        "cores together, those that find nothing to do included, divided by the tasks: forks, "
        "tasks of a group, elements of the loop, nodes. Rounds differ in the seed, by which pauses "
        "differ; X-OpenMP's policies on more than 64 cores have two. Virtual time is told as a "
        "band, of runs that differ in the machine's times as well."
    ),
    modes=MODES,
    plan=_plan,
    sample=Sample,
    numbers={name: _number(count) for name, count in COUNTS.items()},
    complaint=_complaint,
    facts={"reach_ns": Fact(Tuple[float, float], lambda samples, _row: _reach(samples))},
    others={"threads": int, "times": str},
    is_simulated=True,
    own_cpus=lambda _row, _settings: None,
    settings={"machine": str},
    told=lambda slot: f"{slot.runtime}, {_where(slot)}",
    where=lambda slot: _where(slot),
    contents={"case": list(CASES), "policy": POLICIES},
    options=frozenset({"--cases", "--machine"}),
    header=lambda result: list(_header(result)),
    sections=_sections,
    compared=lambda _result, row: Compared(_where(row), row.runtime),
)
