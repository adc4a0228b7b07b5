# SPDX-License-Identifier: Apache-2.0
"""What the experiments share that count cycles: modes, samples, rows, a run."""

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, TypedDict, TypeVar

from pydantic import Field

from finegrain_lab import statistics
from finegrain_lab.instruments import FloorMeter
from finegrain_lab.measurements import Measurement, is_ours
from finegrain_lab.modes import FULL_BUDGET_S, LEAST_ROUNDS, SURE_ROUNDS, Mode
from finegrain_lab.processes import Output, ProcessFailed, run_process
from finegrain_lab.progress import Reporter
from finegrain_lab.results import Record
from finegrain_lab.runtimes import Build, cpu_list
from finegrain_lab.sampling import AnySlot, Samples, Sampling

Interval = tuple[float, float]


@dataclass(frozen=True, kw_only=True)
class CycleMode(Mode):
    """A mode of such an experiment; how long a batch is, each says for itself."""

    batches: int  # of one process


class QuickEnd(TypedDict):
    """When a quick run ends, beside its most rounds: more are no longer quick."""

    name: str
    min_rounds: int
    budget_s: float


class FullEnd(QuickEnd):
    """When a full run ends, beside its most rounds.

    Past those the host's drift, not their count, sets the interval.
    """

    converged_half_width: float
    converged_rounds: int


QUICK_END = QuickEnd(name="quick", min_rounds=LEAST_ROUNDS, budget_s=90)
FULL_END = FullEnd(
    name="full",
    min_rounds=SURE_ROUNDS,
    budget_s=FULL_BUDGET_S,
    converged_half_width=0.02,
    converged_rounds=15,
)


class CycleSample(Output):
    """The times that such a program prints: of one operation, a number a batch."""

    cycles: list[float] = Field(min_length=1)
    ns: list[float] = Field(min_length=1)
    ticks_per_ns: float = Field(gt=0)
    cycles_per_tick: float = Field(gt=0)
    note: str = ""


class CycleRow(Record):
    """The times of a row of a result file."""

    case: str
    runtime: str
    cycles: float
    cycles_ci95: Interval
    ns: float
    ns_ci95: Interval
    of_reference: float  # over the reference of the same round
    of_reference_ci95: Interval
    samples: list[float]  # of cycles: a process's median

    @property
    def samples_ns(self) -> list[float]:
        """The same in nanoseconds: the counter's rate is constant."""
        return [cycles * self.ns / self.cycles for cycles in self.samples]


def measurement_of(
    experiment: str, case: str, row: CycleRow, reference: CycleRow | None, *, default: bool
) -> Measurement:
    """Returns the row as those of every experiment are: over the reference, if it is not that."""
    over = None if reference is None or reference.runtime == row.runtime else reference
    return Measurement(
        experiment=experiment,
        case=case,
        runtime=row.runtime,
        ours=is_ours(row.runtime),
        default=default,
        samples=row.samples_ns,
        reference=over.runtime if over else None,
        reference_samples=over.samples_ns if over else (),
    )


class CycleNumbers(TypedDict):
    """The part of a row that is made alike."""

    cycles: float
    cycles_ci95: Interval
    ns: float
    ns_ci95: Interval
    of_reference: float
    of_reference_ci95: Interval
    samples: list[float]


class CycleSlot(AnySlot, Protocol):
    """One process of a round, and what it is held against."""

    @property
    def reference(self) -> Any:
        """The slot of the same group that is its reference; itself, if it is that."""


SlotT = TypeVar("SlotT", bound=CycleSlot)
SlotT_co = TypeVar("SlotT_co", bound=CycleSlot, covariant=True)
CycleSampleT = TypeVar("CycleSampleT", bound=CycleSample)


