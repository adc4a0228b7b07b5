"""Runs fib on every runtime and number of threads, in rounds."""

import random
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import NamedTuple

from finegrain_lab import statistics
from finegrain_lab.errors import LabError
from finegrain_lab.instruments import FLOOR_PROCESSES_PER_ROUND, FloorMeter
from finegrain_lab.processes import ProcessFailed, WrongResult, run_process
from finegrain_lab.progress import Reporter
from finegrain_lab.rounds import (
    ORDER_SEED,
    Step,
    half_width,
    run_rounds,
    shuffled_groups,
    with_spread,
)
from finegrain_lab.runtimes import SERIAL, Build, Cpus, PeerSettings, cpu_list, environment_of
from finegrain_lab.spawn.cases import CEILING, REFERENCE, thread_counts, threads_text
from finegrain_lab.spawn.contestants import Contestant
from finegrain_lab.spawn.modes import SpawnMode
from finegrain_lab.spawn.protocol import SpawnSample


class Slot(NamedTuple):
    """One process of every round."""

    runtime: str
    threads: int

    @property
    def told(self) -> str:
        """Its name for a reader."""
        return f"{self.runtime} on {threads_text(self.threads)}"


@dataclass(frozen=True)
class Plan:
    """What is to be measured."""

    build: Build
    serial: Contestant
    ceiling: Contestant
    contestants: Sequence[Contestant]
    cpus: Sequence[int]  # thread by thread
    mode: SpawnMode
    peers: PeerSettings

    @property
    def pair(self) -> Cpus:
        """The two CPUs that the floor is of."""
        return self.cpus[0], self.cpus[1]

    @property
    def threads(self) -> list[int]:
        """The numbers of threads."""
        return thread_counts(len(self.cpus))

    @property
    def everyone(self) -> list[Contestant]:
        """All of them, in the order of the tables."""
        return [self.serial, self.ceiling, *self.contestants]

    def slots_of(self, contestant: Contestant) -> list[Slot]:
        """Returns its processes in a round."""
        if contestant == self.serial:
            return [Slot(contestant.name, 1)]
        least = 2 if contestant == self.ceiling else 1
        return [Slot(contestant.name, threads) for threads in self.threads if threads >= least]

    def groups(self) -> list[list[Slot]]:
        """Returns the slots of a round: what is held against the ceiling, then the peers."""
        return [
            [slot for c in self.everyone if c.is_ours is ours for slot in self.slots_of(c)]
            for ours in (True, False)
        ]


@dataclass
class Measured:
    """What the processes said, by round."""

    samples: defaultdict[Slot, dict[int, SpawnSample]] = field(
        default_factory=lambda: defaultdict(dict)
    )
    failed: dict[Slot, str] = field(default_factory=dict)
    floor_samples: list[float] = field(default_factory=list)
    rounds: int = 0
    seconds: float = 0.0

    def ns(self, slot: Slot) -> dict[int, float]:
        """Returns the wall time per spawn of each round: the median of its batches."""
        return {at: statistics.median(s.ns) for at, s in self.samples[slot].items()}

    def of_reference(self, slot: Slot) -> list[float]:
        """Returns its time over the reference's on as many threads, round by round."""
        return statistics.paired_ratios(self.ns(slot), self.ns(Slot(REFERENCE, slot.threads)))

    def speedups(self, slot: Slot) -> dict[int, float]:
        """Returns the time on one thread over that on the slot's, by round.

        The ceiling's one thread is the serial process.
        """
        alone = Slot(SERIAL if slot.runtime == CEILING else slot.runtime, 1)
        return _ratios(self.ns(alone), self.ns(slot))

    def of_ceiling(self, slot: Slot) -> list[float]:
        """Returns its speed-up over the ceiling's on as many CPUs, round by round."""
        ceiling = self.speedups(Slot(CEILING, slot.threads))
        return statistics.paired_ratios(self.speedups(slot), ceiling)


def _ratios(above: Mapping[int, float], below: Mapping[int, float]) -> dict[int, float]:
    return {at: above[at] / below[at] for at in sorted(above.keys() & below.keys())}


def measure(plan: Plan, reporter: Reporter) -> Measured:
    """Runs the plan's processes, one after the other.

    Raises LabError for a wrong result, and without the floor, the reference, serial or the ceiling.
    Another slot's failure is noted, and the slot is left out.
    """
    run = _Run(plan)
    run.to_the_end(reporter)
    return run.measured


class _Run:
    def __init__(self, plan: Plan) -> None:
        self.measured = Measured()
        self._plan = plan
        self._order = random.Random(ORDER_SEED)
        self._floor = FloorMeter(plan.build, plan.pair)
        self._groups = plan.groups()
        self._contestants = {contestant.name: contestant for contestant in plan.everyone}

    def to_the_end(self, reporter: Reporter) -> None:
        measured = self.measured
        extent = run_rounds(self._plan.mode, self._steps, self._converged, reporter)
        measured.rounds, measured.seconds = extent.rounds, extent.seconds
        measured.floor_samples = self._floor.samples

    def _steps(self, round_index: int) -> list[Step]:
        slots = shuffled_groups(self._order, self._groups)
        return [
            Step(slot.told, partial(self._sample, slot, round_index)) if slot else self._floor.step
            for slot in with_spread(slots, FLOOR_PROCESSES_PER_ROUND)
        ]

    def _sample(self, slot: Slot, round_index: int) -> None:
        if slot in self.measured.failed:
            return
        contestant, mode = self._contestants[slot.runtime], self._plan.mode
        cpus = self._plan.cpus[: slot.threads]
        command = [
            *(str(contestant.program), "--threads", str(slot.threads)),
            # A pair at least, so that one thread's process shows the CPUs of the run too.
            *("--cpus", cpu_list(self._plan.cpus[: max(slot.threads, 2)])),
            *("--batches", str(mode.batches), "--batch-ms", str(mode.batch_ms)),
        ]
        if contestant.policy is not None:
            command += ["--policy", contestant.policy]
        environment = environment_of(slot.runtime, self._plan.peers, cpus)
        try:
            sample = run_process(command, SpawnSample, environment)
            _require_whole(sample, slot, contestant, mode.batches)
        except WrongResult as error:
            raise LabError(f"wrong result from {slot.told}: {error}") from error
        except ProcessFailed as error:
            if slot.runtime in (SERIAL, CEILING, REFERENCE):
                raise LabError(f"{slot.told} failed: {error}") from error
            self.measured.failed[slot] = str(error)
            return
        self.measured.samples[slot][round_index] = sample

    def _converged(self) -> bool:
        limit = self._plan.mode.converged_half_width
        shares = self.measured.of_ceiling(Slot(REFERENCE, self._plan.threads[-1]))
        return limit is not None and half_width(shares) <= limit


def _require_whole(sample: SpawnSample, slot: Slot, contestant: Contestant, batches: int) -> None:
    if (sample.runtime, sample.threads) != (contestant.answers_as, slot.threads):
        raise ProcessFailed("answered with a sample of something else")
    if len(sample.ns) != batches:
        raise ProcessFailed(f"gave other than {batches} batches")
    alone = slot.threads == 1 or slot.runtime == CEILING
    if alone is not (sample.offloaded_share == 0):
        share = f"{sample.offloaded_share:.0%}"
        raise ProcessFailed(f"ran {share} of the leaves on other threads than the root's")
