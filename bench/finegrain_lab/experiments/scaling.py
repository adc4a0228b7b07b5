# SPDX-License-Identifier: Apache-2.0
"""What the pool's policies do on many simulated cores, counted: no times, see docs/scaling.md."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Callable, Dict, List, NamedTuple, Sequence, Tuple

from finegrain_lab.run.errors import LabError
from finegrain_lab.run.experiment import Command, Compared, Experiment, Plan, Request, Slot
from finegrain_lab.run.host import choose_cpus
from finegrain_lab.run.modes import FULL_BUDGET_S, LEAST_ROUNDS, Mode
from finegrain_lab.run.processes import Processes, ProcessFailed
from finegrain_lab.run.threads import threads_text
from finegrain_lab.show.figures import Axis, Figure, Point, Series
from finegrain_lab.show.tables import Section, Table, grid, number

MACHINE = "8x24"
MACHINES = Path(__file__).resolve().parents[3] / "tests/sim/machines"

DEFAULT = "private_deque"
X_OPENMP = ("xqueue_static", "xqueue_wait", "xqueue_nowait", "xqueue_nowait:2")
POLICIES = (DEFAULT, *X_OPENMP, "combining", "chase_lev")
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
}


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
    "pool_kib": Count("KiB of the pool a worker", lambda it: it.pool_bytes / it.threads / 1024),
}


def _number(count: Count) -> Callable[[Any, Slot], float]:
    return lambda sample, _row: count.of(sample)


ON_TERMINAL = ("line_transfers", "accesses", "wake_ups", "longest_wake_up_chain", "pool_kib")

# X-OpenMP's policies look at as many rings as there are workers: their runs take most of the time.
# So the larger ones have two seeds, and in quick runs stop at the paper's 192.
MOST_WITH_ALL_SEEDS, FEW_SEEDS = 64, 2
MODES = {
    "quick": Mode(
        name="quick",
        min_rounds=LEAST_ROUNDS,
        max_rounds=LEAST_ROUNDS,  # a seed each
        budget_s=150,
        work={"most_threads": 256, "most_threads_of_x_openmp": 192},
    ),
    "full": Mode(
        name="full",
        min_rounds=LEAST_ROUNDS,
        max_rounds=20,
        budget_s=FULL_BUDGET_S,
        work={"most_threads": 256, "most_threads_of_x_openmp": 256},
    ),
}
MOST_OF_BRIEF = 64
TIMEOUT_S = 900.0  # of xqueue_wait's fib on 256 cores: a minute alone


@dataclass(frozen=True)
class Sample:
    """What `finegrain-sim` prints: counts of a whole run, all cores together."""

    workload: str
    policy: str
    threads: int
    start: str
    seed: int
    machine: str
    tasks: int
    pool_bytes: int
    longest_wake_up_chain: int
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


def _threads_of(case: str, policy: str, mode: Mode) -> List[int]:
    """Returns the numbers of threads of these."""
    most = mode["most_threads"]
    if policy in X_OPENMP:
        most = min(most, mode["most_threads_of_x_openmp"])
        most = min(most, MOST_WITH_ALL_SEEDS) if CASES[case].start == "asleep" else most
    return [count for count in THREADS if count <= most]


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
        mode = replace(mode, work=dict.fromkeys(mode.work, MOST_OF_BRIEF))
    cases = request.chosen_cases(list(CASES))

    def command(slot: Slot, _found: Any) -> Command:
        case = CASES[slot.case]
        tasks = max(case.tasks_a_worker, case.least_tasks // slot.threads)
        words = [
            *(program, "--machine", machine, "--threads", slot.threads),
            *("--workload", case.workload, "--start", case.start, "--policy", slot.runtime),
            *("--tasks-a-worker", tasks),
        ]
        return Command(words, timeout_s=TIMEOUT_S)

    return Plan(
        build=request.build,
        mode=mode,
        cpus=cpus,
        placement=placement,
        groups=[
            [
                Slot.of(case, policy, threads=count)
                for policy in POLICIES
                for count in _threads_of(case, policy, mode)
            ]
            for case in cases
        ],
        command=command,
        of_round=lambda it, at: replace(it, words=[*it.words, "--seed", at + 1]),
        takes_part=lambda slot, at: (
            at < FEW_SEEDS or slot.runtime not in X_OPENMP or slot.threads <= MOST_WITH_ALL_SEEDS
        ),
        cases=cases,
        runtimes=POLICIES,
        settings={"machine": _name_of(machine, program) if request.machine else MACHINE},
    )


def _complaint(sample: Sample, slot: Slot, plan: Plan) -> str:
    case = CASES[slot.case]
    machine = plan.settings["machine"]
    asked = (case.workload, slot.runtime, slot.threads, case.start, machine)
    told = (sample.workload, sample.policy, sample.threads, sample.start, sample.machine)
    return "" if told == asked else "answered with a sample of something else"


# ---- what is shown


def _columns(result: Any) -> Dict[str, Dict[str, int]]:
    """Returns the numbers of threads that were simulated."""
    counted = {row.threads for row in result.rows}
    return {str(count): {"threads": count} for count in THREADS if count in counted}


def _lines(result: Any) -> Dict[Tuple[str, str], Dict[str, str]]:
    return {
        (case, policy): {"case": case, "runtime": policy}
        for case in result.cases
        for policy in result.runtimes
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
                for row in result.rows_of(case=case, runtime=policy)
                if min(row.line_transfers_ci95) > 0
            ],
        )
        for policy in result.runtimes
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


def _sections(result: Any) -> List[Section]:
    return [
        Section(
            "Simulated: counts, not measurements",
            [
                *(_figure(result, case) for case in result.cases),
                *(_table(result, name) for name in COUNTS),
            ],
        )
    ]


def _header(result: Any) -> Sequence[str]:
    return [
        f"simulated: counts on cores of the machine {result.settings.machine}, not measurements; "
        "docs/scaling.md says what they can tell"
    ]


SCALING = Experiment(
    name="scaling",
    title="what the pool's policies do on 1 to 256 simulated cores, counted",
    heading="Scaling: counts on up to 256 simulated cores",
    intro=(
        "Simulated, not measured: the shipped headers run on virtual threads, each on a core of "
        "its own, and what moves between the cores is counted. A pool that has run the workload "
        "before runs it once more, with about as much work a worker at every number of cores, "
        "except for flat-one, where one worker spawns all tasks, 512 of them. fib forks without a "
        "cut-off; flat tasks and the graph's nodes take 500 ns, elements of the loop and the nodes "
        "of the unbalanced tree 100 ns. The counts are of all "
        "cores together, those that find nothing to do included, divided by the tasks: forks, "
        "tasks of a group, elements of the loop, nodes. Rounds differ in the seed, by which pauses "
        "differ; X-OpenMP's policies on more than 64 cores have two."
    ),
    modes=MODES,
    plan=_plan,
    sample=Sample,
    numbers={name: _number(count) for name, count in COUNTS.items()},
    complaint=_complaint,
    others={"threads": int},
    is_simulated=True,
    own_cpus=lambda _row, _settings: None,
    settings={"machine": str},
    told=lambda slot: f"{slot.runtime}, {slot.case}, {threads_text(slot.threads)}",
    where=lambda slot: f"{slot.case}, {threads_text(slot.threads)}",
    contents={"case": list(CASES), "policy": POLICIES},
    options=frozenset({"--cases", "--machine"}),
    header=lambda result: list(_header(result)),
    sections=_sections,
    compared=lambda _result, row: Compared(f"{row.case}, {threads_text(row.threads)}", row.runtime),
)
