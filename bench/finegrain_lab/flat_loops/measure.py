"""Runs the loops on every runtime, in rounds."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from finegrain_lab import statistics
from finegrain_lab.flat_loops.modes import FlatMode
from finegrain_lab.flat_loops.protocol import FlatSample
from finegrain_lab.flat_loops.study import Case, Study
from finegrain_lab.instruments import FloorMeter, calibrate
from finegrain_lab.processes import ProcessFailed, run_process
from finegrain_lab.progress import Reporter
from finegrain_lab.runtimes import SERIAL, Build, Cpus, PeerSettings, cpu_list, environment_of
from finegrain_lab.sampling import Samples, Sampling
from finegrain_lab.spawn.cases import REFERENCE, thread_counts, threads_text
from finegrain_lab.spawn.contestants import Contestant


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
    contestants: Sequence[Contestant]
    cases: Sequence[Case]
    cpus: Sequence[int]  # thread by thread
    mode: FlatMode
    peers: PeerSettings

    @property
    def pair(self) -> Cpus:
        """The two CPUs that the floor is of."""
        return self.cpus[0], self.cpus[1]

    @property
    def everyone(self) -> list[Contestant]:
        """All of them, in the order of the tables."""
        return [self.serial, *self.contestants]

    def threads_of(self, case: Case) -> list[int]:
        """Returns the numbers of threads that the case is run on."""
        counts = thread_counts(len(self.cpus))
        return counts if case.scaling else counts[-1:]

    def groups(self) -> list[list[Slot]]:
        """Returns the slots of a round: a group for each case, with its serial process."""
        return [
            [
                Slot(case.name, SERIAL, 1),
                *(
                    Slot(case.name, contestant.name, threads)
                    for contestant in self.contestants
                    for threads in self.threads_of(case)
                ),
            ]
            for case in self.cases
        ]


class Measured(Samples[Slot, FlatSample]):
    """What the processes said."""

    spin_steps_per_us: float | None = None

    def ns(self, slot: Slot) -> dict[int, float]:
        """Returns the wall time per task of each round, of its batches but best and worst."""
        return self.by_round(slot, lambda sample: _middle_mean(sample.wall_ns) / sample.tasks)

    def of_reference(self, slot: Slot) -> list[float]:
        """Returns its time over the reference's on as many threads, round by round.

        The serial process's is over that of the most threads.
        """
        counts = [at.threads for at in self.samples if at.case == slot.case]
        threads = max(counts) if slot.runtime == SERIAL else slot.threads
        return statistics.paired_ratios(self.ns(slot), self.ns(Slot(slot.case, REFERENCE, threads)))


def _middle_mean(values: Sequence[float]) -> float:
    middle = sorted(values)[1:-1] or values
    return sum(middle) / len(middle)


def measure(plan: Plan, reporter: Reporter) -> Measured:
    """Runs the plan's processes, one after the other.

    Raises LabError for a wrong result, and without the floor, the reference or serial. Another
    slot's failure is noted, and the slot is left out.
    """
    run = _Run(plan)
    if any(case.delay_ns is not None for case in plan.cases):
        run.measured.spin_steps_per_us = calibrate(plan.build, plan.cpus[0])
    run.to_the_end(reporter)
    return run.measured


class _Run(Sampling[Slot, FlatSample]):
    measured: Measured

    def __init__(self, plan: Plan) -> None:
        super().__init__(Measured(), plan.mode, FloorMeter(plan.build, plan.pair))
        self._plan = plan
        self._contestants = {contestant.name: contestant for contestant in plan.everyone}

    def groups(self, round_index: int) -> list[list[Slot]]:
        del round_index
        return self._plan.groups()

    def sample(self, slot: Slot) -> FlatSample:
        contestant, mode = self._contestants[slot.runtime], self._plan.mode
        case = self._plan.study.case(slot.case)
        cpus = self._plan.cpus[: slot.threads]
        command = [
            *(str(contestant.program), "--threads", str(slot.threads)),
            # A pair at least, so that one thread's process shows the CPUs of the run too.
            *("--cpus", cpu_list(self._plan.cpus[: max(slot.threads, 2)])),
            *("--batches", str(mode.batches), "--batch-ms", str(mode.batch_ms)),
            *(("--policy", contestant.policy) if contestant.policy is not None else ()),
            *("flat", "--producers", str(case.producers_on(slot.threads))),
            *self._load(case),
        ]
        environment = environment_of(slot.runtime, self._plan.peers, cpus)
        sample = run_process(command, FlatSample, environment)
        _require_whole(sample, slot, contestant, mode.batches)
        return sample

    def _load(self, case: Case) -> list[str]:
        if case.delay_ns is None:
            return ["--max-load", str(case.max_load)]
        steps = repr(self.measured.spin_steps_per_us)
        return ["--delay-ns", repr(case.delay_ns), "--spin-steps-per-us", steps]

    def vital(self, slot: Slot) -> str | None:
        return f"{slot.told} failed" if slot.runtime in (SERIAL, REFERENCE) else None

    def of_interest(self) -> list[list[float]]:
        most = [(case.name, self._plan.threads_of(case)[-1]) for case in self._plan.cases]
        return [
            self.measured.of_reference(Slot(case, contestant.name, threads))
            for case, threads in most
            for contestant in self._plan.contestants
            if Slot(case, contestant.name, threads) not in self.measured.failed
        ]


def _require_whole(sample: FlatSample, slot: Slot, contestant: Contestant, batches: int) -> None:
    if (sample.runtime, sample.threads) != (contestant.answers_as, slot.threads):
        raise ProcessFailed("answered with a sample of something else")
    if len(sample.wall_ns) != batches:
        raise ProcessFailed(f"gave other than {batches} batches")
    if (slot.threads == 1) is not (sample.offloaded_share == 0):
        share = f"{sample.offloaded_share:.0%}"
        raise ProcessFailed(f"ran {share} of the tasks on other threads than the busiest")
