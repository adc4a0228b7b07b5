# SPDX-License-Identifier: Apache-2.0
"""Runs every program alone and with the drop-in, in rounds."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import NamedTuple

from finegrain_lab import statistics
from finegrain_lab.drop_in import (
    LEAST_RUNS,
    VERBOSE,
    TakenOver,
    proved,
    require_absence,
    require_service,
)
from finegrain_lab.instruments import FloorMeter, calibrate
from finegrain_lab.omp.cases import FIB, Case
from finegrain_lab.omp.contestants import Contestant
from finegrain_lab.omp.modes import OmpMode
from finegrain_lab.omp.protocol import OmpSample, joined
from finegrain_lab.processes import ProcessFailed, run_and_listen, run_process
from finegrain_lab.progress import Reporter
from finegrain_lab.runtimes import SERIAL, Build, Cpus, PeerSettings, cpu_list, environment_of
from finegrain_lab.sampling import Samples, Sampling
from finegrain_lab.stacks import DEEP_STACK

# 21,890 tasks, 2 ms of work at 0.1 us each: the timed processes need not be verbose then.
PROBE = Case(FIB, "kernel", "what a process proves", size=20)


class Slot(NamedTuple):
    """One process of a round."""

    case: str
    runtime: str

    @property
    def told(self) -> str:
        """Its name for a reader."""
        return f"{self.runtime} on {self.case}"


@dataclass(frozen=True)
class Plan:
    """What is to be measured."""

    build: Build
    contestants: Sequence[Contestant]  # serial first
    policies: Sequence[str]  # the default first
    cases: Sequence[Case]
    cpus: Sequence[int]  # thread by thread
    mode: OmpMode
    peers: PeerSettings
    is_asked: bool = False  # the contestants were named: they are in every round

    @property
    def default_policy(self) -> str:
        """The drop-in's, if it is told none."""
        return self.policies[0]

    @property
    def pair(self) -> Cpus:
        """The two CPUs that the floor is of."""
        return self.cpus[0], self.cpus[1]

    def contestant(self, name: str) -> Contestant:
        """Returns the contestant of this name."""
        return next(one for one in self.contestants if one.name == name)

    def threads(self, contestant: Contestant) -> int:
        """Returns on how many threads it runs."""
        return len(self.cpus) if contestant.base else 1

    def environment(self, contestant: Contestant) -> dict[str, str]:
        """Returns the variables that its processes get: the same alone and with the drop-in."""
        own = environment_of(contestant.base, self.peers, self.cpus) if contestant.base else {}
        return own | contestant.variables

    def slots(self) -> list[Slot]:
        """Returns all that is measured, in the order of the tables."""
        return [
            Slot(case.name, one.name)
            for case in self.cases
            for one in self.contestants
            if one.base or case.has_serial
        ]

    def groups(self, with_all_policies: bool) -> list[list[Slot]]:
        """Returns the slots of a round: a group for each case and runtime, serial with the first.

        What the drop-in is held against, its own runtime alone, is to be as near as possible.
        """
        of_case: dict[str, dict[str | None, list[Slot]]] = {case.name: {} for case in self.cases}
        for slot in self.slots():
            contestant = self.contestant(slot.runtime)
            if with_all_policies or contestant.policy in (None, self.default_policy):
                of_case[slot.case].setdefault(contestant.base, []).append(slot)
        groups: list[list[Slot]] = []
        for by_base in of_case.values():
            serial = by_base.pop(None, [])
            first, *others = by_base.values() or [[]]
            groups += [[*serial, *first], *others]
        return groups


@dataclass
class Measured(Samples[Slot, OmpSample]):
    """What the processes said."""

    spin_steps_per_us: float | None = None
    taken_over: dict[str, TakenOver] = field(default_factory=dict)  # by runtime, in its proof

    def ns(self, slot: Slot) -> dict[int, float]:
        """Returns the slot's time of each round: the median over the batches of its processes."""
        return self.by_round(slot, lambda sample: sample.median_ns)

    def ratios(self, of: Slot, over: Slot) -> list[float]:
        """Returns the one's time over the other's, round by round.

        None where any of them is 0 or less: an overhead below the clock's noise has no ratio.
        """
        times, others = self.ns(of), self.ns(over)
        if any(ns <= 0 for ns in (*times.values(), *others.values())):
            return []
        return statistics.paired_ratios(times, others)


def measure(plan: Plan, reporter: Reporter) -> Measured:
    """Runs the plan's processes, one after the other.

    Raises LabError for a wrong result, and without the floor or serial. A runtime that the drop-in
    can be shown not to serve is noted on all its cases, and so is another slot's failure.
    """
    run = _Run(plan)
    if any(case.needs_calibration for case in plan.cases):
        run.measured.spin_steps_per_us = calibrate(plan.build, plan.cpus[0])
    run.prove(reporter)
    run.to_the_end(reporter)
    return run.measured


