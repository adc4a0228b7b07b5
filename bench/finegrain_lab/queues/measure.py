# SPDX-License-Identifier: Apache-2.0
"""Runs `queues` for every queue and measure, in rounds."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from finegrain_lab.cycles import CycleSamples, CycleSampling
from finegrain_lab.progress import Reporter
from finegrain_lab.queues.cases import MEASURES, REFERENCE
from finegrain_lab.queues.modes import QueuesMode
from finegrain_lab.queues.protocol import Queue, QueueSample
from finegrain_lab.runtimes import Build, Cpus


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


Measured = CycleSamples[Slot, QueueSample]


def measure(plan: Plan, reporter: Reporter) -> Measured:
    """Runs the plan's processes: see `CycleSampling.run`."""
    return _Run(plan).run(reporter)


class _Run(CycleSampling[Slot, QueueSample]):
    def __init__(self, plan: Plan) -> None:
        super().__init__(plan, plan.build.manifest.queues, QueueSample)
        self._items = plan.mode.items

    def case(self, slot: Slot) -> list[str]:
        return ["--queue", slot.queue, "--measure", slot.measure]

    def work(self, slot: Slot) -> list[str]:
        return ["--items", str(self._items(slot.measure))]

    def answers(self, sample: QueueSample, slot: Slot) -> bool:
        asked = (*slot, self._items(slot.measure))
        return (sample.measure, sample.queue, sample.items) == asked