class CycleSamples(Samples[SlotT, CycleSampleT]):
    """What the processes of such an experiment said."""

    def cycles(self, slot: SlotT) -> dict[int, float]:
        """Returns the cycles of an operation in each round: the median of its batches."""
        return self.by_round(slot, lambda sample: statistics.median(sample.cycles))

    def ratios(self, slot: SlotT) -> list[float]:
        """Returns the slot's cycles over its reference's, round by round."""
        return statistics.paired_ratios(self.cycles(slot), self.cycles(slot.reference))

    def numbers(self, slot: SlotT) -> CycleNumbers:
        """Returns the numbers of a slot that was measured, as was its reference."""
        cycles = list(self.cycles(slot).values())
        ns = list(self.by_round(slot, lambda sample: statistics.median(sample.ns)).values())
        ratios = self.ratios(slot)
        return CycleNumbers(
            cycles=statistics.median(cycles),
            cycles_ci95=statistics.median_ci(cycles),
            ns=statistics.median(ns),
            ns_ci95=statistics.median_ci(ns),
            of_reference=statistics.median(ratios),
            of_reference_ci95=statistics.median_ci(ratios),
            samples=cycles,
        )

    def ticks_per_ns(self) -> float:
        """Returns the median rate of the counter. At least one process has given a sample."""
        return statistics.median([sample.ticks_per_ns for sample in self.of(self.samples)])


class CyclePlan(Protocol[SlotT_co]):
    """What is to be measured."""

    @property
    def build(self) -> Build:
        """Where the programs are."""

    @property
    def cpus(self) -> Sequence[int]:
        """Those that a process may use; between the first two is the floor."""

    @property
    def mode(self) -> CycleMode:
        """How much."""

    def groups(self) -> Sequence[Sequence[SlotT_co]]:
        """Returns the slots of a round, those of a reference in one group."""


class CycleSampling(Sampling[SlotT, CycleSampleT]):
    """A run of such an experiment: one program, and it cannot do without the references."""

    def __init__(
        self, plan: CyclePlan[SlotT], program: Path, sample_type: type[CycleSampleT]
    ) -> None:
        """Takes a program of the build, by its manifest, and what it prints."""
        self._cycles = CycleSamples[SlotT, CycleSampleT]()
        floor = FloorMeter(plan.build, (plan.cpus[0], plan.cpus[1]))
        super().__init__(self._cycles, plan.mode, floor)
        self._groups = plan.groups()
        self._program = str(plan.build.program(program))
        self._cpus = plan.cpus
        self._batches = plan.mode.batches
        self._sample_type = sample_type

    @abstractmethod
    def case(self, slot: SlotT) -> Sequence[str]:
        """Returns the options that say what the process is to measure."""

    @abstractmethod
    def work(self, slot: SlotT) -> Sequence[str]:
        """Returns the options that say how long a batch is."""

    @abstractmethod
    def answers(self, sample: CycleSampleT, slot: SlotT) -> bool:
        """Says whether the sample is of what the process was asked for."""

    def run(self, reporter: Reporter) -> CycleSamples[SlotT, CycleSampleT]:
        """Runs the processes, one after the other, and returns what they said.

        Raises LabError for a wrong result, and without the floor or a reference. Another slot's
        failure is noted, and the slot is left out.
        """
        self.to_the_end(reporter)
        return self._cycles

    def groups(self, round_index: int) -> Sequence[Sequence[SlotT]]:
        """Returns the same groups in every round."""
        del round_index
        return self._groups

    def sample(self, slot: SlotT) -> CycleSampleT:
        """Runs the slot's process. Raises ProcessFailed if that gives no whole sample."""
        command = [
            *(self._program, *self.case(slot)),
            *("--cpus", cpu_list(self._cpus), "--batches", str(self._batches)),
            *self.work(slot),
        ]
        sample = run_process(command, self._sample_type)
        if not self.answers(sample, slot):
            raise ProcessFailed("answered with a sample of something else")
        if not len(sample.cycles) == len(sample.ns) == self._batches:
            raise ProcessFailed(f"gave other than {self._batches} batches")
        return sample

    def vital(self, slot: SlotT) -> str | None:
        """Returns what to say of a reference."""
        return f"{slot.told} failed" if slot == slot.reference else None

    def of_interest(self) -> list[list[float]]:
        """Returns the ratios to the references."""
        return [
            self._cycles.ratios(slot)
            for group in self._groups
            for slot in group
            if slot != slot.reference and slot not in self.measured.failed and self.decides(slot)
        ]

    def decides(self, slot: SlotT) -> bool:
        """Says whether the run is to go on until this slot's ratio is sure."""
        del slot
        return True
