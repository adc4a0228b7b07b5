# SPDX-License-Identifier: Apache-2.0
"""Runs `waiting` for every policy, gap and hints, in rounds."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from finegrain_lab import statistics
from finegrain_lab.instruments import FloorMeter
from finegrain_lab.processes import ProcessFailed, run_process
from finegrain_lab.progress import Reporter
from finegrain_lab.runtimes import Build, Cpus, cpu_list
from finegrain_lab.sampling import Samples, Sampling
from finegrain_lab.waiting.cases import (
    GAPS_US,
    HINTS,
    REFERENCE_HINTS,
    REFERENCE_POLICY,
    Hints,
    gap_text,
)
from finegrain_lab.waiting.modes import WaitingMode
from finegrain_lab.waiting.protocol import WaitingSample


@dataclass(frozen=True)
class Plan:
    """What is to be measured."""

    build: Build
    policies: Sequence[str]
    cpus: Cpus
    mode: WaitingMode


class Slot(NamedTuple):
    """One process of every round."""

    policy: str
    hints: Hints
    gap_us: int

    @property
    def reference(self) -> "Slot":
        """Spinning after the same gap, measured beside it."""
        return Slot(REFERENCE_POLICY, REFERENCE_HINTS, self.gap_us)

    @property
    def told(self) -> str:
        """Its name for a reader."""
        hints = "with hints" if self.hints == "hints" else "without hints"
        return f"{self.policy} {hints}, {gap_text(self.gap_us)}"


class Measured(Samples[Slot, WaitingSample]):
    """What the processes said."""

    def ns(self, slot: Slot) -> dict[int, float]:
        """Returns the latency of each round: the median of its gaps."""
        return self.by_round(slot, lambda sample: statistics.median(sample.first_task_ns))

    def burned(self, slot: Slot) -> dict[int, float]:
        """Returns the share of a CPU that was burned in each round: the median of its gaps."""
        return self.by_round(slot, lambda sample: statistics.median(sample.burned_share))

    def of_spin(self, slot: Slot) -> list[float]:
        """Returns the latency over the reference's, round by round."""
        return statistics.paired_ratios(self.ns(slot), self.ns(slot.reference))


def groups_of(policies: Sequence[str]) -> list[list[Slot]]:
    """Returns the slots of a round: a group for each gap."""
    return [
        [Slot(policy, hints, gap_us) for policy in policies for hints in HINTS]
        for gap_us in GAPS_US
    ]


def measure(plan: Plan, reporter: Reporter) -> Measured:
    """Runs the plan's processes, one after the other.

    Raises LabError for a wrong result, and without the floor or the reference. Another slot's
    failure is noted, and the slot is left out.
    """
    run = _Run(plan)
    run.to_the_end(reporter)
    return run.measured


class _Run(Sampling[Slot, WaitingSample]):
    measured: Measured

    def __init__(self, plan: Plan) -> None:
        super().__init__(Measured(), plan.mode, FloorMeter(plan.build, plan.cpus))
        self._plan = plan
        self._program = str(plan.build.program(plan.build.manifest.waiting))

    def groups(self, round_index: int) -> list[list[Slot]]:
        del round_index
        return groups_of(self._plan.policies)

    def sample(self, slot: Slot) -> WaitingSample:
        gaps = self._plan.mode.gaps(slot.gap_us)
        command = [
            *(self._program, "--policy", slot.policy, "--gap-us", str(slot.gap_us)),
            *("--hints", slot.hints, "--cpus", cpu_list(self._plan.cpus), "--rounds", str(gaps)),
        ]
        sample = run_process(command, WaitingSample)
        _require_whole(sample, slot, gaps)
        return sample

    def vital(self, slot: Slot) -> str | None:
        return f"{slot.told} failed" if slot == slot.reference else None

    def of_interest(self) -> tuple[()]:
        return ()  # both modes fill their time


def _require_whole(sample: WaitingSample, slot: Slot, gaps: int) -> None:
    if (sample.policy, sample.hints, sample.gap_us) != slot:
        raise ProcessFailed("answered with a sample of something else")
    if not len(sample.first_task_ns) == len(sample.burned_share) == gaps:
        raise ProcessFailed(f"gave other than {gaps} gaps")
