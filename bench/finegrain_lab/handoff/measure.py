"""Runs `handoff` for every runtime, policy, placement and case, in rounds."""

import random
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import NamedTuple

from finegrain_lab import statistics
from finegrain_lab.errors import LabError
from finegrain_lab.handoff.cases import EMPTY, FLOOR, FLOOR_POLICY, RELIC
from finegrain_lab.handoff.instructions import count_instructions
from finegrain_lab.handoff.modes import HandoffMode
from finegrain_lab.handoff.protocol import Candidate, HandoffSample, Placement
from finegrain_lab.handoff.results import Instructions
from finegrain_lab.processes import ProcessFailed, WrongResult, run_process
from finegrain_lab.progress import Reporter
from finegrain_lab.rounds import ORDER_SEED, Step, half_width, run_rounds, shuffled_groups
from finegrain_lab.runtimes import Build, cpu_list


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


@dataclass
class Measured:
    """What the processes said, by round, because ratios are taken round by round."""

    samples: defaultdict[Slot, dict[int, HandoffSample]] = field(
        default_factory=lambda: defaultdict(dict)
    )
    failed: dict[Slot, str] = field(default_factory=dict)
    instructions: list[Instructions] = field(default_factory=list)
    instruction_notes: list[str] = field(default_factory=list)
    rounds: int = 0
    seconds: float = 0.0

    def ns(self, slot: Slot) -> dict[int, float]:
        """Returns the slot's time of each round: the median of its batches."""
        return {at: statistics.median(sample.ns) for at, sample in self.samples[slot].items()}

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
    run.to_the_end(reporter)
    return run.measured


class _Run:
    def __init__(self, plan: Plan) -> None:
        self.measured = Measured()
        self._plan = plan
        self._order = random.Random(ORDER_SEED)
        self._groups = groups_of(plan)
        self._program = str(plan.build.program(plan.build.manifest.handoff))

    def to_the_end(self, reporter: Reporter) -> None:
        measured = self.measured
        if any(candidate.name == RELIC for candidate in self._plan.candidates):
            reporter.step(0.0, "instructions")
            measured.instructions, measured.instruction_notes = count_instructions(
                self._plan.build, self._plan.cases
            )
        extent = run_rounds(self._plan.mode, self._steps, self._converged, reporter)
        measured.rounds, measured.seconds = extent.rounds, extent.seconds

    def _steps(self, round_index: int) -> list[Step]:
        return [
            Step(
                f"{slot.case} {slot.runtime} {slot.policy} {slot.placement.kind}",
                partial(self._sample, slot, round_index),
            )
            for slot in shuffled_groups(self._order, self._groups)
        ]

    def _sample(self, slot: Slot, round_index: int) -> None:
        if slot in self.measured.failed:
            return
        mode, placement = self._plan.mode, slot.placement
        command = [
            *(self._program, "--runtime", slot.runtime, "--policy", slot.policy),
            *("--case", slot.case),
            *("--cpus", cpu_list((placement.main_cpu, placement.assistant_cpu))),
            *("--batches", str(mode.batches), "--round-trips", str(mode.round_trips)),
        ]
        try:
            sample = run_process(command, HandoffSample)
            _require_whole(sample, slot, mode)
        except WrongResult as error:
            raise LabError(
                f"wrong result from {slot.runtime} ({slot.policy}) on {slot.case}: {error}"
            ) from error
        except ProcessFailed as error:
            if slot == slot.floor:
                raise LabError(f"the floor cannot be measured: {error}") from error
            self.measured.failed[slot] = str(error)
            return
        self.measured.samples[slot][round_index] = sample

    def _converged(self) -> bool:
        limit = self._plan.mode.converged_half_width
        defaults = {(c.name, c.policies[0]) for c in self._plan.candidates}
        slots = [
            slot
            for group in self._groups
            for slot in group
            if (slot.runtime, slot.policy) in defaults and slot not in self.measured.failed
        ]
        return limit is not None and all(
            half_width(self.measured.ratios(slot, slot.floor)) <= limit for slot in slots
        )


def _require_whole(sample: HandoffSample, slot: Slot, mode: HandoffMode) -> None:
    if (sample.runtime, sample.policy, sample.case) != (slot.runtime, slot.policy, slot.case):
        raise ProcessFailed(
            f"answered with a sample of {sample.runtime} ({sample.policy}) on {sample.case}"
        )
    if len(sample.ns) != mode.batches:
        raise ProcessFailed(f"gave {len(sample.ns)} of {mode.batches} batches")
