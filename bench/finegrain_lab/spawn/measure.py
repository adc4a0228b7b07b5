"""Runs fib on every runtime and number of threads, in rounds."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from finegrain_lab import statistics
from finegrain_lab.instruments import FloorMeter
from finegrain_lab.processes import ProcessFailed, run_process
from finegrain_lab.progress import Reporter
from finegrain_lab.runtimes import SERIAL, Build, Cpus, PeerSettings, cpu_list, environment_of
from finegrain_lab.sampling import Samples, Sampling
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


class Measured(Samples[Slot, SpawnSample]):
    """What the processes said."""

    def ns(self, slot: Slot) -> dict[int, float]:
        """Returns the wall time per spawn of each round: the median of its batches."""
        return self.by_round(slot, lambda sample: statistics.median(sample.ns))

    def of_reference(self, slot: Slot) -> list[float]:
        """Returns its time over the reference's on as many threads, round by round."""
        return statistics.paired_ratios(self.ns(slot), self.ns(Slot(REFERENCE, slot.threads)))

    def speedups(self, slot: Slot) -> dict[int, float]:
        """Returns the time on one thread over that on the slot's, by round.

        The ceiling's one thread is the serial process.
        """
        alone = Slot(SERIAL if slot.runtime == CEILING else slot.runtime, 1)
        return statistics.ratios_by_round(self.ns(alone), self.ns(slot))

    def of_ceiling(self, slot: Slot) -> list[float]:
        """Returns its speed-up over the ceiling's on as many CPUs, round by round."""
        ceiling = self.speedups(Slot(CEILING, slot.threads))
        return statistics.paired_ratios(self.speedups(slot), ceiling)


def measure(plan: Plan, reporter: Reporter) -> Measured:
    """Runs the plan's processes, one after the other.

    Raises LabError for a wrong result, and without the floor, the reference, serial or the ceiling.
    Another slot's failure is noted, and the slot is left out.
    """
    run = _Run(plan)
    run.to_the_end(reporter)
    return run.measured


class _Run(Sampling[Slot, SpawnSample]):
    measured: Measured

    def __init__(self, plan: Plan) -> None:
        super().__init__(Measured(), plan.mode, FloorMeter(plan.build, plan.pair))
        self._plan = plan
        self._contestants = {contestant.name: contestant for contestant in plan.everyone}

    def groups(self, round_index: int) -> list[list[Slot]]:
        del round_index
        return self._plan.groups()

    def sample(self, slot: Slot) -> SpawnSample:
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
        sample = run_process(command, SpawnSample, environment)
        _require_whole(sample, slot, contestant, mode.batches)
        return sample

    def vital(self, slot: Slot) -> str | None:
        return f"{slot.told} failed" if slot.runtime in (SERIAL, CEILING, REFERENCE) else None

    def of_interest(self) -> list[list[float]]:
        return [self.measured.of_ceiling(Slot(REFERENCE, self._plan.threads[-1]))]


def _require_whole(sample: SpawnSample, slot: Slot, contestant: Contestant, batches: int) -> None:
    if (sample.runtime, sample.threads) != (contestant.answers_as, slot.threads):
        raise ProcessFailed("answered with a sample of something else")
    if len(sample.ns) != batches:
        raise ProcessFailed(f"gave other than {batches} batches")
    alone = slot.threads == 1 or slot.runtime == CEILING
    if alone is not (sample.offloaded_share == 0):
        share = f"{sample.offloaded_share:.0%}"
        raise ProcessFailed(f"ran {share} of the leaves on other threads than the root's")
