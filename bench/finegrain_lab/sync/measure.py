"""Runs `sync` for every mechanism and number of threads, in rounds."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from finegrain_lab.cycles import CycleSamples, CycleSampling, require_batches
from finegrain_lab.instruments import FloorMeter
from finegrain_lab.processes import ProcessFailed, run_process
from finegrain_lab.progress import Reporter
from finegrain_lab.runtimes import Build, cpu_list
from finegrain_lab.spawn.cases import threads_text
from finegrain_lab.sync.cases import MECHANISMS, REFERENCE, crowded_counts
from finegrain_lab.sync.modes import SyncMode
from finegrain_lab.sync.protocol import SyncSample


class Slot(NamedTuple):
    """One process of every round."""

    mechanism: str
    threads: int

    @property
    def reference(self) -> "Slot":
        """The reference on as many threads, measured beside it."""
        return Slot(REFERENCE, self.threads)

    @property
    def told(self) -> str:
        """Its name for a reader."""
        return f"{self.mechanism} on {threads_text(self.threads)}"


@dataclass(frozen=True)
class Plan:
    """What is to be measured."""

    build: Build
    cpus: Sequence[int]
    mode: SyncMode

    @property
    def threads(self) -> list[int]:
        """The numbers of threads."""
        return crowded_counts(len(self.cpus))

    def has_cpu_each(self, slot: Slot) -> bool:
        """Says whether each of the slot's threads has a CPU of its own."""
        return slot.threads <= len(self.cpus)

    def groups(self) -> list[list[Slot]]:
        """Returns the slots of a round: a group for each number of threads."""
        return [[Slot(name, threads) for name in MECHANISMS] for threads in self.threads]


class Measured(CycleSamples[Slot, SyncSample]):
    """What the processes said."""


def measure(plan: Plan, reporter: Reporter) -> Measured:
    """Runs the plan's processes, one after the other.

    Raises LabError for a wrong result, and without the floor or the reference. Another slot's
    failure is noted, and the slot is left out.
    """
    run = _Run(plan)
    run.to_the_end(reporter)
    return run.measured


class _Run(CycleSampling[Slot, SyncSample]):
    measured: Measured

    def __init__(self, plan: Plan) -> None:
        floor = FloorMeter(plan.build, (plan.cpus[0], plan.cpus[1]))
        super().__init__(Measured(), plan.mode, floor, plan.groups())
        self._plan = plan
        self._program = str(plan.build.program(plan.build.manifest.sync))

    def sample(self, slot: Slot) -> SyncSample:
        mode = self._plan.mode
        command = [
            *(self._program, "--mechanism", slot.mechanism, "--threads", str(slot.threads)),
            *("--cpus", cpu_list(self._plan.cpus)),
            *("--batches", str(mode.batches), "--batch-ms", str(mode.batch_ms)),
        ]
        sample = run_process(command, SyncSample)
        _require_whole(sample, slot, self._plan)
        return sample

    def decides(self, slot: Slot) -> bool:
        # Threads that share a CPU take turns as the scheduler likes: no run would ever be sure.
        return self._plan.has_cpu_each(slot)


def _require_whole(sample: SyncSample, slot: Slot, plan: Plan) -> None:
    if (sample.mechanism, sample.threads) != slot:
        raise ProcessFailed("answered with a sample of something else")
    require_batches(sample, plan.mode.batches)
    pinned = plan.has_cpu_each(slot)
    own = sorted(plan.cpus[: slot.threads])
    if sample.pinned is not pinned or (pinned and sorted(sample.cpus) != own):
        raise ProcessFailed(f"ran on CPUs {cpu_list(sample.cpus)}")
