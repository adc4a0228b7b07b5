# SPDX-License-Identifier: Apache-2.0
"""The programs `spawn-RUNTIME`: their cases, who takes part, and the processes of a run.

The pool is there under each of its policies, a peer alone and, where it is an OpenMP runtime, with
the drop-in under its default policy as well: `omp` has all.
"""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, List

from finegrain_lab.run import drop_in
from finegrain_lab.run.allocators import Allocator
from finegrain_lab.run.drop_in import LEAST_RUNS, PRELOAD, WITH_DROP_IN, DropIn, base_of
from finegrain_lab.run.errors import LabError
from finegrain_lab.run.experiment import (
    Command,
    Missing,
    Slot,
)
from finegrain_lab.run.instruments import spin_steps_per_us
from finegrain_lab.run.modes import FULL_BUDGET_S, LEAST_ROUNDS, SURE_ROUNDS, Mode
from finegrain_lab.run.policies import POOL, policies_of
from finegrain_lab.run.processes import Processes, ProcessFailed
from finegrain_lab.run.runtimes import (
    OPENMP,
    SERIAL,
    Build,
    Cpus,
    PeerSettings,
    cpu_list,
    environment_of,
    without_doubles,
)
from finegrain_lab.run.shapes import Misfit
from finegrain_lab.run.threads import cpus_of

REFERENCE = "pool-private_deque"
# Serial processes side by side, one a CPU: what that many CPUs can do at best.
CEILING = "ceiling"
MAIN_POLICIES = ("private_deque", "xqueue_nowait")  # ours, and X-OpenMP's best one

# What a process proves: 10,945 tasks, 1 ms of work at 0.1 us each.
PROBE = ("--batches", 1, "fib", "--n", 20)
# Of a process of a paper's own size: 20 batches of 8 million tasks a thread at GNU's 20 us a task
# (X-OpenMP, 192 threads) are an hour. More is a hang.
PAPER_TIMEOUT_S = 6 * 3600.0
BATCH_MS = 30  # the programs'; where the case says how many tasks it has, that is what a batch is


def modes(
    quick: Mapping[str, Any],
    full: Mapping[str, Any],
    most_rounds: tuple[int, int],
    budget_s: float,
    paper: int | None = None,
    *,
    sure: tuple[float, int] | None = (0.02, 15),
    least: int = SURE_ROUNDS,
) -> dict[str, Mode]:
    """Returns the modes by what a process does.

    `quick` and `full` have the batches of a process, of which best and worst are dropped, and the
    least time of one where the case does not say how many tasks it has; `paper` is the batches of a
    paper's own sizes. A full run is sure within so much, and after so many rounds.
    """
    half_width, sure_rounds = sure or (None, 0)
    found = [
        Mode(
            name="quick",
            min_rounds=LEAST_ROUNDS,
            max_rounds=most_rounds[0],  # more is no longer quick
            budget_s=budget_s,
            work={"batch_ms": BATCH_MS, **quick},
        ),
        Mode(
            name="full",
            min_rounds=least,
            max_rounds=most_rounds[1],  # past that the host's drift sets the interval
            budget_s=FULL_BUDGET_S,
            converged_half_width=half_width,
            converged_rounds=sure_rounds,
            work={"batch_ms": BATCH_MS, **full},
        ),
    ]
    if paper:
        work = {"batches": paper, "batch_ms": BATCH_MS, "timeout_s": PAPER_TIMEOUT_S}
        found.append(
            Mode(name="paper", min_rounds=LEAST_ROUNDS, max_rounds=LEAST_ROUNDS, work=work)
        )
    return {mode.name: mode for mode in found}


# ---- a process, and what it runs


@dataclass(frozen=True)
class TaskSample:
    """What the programs `spawn-RUNTIME` print of a case (bench/README.md)."""

    runtime: str
    threads: int
    tasks: int  # of a batch
    ns: List[float]  # wall time per task, a number a batch
    offloaded_share: float  # of the tasks, on other threads than the one with most
    cpus: List[int]  # where tasks were seen
    allocator: str  # whose malloc it called
    version: str
    # Of one run more the tasks of each thread, in the order of their first ones; with `flat
    # --by-thread` of each batch.
    tasks_by_thread: List[List[int]]
    note: str = ""

    def __post_init__(self) -> None:
        wrong = {
            "threads": self.threads <= 0,
            "tasks": self.tasks <= 0,
            "ns": not self.ns,
            "offloaded_share": not 0 <= self.offloaded_share <= 1,
            "tasks_by_thread": not self.tasks_by_thread,
        }
        for at, counts in enumerate(self.tasks_by_thread):
            wrong.update({f"tasks_by_thread.{at}.{of}": it < 0 for of, it in enumerate(counts)})
        for name, is_wrong in wrong.items():
            if is_wrong:
                raise Misfit(f"{name}: cannot be so")

    @property
    def mean_ns(self) -> float:
        """Wall time per task, the mean over the batches but best and worst."""
        return statistics.fmean(sorted(self.ns)[1:-1] or self.ns)


