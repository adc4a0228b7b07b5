# SPDX-License-Identifier: Apache-2.0
"""Runs the cases on every runtime, in rounds."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import NamedTuple

from finegrain_lab import statistics
from finegrain_lab.allocators import Allocator
from finegrain_lab.drop_in import (
    LEAST_RUNS,
    PRELOAD,
    VERBOSE,
    DropIn,
    TakenOver,
    proved,
    require_service,
)
from finegrain_lab.instruments import FloorMeter, calibrate
from finegrain_lab.processes import ProcessFailed, run_and_listen, run_process
from finegrain_lab.progress import Reporter
from finegrain_lab.runtimes import (
    SERIAL,
    Binding,
    Build,
    Cpus,
    PeerSettings,
    cpu_list,
    environment_of,
)
from finegrain_lab.sampling import Samples, Sampling
from finegrain_lab.tasking.contestants import CEILING, REFERENCE, Contestant
from finegrain_lab.tasking.modes import TaskingMode
from finegrain_lab.tasking.protocol import TaskSample
from finegrain_lab.tasking.study import Case, Study
from finegrain_lab.threads import thread_counts, threads_text

# What a process proves: 10,945 tasks, 1 ms of work at 0.1 us each.
PROBE = ("--batches", "1", "fib", "--n", "20")


class Slot(NamedTuple):
    """One process of every round."""

    case: str
    runtime: str
    threads: int

    @property
    def told(self) -> str:
        """Its name for a reader."""
        return f"{self.runtime} on {self.where}"

    @property
    def where(self) -> str:
        """Its case and threads for a reader."""
        return f"{self.case}, {threads_text(self.threads)}"


@dataclass(frozen=True)
class Plan:
    """What is to be measured."""

    study: Study
    build: Build
    serial: Contestant
    ceiling: Contestant
    contestants: Sequence[Contestant]
    cases: Sequence[Case]
    cpus: Sequence[int]  # thread by thread
    mode: TaskingMode
    peers: PeerSettings
    allocator: Allocator = Allocator.GLIBC
    numa_binding: Binding = "on"

    @property
    def is_tied(self) -> bool:
        """Says whether each thread is tied to a CPU."""
        return self.numa_binding == "on"

    @property
    def pair(self) -> Cpus:
        """The two CPUs that the floor is of."""
        return self.cpus[0], self.cpus[1]

    @property
    def everyone(self) -> list[Contestant]:
        """All of them, in the order of the tables."""
        ceiling = [self.ceiling] if self.study.speedup_over else []
        return [self.serial, *ceiling, *self.contestants]

    def case(self, name: str) -> Case:
        """Returns the case of this name."""
        return next(case for case in self.cases if case.name == name)

    def threads_of(self, case: Case) -> list[int]:
        """Returns the numbers of threads that the case is run on."""
        counts = thread_counts(len(self.cpus))
        return counts if case.scaling else counts[-1:]

    def environment(self, contestant: Contestant, cpus: Sequence[int]) -> dict[str, str]:
        """Returns its own variables on these CPUs: the same alone and with the drop-in."""
        own = environment_of(contestant.answers_as, self.peers, cpus, tied=self.is_tied)
        return own | (contestant.drop_in.variables if contestant.drop_in else {})

    def slots_of(self, case: Case, contestant: Contestant) -> list[Slot]:
        """Returns the contestant's processes of this case in a round."""
        if not case.is_for(contestant.name):
            return []
        if contestant == self.serial:
            return [Slot(case.name, contestant.name, 1)]
        least = 2 if contestant == self.ceiling else 1
        counts = [threads for threads in self.threads_of(case) if threads >= least]
        return [Slot(case.name, contestant.name, threads) for threads in counts]

    def groups(self) -> list[list[Slot]]:
        """Returns the slots of a round, in groups that are compared.

        A case is one group. With a ceiling it is two, what is held against it and the peers: the
        ceiling is to be as near as possible.
        """
        kinds = ((True,), (False,)) if self.study.speedup_over else ((True, False),)
        return [
            [
                slot
                for contestant in self.everyone
                if contestant.is_ours in kind
                for slot in self.slots_of(case, contestant)
            ]
            for case in self.cases
            for kind in kinds
        ]


@dataclass
class Measured(Samples[Slot, TaskSample]):
    """What the processes said."""

    spin_steps_per_us: float | None = None
    taken_over: dict[str, TakenOver] = field(default_factory=dict)  # by runtime, in its proof

    def ns(self, slot: Slot) -> dict[int, float]:
        """Returns the wall time per task of each round."""
        return self.by_round(slot, lambda sample: sample.mean_ns)

    def of_reference(self, slot: Slot) -> list[float]:
        """Returns its time over the reference's on as many threads, round by round.

        The serial process's is over that of the most threads.
        """
        counts = [at.threads for at in self.samples if at.case == slot.case]
        threads = max(counts) if slot.runtime == SERIAL else slot.threads
        return statistics.paired_ratios(self.ns(slot), self.ns(Slot(slot.case, REFERENCE, threads)))

    def speedups(self, slot: Slot, study: Study) -> dict[int, float]:
        """Returns the slot's speedups by round: over what the study says.

        Nothing for one thread that would be held against itself.
        """
        over_serial = study.speedup_over == "serial" or slot.runtime in (SERIAL, CEILING)
        alone = Slot(slot.case, SERIAL if over_serial else slot.runtime, 1)
        if study.speedup_over is None or slot == alone:
            return {}
        return statistics.ratios_by_round(self.ns(alone), self.ns(slot))

    def of_ceiling(self, slot: Slot, study: Study) -> list[float]:
        """Returns its speedup over the ceiling's on as many CPUs, round by round.

        One CPU's ceiling is the serial process.
        """
        speedups = self.speedups(slot, study)
        if slot.threads == 1:
            return list(speedups.values())
        ceiling = self.speedups(Slot(slot.case, CEILING, slot.threads), study)
        return statistics.paired_ratios(speedups, ceiling)


