# SPDX-License-Identifier: Apache-2.0
"""One run of an experiment: its processes in rounds, and what becomes of those that fail."""

import random
from abc import ABC, abstractmethod
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import chain
from typing import Generic, Protocol, TypeVar

from finegrain_lab import beside, journal, statistics
from finegrain_lab.beside import Watch
from finegrain_lab.errors import LabError
from finegrain_lab.instruments import FloorMeter
from finegrain_lab.modes import LEAST_ROUNDS, Mode
from finegrain_lab.processes import Output, ProcessFailed, WrongResult
from finegrain_lab.progress import Reporter
from finegrain_lab.results import Beside, Header, Host
from finegrain_lab.rounds import (
    ORDER_SEED,
    Step,
    half_width,
    run_rounds,
    shuffled_groups,
    with_spread,
)


class AnySlot(Hashable, Protocol):
    """One process of a round, by what it measures."""

    @property
    def told(self) -> str:
        """Its name for a reader."""


SlotT = TypeVar("SlotT", bound=AnySlot)
SampleT = TypeVar("SampleT", bound=Output)


@dataclass
class Samples(Generic[SlotT, SampleT]):
    """What the processes said, by round, because ratios are taken round by round."""

    samples: defaultdict[SlotT, dict[int, SampleT]] = field(
        default_factory=lambda: defaultdict(dict)
    )
    failed: dict[SlotT, str] = field(default_factory=dict)  # and why
    floor_samples: list[float] = field(default_factory=list)
    rounds: int = 0
    seconds: float = 0.0
    beside: Beside | None = None

    def by_round(self, slot: SlotT, value: Callable[[SampleT], float]) -> dict[int, float]:
        """Returns this value of the slot's samples, by round; nothing without samples."""
        return {at: value(sample) for at, sample in self.samples.get(slot, {}).items()}

    def of(self, slots: Iterable[SlotT]) -> list[SampleT]:
        """Returns the samples of these slots, one slot after the other."""
        return [sample for slot in slots for sample in self.samples.get(slot, {}).values()]

    def header(self, experiment: str, mode: Mode, host: Host) -> Header:
        """Returns what the result file says beside what is the experiment's own."""
        return Header(
            schema=3,
            experiment=experiment,
            mode=mode.name,
            host=host,
            resumed=journal.resumed(),
            beside=self.beside,
            floor_ns=statistics.median(self.floor_samples),
            floor_samples=self.floor_samples,
            rounds=self.rounds,
            seconds=self.seconds,
            seed=ORDER_SEED,
        )


class Sampling(ABC, Generic[SlotT, SampleT]):
    """One run: every round starts the process of each slot once, and some of the floor between.

    An experiment says which slots there are, how one is sampled, and which of them it cannot do
    without. A wrong result ends the run; so does the failure of a slot that the run cannot do
    without. Any other slot that fails is noted, and not started again. To be used once, by one
    thread.
    """

    def __init__(
        self, measured: Samples[SlotT, SampleT], mode: Mode, floor: FloorMeter | None = None
    ) -> None:
        """Without a floor meter the floor has to be among the slots."""
        self.measured = measured
        self._mode = mode
        self._floor = floor
        self._order = random.Random(ORDER_SEED)
        self._watch = beside.current()
        self._floors: list[list[float]] = []  # round by round

    @abstractmethod
    def groups(self, round_index: int) -> Sequence[Sequence[SlotT]]:
        """Returns a round's slots: what is compared is one group, and runs close together."""

    @abstractmethod
    def sample(self, slot: SlotT) -> SampleT:
        """Runs the slot's process. Raises ProcessFailed if that gives no whole sample."""

    @abstractmethod
    def vital(self, slot: SlotT) -> str | None:
        """Returns what to say if the run cannot do without this slot, None if it can.

        The reason of the failure is put behind. Asked when the slot is already among
        `measured.failed`.
        """

    @abstractmethod
    def of_interest(self) -> Iterable[Sequence[float]]:
        """Returns the ratios whose intervals decide whether the run has converged.

        Asked after a round, if the mode has a `converged_half_width`; without any ratio a run does
        not converge.
        """

    def to_the_end(self, reporter: Reporter) -> None:
        """Fills `measured`. Raises LabError where nothing measured could be believed."""
        extent = run_rounds(self._mode, self, reporter)
        self.measured.rounds, self.measured.seconds = extent.rounds, extent.seconds
        if self._watch:
            self._leave_out(self._watch)
            self.measured.beside = self._watch.settle()
        self.measured.floor_samples += chain.from_iterable(self._floors)

    def begin_round(self, index: int) -> list[Step]:
        """Returns a round's processes; what the round gave before, if it did, is gone with it."""
        if self._floor:
            self._floor.samples.clear()
        if self._watch:
            self._watch.begin_round()
        slots = shuffled_groups(self._order, self.groups(index))
        steps = [Step(slot.told, partial(self._take, slot, index)) for slot in slots]
        return with_spread(steps, self._floor.steps if self._floor else [])

    def wants_again(self, reporter: Reporter) -> bool:
        """Says whether something else ran beside the round, which may be over the next time."""
        return self._watch is not None and self._watch.wants_again(reporter)

    def end_round(self, *, is_again: bool) -> None:
        """Keeps the round."""
        if self._floor:
            self._floors.append(list(self._floor.samples))
        if self._watch:
            self._watch.end_round(is_again=is_again)

    def _leave_out(self, watch: Watch) -> None:
        """Leaves out the rounds beside which something else ran, if what remains is enough."""
        disturbed, failed = watch.disturbed(), self.measured.failed
        by_slot = [rounds for slot, rounds in self.measured.samples.items() if slot not in failed]
        least = min((len(rounds.keys() - disturbed) for rounds in by_slot), default=0)
        quiet = self.measured.rounds - len(disturbed)
        if quiet < self._mode.min_rounds or least < LEAST_ROUNDS:
            return
        watch.leave_out(disturbed)
        self.measured.rounds = quiet
        self._floors = [floors for at, floors in enumerate(self._floors) if at not in disturbed]
        for rounds in by_slot:
            for at in disturbed & rounds.keys():
                del rounds[at]

    def _take(self, slot: SlotT, round_index: int) -> None:
        if slot in self.measured.failed:
            return
        try:
            self.measured.samples[slot][round_index] = self.sample(slot)
        except WrongResult as error:
            raise LabError(f"wrong result from {slot.told}: {error}") from error
        except ProcessFailed as error:
            self.measured.failed[slot] = str(error)
            if text := self.vital(slot):
                raise LabError(f"{text}: {error}") from error

    def converged(self) -> bool:
        """Says whether all ratios of interest are as sure as the mode wants them."""
        limit = self._mode.converged_half_width
        ratios = list(self.of_interest())
        return limit is not None and bool(ratios) and all(half_width(r) <= limit for r in ratios)