@dataclass(frozen=True)
class Case:
    """Tasks of one kind."""

    name: str
    words: Sequence[Any] = ()  # what `spawn-RUNTIME` is told
    scaling: bool = False  # on every number of threads, not on the most only
    check: str = ""  # in words, what the program checks
    size: str = ""  # in words, where it is the mode's choice or a paper's scaled down

    @property
    def needs_calibration(self) -> bool:
        """Says whether `arguments` has to be given the spin kernel's steps."""
        return False

    def arguments(self, threads: int, steps_per_us: float | None) -> list[Any]:
        """Returns what the program is told on so many threads."""
        del threads, steps_per_us
        return list(self.words)

    def is_for(self, runtime: str) -> bool:
        """Says whether the runtime takes part; serial, the ceiling and the reference have to."""
        del runtime
        return True

    def options(self, runtime: str) -> list[Any]:
        """Returns what this runtime's program is told beside, ahead of the arguments."""
        del runtime
        return []

    def environment(self, runtime: str) -> dict[str, str]:
        """Returns the variables that this runtime's process gets beside its own settings."""
        del runtime
        return {}

    def kept(self, output: Any) -> Any:
        """Returns what is recorded of a process's output."""
        return output

    def complaint(self, sample: Any) -> str:
        """Returns what a sample lacks that the case asks for, nothing if it is whole.

        Raises WrongResult if it says that the work was not done as it has to be.
        """
        del sample
        return ""

    def checked(self, samples: Sequence[Any]) -> str:
        """Says what was checked in the processes that gave these samples."""
        del samples
        return self.check


# ---- who takes part


@dataclass(frozen=True)
class Contestant:
    """A runtime, alone or with the drop-in, or the pool under one policy."""

    name: str
    program: Path
    policy: str = ""  # the pool's
    loaded: DropIn | None = None
    note: str = ""


def answers_as(runtime: str) -> str:
    """Returns what its program calls itself, which does not know of the drop-in."""
    return SERIAL if runtime == CEILING else base_of(runtime)


def choose(build: Build, names: Sequence[str] | None) -> list[Contestant]:
    """Returns the contestants of these names (all if None), the reference among them always.

    With the drop-in, a name without a policy is its default one. Raises LabError for a name that
    there is not, or that is not installed.
    """
    policies = policies_of(build)
    pool = program_of(build, POOL)
    known = [Contestant(f"{POOL}-{name}", pool, name) for name in policies]
    known += _peers(build, policies[0])
    missing = {each.runtime: each.how_to_get for each in missing_peers(build)}
    wanted = [drop_in.whole_name(name, policies[0]) for name in names or ()]
    for name in wanted:
        if (base := base_of(name)) in missing:
            raise LabError(f"{base} is not installed: {missing[base]}")
        if WITH_DROP_IN in name:
            build.drop_in()
        if all(name != contestant.name for contestant in known):
            all_names = ", ".join([*(contestant.name for contestant in known), *missing])
            raise LabError(f"there is no runtime '{name}'; known are {all_names}", 2)
    if all(contestant.name != REFERENCE for contestant in known):
        raise LabError(f"the build's pool has no {REFERENCE} to compare with: run 'make lab'")
    return [it for it in known if names is None or it.name in wanted or it.name == REFERENCE]


def each_once(chosen: Sequence[Contestant]) -> list[Contestant]:
    """Returns each runtime once, but the pool under our policy and under X-OpenMP's best one."""
    kept = without_doubles({answers_as(it.name) for it in chosen})
    return [
        it for it in chosen if answers_as(it.name) in kept and it.policy in ("", *MAIN_POLICIES)
    ]


def missing_peers(build: Build) -> list[Missing]:
    """Returns the peers that the build could not have."""
    return [Missing(each.name, each.how_to_get) for each in build.missing("spawn")]


def _peers(build: Build, policy: str) -> list[Contestant]:
    library = build.drop_in() if build.manifest.drop_in else None
    peers = []
    for runtime in build.installed("spawn"):
        name = runtime.name
        if name == SERIAL:
            continue
        program = program_of(build, name)
        peers.append(Contestant(name, program, note=runtime.note))
        if library and name in OPENMP:
            note = f"{name}'s program as it is, its tasks on the drop-in's queues"
            served = drop_in.with_policy(name, policy)
            loaded = DropIn(library, policy)
            peers.append(Contestant(served, program, loaded=loaded, note=note))
    return peers


def program_of(build: Build, runtime: str) -> Path:
    """Returns a runtime's program. Raises LabError without it."""
    return build.program(build.manifest.spawn / f"spawn-{runtime}")


# ---- a run


