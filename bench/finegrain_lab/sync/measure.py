# SPDX-License-Identifier: Apache-2.0
"""Runs `sync` for every mechanism and number of threads, in rounds."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from finegrain_lab.cycles import CycleSamples, CycleSampling
from finegrain_lab.processes import ProcessFailed
from finegrain_lab.progress import Reporter
from finegrain_lab.runtimes import Build, cpu_list
from finegrain_lab.sync.cases import MECHANISMS, REFERENCE, crowded_counts
from finegrain_lab.sync.modes import SyncMode
from finegrain_lab.sync.protocol import SyncSample
from finegrain_lab.threads import threads_text


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


Measured = CycleSamples[Slot, SyncSample]


def measure(plan: Plan, reporter: Reporter) -> Measured:
    """Runs the plan's processes: see `CycleSampling.run`."""
    return _Run(plan).run(reporter)


class _Run(CycleSampling[Slot, SyncSample]):
    def __init__(self, plan: Plan) -> None:
        super().__init__(plan, plan.build.manifest.sync, SyncSample)
        self._plan = plan

    def case(self, slot: Slot) -> list[str]:
        return ["--mechanism", slot.mechanism, "--threads", str(slot.threads)]

    def work(self, slot: Slot) -> list[str]:
        del slot
        return ["--batch-ms", str(self._plan.mode.batch_ms)]

    def answers(self, sample: SyncSample, slot: Slot) -> bool:
        return (sample.mechanism, sample.threads) == slot

    def sample(self, slot: Slot) -> SyncSample:
        sample = super().sample(slot)
        pinned = self._plan.has_cpu_each(slot)
        own = sorted(self._plan.cpus[: slot.threads])
        if sample.pinned is not pinned or (pinned and sorted(sample.cpus) != own):
            raise ProcessFailed(f"ran on CPUs {cpu_list(sample.cpus)}")
        return sample

    def decides(self, slot: Slot) -> bool:
        # Threads that share a CPU take turns as the scheduler likes: no run would ever be sure.
        return self._plan.has_cpu_each(slot)