class _Run(Sampling[Slot, OmpSample]):
    measured: Measured

    def __init__(self, plan: Plan) -> None:
        super().__init__(Measured(), plan.mode, FloorMeter(plan.build, plan.pair))
        self._plan = plan
        self._cases = {case.name: case for case in plan.cases}
        self._tasks: dict[str, int] = {}  # of a batch, by case, as the first process had them

    def prove(self, reporter: Reporter) -> None:
        """Asks the drop-in of each contestant what it takes over; those that fail are out."""
        for contestant in self._plan.contestants:
            if contestant.base is None:
                continue
            reporter.step(0.0, f"proof of {contestant.name}")
            slots = [Slot(case.name, contestant.name) for case in self._plan.cases]
            prove = partial(self._proof, contestant)
            if found := proved(contestant.name, prove, self.measured.failed, slots):
                self.measured.taken_over[contestant.name] = found

    def groups(self, round_index: int) -> list[list[Slot]]:
        plan = self._plan
        return plan.groups(plan.is_asked or plan.mode.has_all_policies(round_index))

    def sample(self, slot: Slot) -> OmpSample:
        contestant, case = self._plan.contestant(slot.runtime), self._cases[slot.case]
        batches = self._plan.mode.batches_of(case)
        command = self._command(contestant, case, batches)
        if case.needs_calibration:
            command += ["--spin-steps-per-us", repr(self.measured.spin_steps_per_us)]
        settings = self._plan.environment(contestant)
        if case.has_deep_tasks and contestant.base:
            settings |= DEEP_STACK
        samples = []
        for _ in range(self._plan.mode.processes_of(case)):
            samples.append(run_process(command, OmpSample, settings))
            _require_answer(samples[-1], contestant, case, self._plan.threads(contestant))
            _require_whole(samples[-1], case, batches)
        sample = joined(samples)
        if sample.tasks != self._tasks.setdefault(case.name, sample.tasks):
            others = self._tasks[case.name]
            raise ProcessFailed(f"made {sample.tasks} tasks, where others made {others}")
        return sample

    def vital(self, slot: Slot) -> str | None:
        return f"{slot.told} failed" if slot.runtime == SERIAL else None

    def of_interest(self) -> list[list[float]]:
        plan, measured = self._plan, self.measured
        ratios = []
        for slot in plan.slots():
            contestant = plan.contestant(slot.runtime)
            if contestant.policy == plan.default_policy and self._cases[slot.case].has_serial:
                own = Slot(slot.case, contestant.answers_as)
                if slot not in measured.failed and own not in measured.failed:
                    ratios.append(measured.ratios(slot, own))
        return ratios

    def _command(self, contestant: Contestant, case: Case, batches: int) -> list[str]:
        return [
            *(str(contestant.program), "--case", case.name),
            *(("--size", str(case.size)) if case.size is not None else ()),
            *("--batches", str(batches), "--threads", str(self._plan.threads(contestant))),
            *("--cpus", cpu_list(self._plan.cpus)),
        ]

    def _proof(self, contestant: Contestant) -> TakenOver | None:
        command = self._command(contestant, PROBE, 1)
        settings = self._plan.environment(contestant) | VERBOSE
        sample, lines = run_and_listen(command, OmpSample, settings)
        _require_answer(sample, contestant, PROBE, self._plan.threads(contestant))
        if contestant.base is None or contestant.drop_in is None:
            require_absence(lines)
            return None
        least = LEAST_RUNS * sample.tasks
        return require_service(contestant.base, contestant.drop_in, least, lines)


def _require_answer(sample: OmpSample, contestant: Contestant, case: Case, threads: int) -> None:
    asked = (contestant.answers_as, case.name, threads)
    right_size = case.size is None or sample.size == case.size
    if (sample.runtime, sample.case, sample.threads) != asked or not right_size:
        raise ProcessFailed("answered with a sample of something else")


def _require_whole(sample: OmpSample, case: Case, batches: int) -> None:
    if len(sample.ns) != batches:
        raise ProcessFailed(f"gave other than {batches} batches")
    if case.kind != "overhead" and not (sample.tasks > 0 and min(sample.ns) > 0):
        raise ProcessFailed("gave a time that no task took")
    if (sample.threads == 1) is not (sample.offloaded_share == 0):
        share = f"{sample.offloaded_share:.0%}"
        raise ProcessFailed(f"ran {share} of the tasks on other threads than the one with most")