@dataclass(frozen=True)
class Run:
    """What is to be run on what."""

    build: Build
    mode: Mode
    cpus: Sequence[int]  # thread by thread
    pair: Cpus  # those of two threads
    counts: Sequence[int]  # of threads, from 1 to all of these
    cases: Mapping[str, Case]
    contestants: Mapping[str, Contestant]
    has_ceiling: bool
    peers: PeerSettings
    allocator: Allocator
    is_tied: bool  # each thread to a CPU

    def slots_of(self, case: Case, runtime: str) -> list[Slot]:
        """Returns the runtime's processes of this case in a round."""
        if not case.is_for(runtime):
            return []
        counts = [*self.counts]
        if runtime == SERIAL:
            counts = [1]
        elif not case.scaling:
            counts = counts[-1:]
        least = 2 if runtime == CEILING else 1
        return [Slot.of(case.name, runtime, threads=count) for count in counts if count >= least]

    def groups(self) -> list[list[Slot]]:
        """Returns the slots of a round, in groups that are compared.

        A case is one group. With a ceiling it is two, what is held against it and the peers: the
        ceiling is to be as near as possible.
        """
        ours = [name for name in self.contestants if answers_as(name).startswith((SERIAL, POOL))]
        peers = [name for name in self.contestants if name not in ours]
        parts = [ours, peers] if self.has_ceiling else [ours + peers]
        return [
            [slot for name in part for slot in self.slots_of(case, name)]
            for case in self.cases.values()
            for part in parts
        ]

    def environment(self, runtime: str, threads: int) -> dict[str, str]:
        """Returns its own variables on these CPUs: the same alone and with the drop-in."""
        own = environment_of(
            *(answers_as(runtime), self.peers, cpus_of(threads, self.pair, self.cpus)),
            tied=self.is_tied,
        )
        loaded = self.contestants[runtime].loaded
        return {**own, **(loaded.variables if loaded else {})}

    def command(self, slot: Slot, found: Mapping[str, Any]) -> Command:
        """Returns the process of a slot."""
        case, policy = self.cases[slot.case], self.contestants[slot.runtime].policy
        words = [
            *("--batches", self.mode["batches"], "--batch-ms", self.mode["batch_ms"]),
            *(("--policy", policy) if policy else ()),
            *(() if self.is_tied else ("--untied",)),
            *case.options(slot.runtime),
            *case.arguments(slot.threads, found["spin_steps_per_us"]),
        ]
        process = self._process(slot.runtime, slot.threads, words, case.environment(slot.runtime))
        timeout_s = self.mode.work.get("timeout_s", process.timeout_s)
        return replace(process, timeout_s=timeout_s, kept=case.kept)

    def begin(self, sampling: Any) -> dict[str, Any]:
        """Calibrates the delays, and asks the drop-in what it takes over of who has it."""
        steps = None
        if any(case.needs_calibration for case in self.cases.values()):
            steps = spin_steps_per_us(sampling.processes, self.build, self.cpus[0])
        proofs = {
            name: partial(self._proof, sampling.processes, name, it.loaded)
            for name, it in self.contestants.items()
            if it.loaded
        }
        return {"spin_steps_per_us": steps, "taken_over": drop_in.take_over(sampling, proofs)}

    def settings(self) -> dict[str, Any]:
        """Returns what the result says of all that."""
        environments = {
            name: drop_in.told(self.environment(name, len(self.cpus)), contestant.loaded)
            for name, contestant in self.contestants.items()
        }
        besides = {case.name: self._beside(case) for case in self.cases.values()}
        return {
            "reference": REFERENCE,
            "threads": [*self.counts],
            "cpus": list(self.cpus),
            "pair": list(self.pair),
            "batches": self.mode["batches"],
            "batch_ms": self.mode["batch_ms"],
            "peers": self.peers,
            "allocator": self.allocator,
            "numa_binding": "on" if self.is_tied else "off",
            "environment": {name: them for name, them in environments.items() if them},
            "sizes": {name: case.size for name, case in self.cases.items() if case.size},
            "beside": {name: beside for name, beside in besides.items() if beside},
        }

    def _beside(self, case: Case) -> dict[str, str]:
        """Returns what the case tells some runtimes beside what it tells all."""
        words = {
            name: [*map(str, case.options(name)), *map("=".join, case.environment(name).items())]
            for name in self.contestants
            if self.slots_of(case, name)
        }
        return {name: " ".join(told) for name, told in words.items() if told}

    def _process(
        self, runtime: str, threads: int, words: Iterable[Any], variables: Mapping[str, str]
    ) -> Command:
        own = {**self.environment(runtime, threads), **variables}
        both = (own, self.allocator.variables)
        if loaded := [them[PRELOAD] for them in both if PRELOAD in them]:
            own[PRELOAD] = ":".join(loaded)
        # A pair at least, so that one thread's process shows the CPUs of the run too.
        cpus = cpu_list(cpus_of(max(threads, 2), self.pair, self.cpus))
        program = self.contestants[runtime].program
        return Command([program, "--threads", threads, "--cpus", cpus, *words], own)

    def _proof(self, processes: Processes, name: str, loaded: DropIn) -> drop_in.TakenOver:
        command = self._process(name, len(self.cpus), PROBE, drop_in.VERBOSE)
        sample, said = processes.listen(command, TaskSample)
        if sample.runtime != answers_as(name):
            raise ProcessFailed("answered with a sample of something else")
        return drop_in.require_service(sample.runtime, loaded, LEAST_RUNS * sample.tasks, said)