def measure(plan: Plan, reporter: Reporter) -> Measured:
    """Runs the plan's processes, one after the other.

    Raises LabError for a wrong result, and without the floor, the reference, serial or the ceiling.
    Another slot's failure is noted, and the slot is left out; so is a runtime that the drop-in
    can be shown not to serve.
    """
    run = _Run(plan)
    if any(case.needs_calibration for case in plan.cases):
        run.measured.spin_steps_per_us = calibrate(plan.build, plan.cpus[0])
    run.prove(reporter)
    run.to_the_end(reporter)
    return run.measured


class _Run(Sampling[Slot, TaskSample]):
    measured: Measured

    def __init__(self, plan: Plan) -> None:
        super().__init__(Measured(), plan.mode, FloorMeter(plan.build, plan.pair))
        self._plan = plan
        self._contestants = {contestant.name: contestant for contestant in plan.everyone}

    def prove(self, reporter: Reporter) -> None:
        """Asks the drop-in what it takes over of each contestant that has it."""
        for contestant in self._plan.contestants:
            if contestant.drop_in is None:
                continue
            reporter.step(0.0, f"proof of {contestant.name}")
            slots = [
                slot for case in self._plan.cases for slot in self._plan.slots_of(case, contestant)
            ]
            prove = partial(self._proof, contestant, contestant.drop_in)
            if found := proved(contestant.name, prove, self.measured.failed, slots):
                self.measured.taken_over[contestant.name] = found

    def groups(self, round_index: int) -> list[list[Slot]]:
        del round_index
        return self._plan.groups()

    def sample(self, slot: Slot) -> TaskSample:
        contestant, mode = self._contestants[slot.runtime], self._plan.mode
        case = self._plan.case(slot.case)
        command = [
            *self._program(contestant, slot.threads),
            *("--batches", str(mode.batches), "--batch-ms", str(mode.batch_ms)),
            *(("--policy", contestant.policy) if contestant.policy is not None else ()),
            *(() if self._plan.is_tied else ("--untied",)),
            *case.options(slot.runtime),
            *case.arguments(slot.threads, self.measured.spin_steps_per_us),
        ]
        settings = self._settings(contestant, slot.threads) | case.environment(slot.runtime)
        sample = run_process(command, case.answer, settings, mode.timeout_s)
        _require_whole(sample, slot, contestant, mode.batches)
        if sample.allocator != self._plan.allocator:
            raise ProcessFailed(f"called {sample.allocator}'s malloc, not {self._plan.allocator}'s")
        case.require_whole(sample)
        return sample

    def _program(self, contestant: Contestant, threads: int) -> list[str]:
        return [
            *(str(contestant.program), "--threads", str(threads)),
            # A pair at least, so that one thread's process shows the CPUs of the run too.
            *("--cpus", cpu_list(self._plan.cpus[: max(threads, 2)])),
        ]

    def _settings(self, contestant: Contestant, threads: int) -> dict[str, str]:
        own = self._plan.environment(contestant, self._plan.cpus[:threads])
        allocator = self._plan.allocator.variables
        loaded = [variables[PRELOAD] for variables in (own, allocator) if PRELOAD in variables]
        return own | ({PRELOAD: ":".join(loaded)} if loaded else {})

    def _proof(self, contestant: Contestant, drop_in: DropIn) -> TakenOver:
        threads = len(self._plan.cpus)
        command = [*self._program(contestant, threads), *PROBE]
        settings = self._settings(contestant, threads) | VERBOSE
        sample, lines = run_and_listen(command, TaskSample, settings)
        if sample.runtime != contestant.answers_as:
            raise ProcessFailed("answered with a sample of something else")
        return require_service(contestant.answers_as, drop_in, LEAST_RUNS * sample.tasks, lines)

    def vital(self, slot: Slot) -> str | None:
        is_vital = slot.runtime in (SERIAL, CEILING, REFERENCE)
        return f"{slot.told} failed" if is_vital else None

    def of_interest(self) -> list[list[float]]:
        plan, measured = self._plan, self.measured
        if plan.study.speedup_over:
            slots = [Slot(case.name, REFERENCE, plan.threads_of(case)[-1]) for case in plan.cases]
            return [measured.of_ceiling(slot, plan.study) for slot in slots]
        return [
            measured.of_reference(slot)
            for case in plan.cases
            for contestant in plan.contestants
            for slot in plan.slots_of(case, contestant)[-1:]
            if slot not in measured.failed
        ]


def _require_whole(sample: TaskSample, slot: Slot, contestant: Contestant, batches: int) -> None:
    if (sample.runtime, sample.threads) != (contestant.answers_as, slot.threads):
        raise ProcessFailed("answered with a sample of something else")
    if len(sample.ns) != batches:
        raise ProcessFailed(f"gave other than {batches} batches")
    if any(len(counts) != slot.threads for counts in sample.tasks_by_thread):
        raise ProcessFailed(f"counted the tasks of other than {slot.threads} threads")
    alone = slot.threads == 1 or slot.runtime == CEILING
    if alone is not (sample.offloaded_share == 0):
        share = f"{sample.offloaded_share:.0%}"
        raise ProcessFailed(f"ran {share} of the tasks on other threads than the one with most")
