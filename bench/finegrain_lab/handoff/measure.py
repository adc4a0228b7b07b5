# SPDX-License-Identifier: Apache-2.0
"""Runs `handoff` for every runtime, policy, placement and case, in rounds."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from finegrain_lab import statistics
from finegrain_lab.handoff.cases import EMPTY, FLOOR, FLOOR_POLICY, RELIC
from finegrain_lab.handoff.instructions import count_instructions
from finegrain_lab.handoff.modes import HandoffMode
from finegrain_lab.handoff.protocol import Candidate, HandoffSample, Placement
from finegrain_lab.handoff.results import Instructions
from finegrain_lab.processes import ProcessFailed, run_process
from finegrain_lab.progress import Reporter
from finegrain_lab.runtimes import Build, cpu_list
from finegrain_lab.sampling import Samples, Sampling


@dataclass(frozen=True)
class Plan:
    """What is to be measured."""

    build: Build
    candidates: Sequence[Candidate]
    missing: Sequence[Candidate]
    cases: Sequence[str]
    placements: Sequence[Placement]
    mode: HandoffMode


class Slot(NamedTuple):
    """One process of every round. It runs beside the others of its placement and group."""

    placement: Placement
    group: str  # the case that is compared; the floor is in every group
    case: str
    runtime: str
    policy: str

    @property
    def floor(self) -> "Slot":
        """The floor that is measured beside it."""
        return Slot(self.placement, self.group, EMPTY, FLOOR, FLOOR_POLICY)

    @property
    def told(self) -> str:
        """Its name for a reader."""
        return f"{self.runtime} ({self.policy}, {self.placement.kind}) on {self.case}"


@dataclass
class Measured(Samples[Slot, HandoffSample]):
    """What the processes said. The floor is among the slots, `floor_samples` stay empty."""

    instructions: list[Instructions] = field(default_factory=list)
    instruction_notes: list[str] = field(default_factory=list)

    def ns(self, slot: Slot) -> dict[int, float]:
        """Returns the slot's time of each round: the median of its batches."""
        return self.by_round(slot, lambda sample: statistics.median(sample.ns))

    def ratios(self, slot: Slot, other: Slot) -> list[float]:
        """Returns the slot's time over the other's, round by round."""
        return statistics.paired_ratios(self.ns(slot), self.ns(other))


def groups_of(plan: Plan) -> list[list[Slot]]:
    """Returns the slots of a round: a group for each placement and case, the floor in each."""
    groups = []
    for placement in plan.placements:
        for case in plan.cases:
            slots = [
                Slot(placement, case, case, candidate.name, policy)
                for candidate in plan.candidates
                for policy in candidate.policies
                if case == EMPTY or candidate.bursts
            ]
            floor = Slot(placement, case, EMPTY, FLOOR, FLOOR_POLICY)
            groups.append(slots if floor in slots else [floor, *slots])
    return groups


def measure(plan: Plan, reporter: Reporter) -> Measured:
    """Runs the plan's processes, one after the other.

    Raises LabError where nothing that this build measures can be believed: a wrong result, or no
    sample of the floor. Another runtime's failure is noted, and that slot is left out.
    """
    run = _Run(plan)
    if any(candidate.name == RELIC for candidate in plan.candidates):
        reporter.step(0.0, "instructions")
        counted = count_instructions(plan.build, plan.cases)
        run.measured.instructions, run.measured.instruction_notes = counted
    run.to_the_end(reporter)
    return run.measured


class _Run(Sampling[Slot, HandoffSample]):
    measured: Measured

    def __init__(self, plan: Plan) -> None:
        super().__init__(Measured(), plan.mode)
        self._plan = plan
        self._groups = groups_of(plan)
        self._program = str(plan.build.program(plan.build.manifest.handoff))

    def groups(self, round_index: int) -> list[list[Slot]]:
        del round_index
        return self._groups

    def sample(self, slot: Slot) -> HandoffSample:
        mode, placement = self._plan.mode, slot.placement
        command = [
            *(self._program, "--runtime", slot.runtime, "--policy", slot.policy),
            *("--case", slot.case),
            *("--cpus", cpu_list((placement.main_cpu, placement.assistant_cpu))),
            *("--batches", str(mode.batches), "--round-trips", str(mode.round_trips)),
        ]
        sample = run_process(command, HandoffSample)
        _require_whole(sample, slot, mode)
        return sample

    def vital(self, slot: Slot) -> str | None:
        return "the floor cannot be measured" if slot == slot.floor else None

    def of_interest(self) -> list[list[float]]:
        defaults = {(c.name, c.policies[0]) for c in self._plan.candidates}
        return [
            self.measured.ratios(slot, slot.floor)
            for group in self._groups
            for slot in group
            if (slot.runtime, slot.policy) in defaults and slot not in self.measured.failed
        ]


def _require_whole(sample: HandoffSample, slot: Slot, mode: HandoffMode) -> None:
    if (sample.runtime, sample.policy, sample.case) != (slot.runtime, slot.policy, slot.case):
        raise ProcessFailed(
            f"answered with a sample of {sample.runtime} ({sample.policy}) on {sample.case}"
        )
    if len(sample.ns) != mode.batches:
        raise ProcessFailed(f"gave {len(sample.ns)} of {mode.batches} batches")
