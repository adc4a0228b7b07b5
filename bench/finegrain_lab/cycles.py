"""What the experiments share that count cycles: samples, rows, a run."""

from collections.abc import Sequence
from typing import Any, Protocol, TypedDict, TypeVar

from pydantic import Field

from finegrain_lab import statistics
from finegrain_lab.instruments import FloorMeter
from finegrain_lab.modes import Mode
from finegrain_lab.processes import Output, ProcessFailed
from finegrain_lab.results import Record
from finegrain_lab.sampling import AnySlot, Samples, Sampling

Interval = tuple[float, float]


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


class CycleSampling(Sampling[SlotT, CycleSampleT]):
    """A run of such an experiment: it cannot do without the references."""

    def __init__(
        self,
        measured: CycleSamples[SlotT, CycleSampleT],
        mode: Mode,
        floor: FloorMeter,
        groups: Sequence[Sequence[SlotT]],
    ) -> None:
        super().__init__(measured, mode, floor)
        self._cycles = measured
        self._groups = groups

    def groups(self, round_index: int) -> Sequence[Sequence[SlotT]]:
        """Returns the same groups in every round."""
        del round_index
        return self._groups

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


def require_batches(sample: CycleSample, batches: int) -> None:
    """Raises ProcessFailed unless the sample has so many."""
    if not len(sample.cycles) == len(sample.ns) == batches:
        raise ProcessFailed(f"gave other than {batches} batches")
