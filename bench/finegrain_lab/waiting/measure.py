"""Runs `waiting` for every policy, gap and hints, in rounds."""

import random
from collections import defaultdict
from collections.abc import Sequence
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
    run_rounds,
    shuffled_groups,
    with_spread,
)
from finegrain_lab.runtimes import Build, Cpus, cpu_list
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


@dataclass
class Measured:
    """What the processes said, by round."""

    samples: defaultdict[Slot, dict[int, WaitingSample]] = field(
        default_factory=lambda: defaultdict(dict)
    )
    failed: dict[Slot, str] = field(default_factory=dict)
    floor_samples: list[float] = field(default_factory=list)
    rounds: int = 0
    seconds: float = 0.0

    def ns(self, slot: Slot) -> dict[int, float]:
        """Returns the latency of each round: the median of its gaps."""
        return {at: statistics.median(s.first_task_ns) for at, s in self.samples[slot].items()}

    def burned(self, slot: Slot) -> list[float]:
        """Returns the share of a CPU that was burned, by round: the median of its gaps."""
        return [statistics.median(s.burned_share) for s in self.samples[slot].values()]

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


class _Run:
    def __init__(self, plan: Plan) -> None:
        self.measured = Measured()
        self._plan = plan
        self._order = random.Random(ORDER_SEED)
        self._floor = FloorMeter(plan.build, plan.cpus)
        self._groups = groups_of(plan.policies)
        self._program = str(plan.build.program(plan.build.manifest.waiting))

    def to_the_end(self, reporter: Reporter) -> None:
        measured = self.measured
        extent = run_rounds(self._plan.mode, self._steps, lambda: False, reporter)
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
        gaps = self._plan.mode.gaps(slot.gap_us)
        command = [
            *(self._program, "--policy", slot.policy, "--gap-us", str(slot.gap_us)),
            *("--hints", slot.hints, "--cpus", cpu_list(self._plan.cpus), "--rounds", str(gaps)),
        ]
        try:
            sample = run_process(command, WaitingSample)
            _require_whole(sample, slot, gaps)
        except WrongResult as error:
            raise LabError(f"wrong result from {slot.told}: {error}") from error
        except ProcessFailed as error:
            if slot == slot.reference:
                raise LabError(f"{slot.told} failed: {error}") from error
            self.measured.failed[slot] = str(error)
            return
        self.measured.samples[slot][round_index] = sample


def _require_whole(sample: WaitingSample, slot: Slot, gaps: int) -> None:
    if (sample.policy, sample.hints, sample.gap_us) != slot:
        raise ProcessFailed("answered with a sample of something else")
    if not len(sample.first_task_ns) == len(sample.burned_share) == gaps:
        raise ProcessFailed(f"gave other than {gaps} gaps")
