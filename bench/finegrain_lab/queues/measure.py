"""Runs `queues` for every queue and measure, in rounds."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from finegrain_lab.cycles import CycleSamples, CycleSampling, require_batches
from finegrain_lab.instruments import FloorMeter
from finegrain_lab.processes import ProcessFailed, run_process
from finegrain_lab.progress import Reporter
from finegrain_lab.queues.cases import MEASURES, REFERENCE
from finegrain_lab.queues.modes import QueuesMode
from finegrain_lab.queues.protocol import Queue, QueueSample
from finegrain_lab.runtimes import Build, Cpus, cpu_list


class Slot(NamedTuple):
    """One process of every round."""

    measure: str
    queue: str

    @property
    def reference(self) -> "Slot":
        """The same of our own ring, measured beside it."""
        return Slot(self.measure, REFERENCE)

    @property
    def told(self) -> str:
        """Its name for a reader."""
        return f"{self.queue}, {self.measure}"


@dataclass(frozen=True)
class Plan:
    """What is to be measured."""

    build: Build
    queues: Sequence[Queue]
    missing: Sequence[Queue]
    cpus: Cpus
    mode: QueuesMode

    def groups(self) -> list[list[Slot]]:
        """Returns the slots of a round: a group for each measure."""
        return [[Slot(measure, queue.name) for queue in self.queues] for measure in MEASURES]


class Measured(CycleSamples[Slot, QueueSample]):
    """What the processes said."""


def measure(plan: Plan, reporter: Reporter) -> Measured:
    """Runs the plan's processes, one after the other.

    Raises LabError for a wrong result, and without the floor or the reference. Another slot's
    failure is noted, and the slot is left out.
    """
    run = _Run(plan)
    run.to_the_end(reporter)
    return run.measured


class _Run(CycleSampling[Slot, QueueSample]):
    measured: Measured

    def __init__(self, plan: Plan) -> None:
        floor = FloorMeter(plan.build, plan.cpus)
        super().__init__(Measured(), plan.mode, floor, plan.groups())
        self._plan = plan
        self._program = str(plan.build.program(plan.build.manifest.queues))

    def sample(self, slot: Slot) -> QueueSample:
        mode = self._plan.mode
        command = [
            *(self._program, "--queue", slot.queue, "--measure", slot.measure),
            *("--cpus", cpu_list(self._plan.cpus)),
            *("--batches", str(mode.batches), "--items", str(mode.items(slot.measure))),
        ]
        sample = run_process(command, QueueSample)
        _require_whole(sample, slot, mode)
        return sample


def _require_whole(sample: QueueSample, slot: Slot, mode: QueuesMode) -> None:
    asked = (slot.measure, slot.queue, mode.items(slot.measure))
    if (sample.measure, sample.queue, sample.items) != asked:
        raise ProcessFailed("answered with a sample of something else")
    require_batches(sample, mode.batches)
