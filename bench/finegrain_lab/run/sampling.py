# SPDX-License-Identifier: Apache-2.0
"""One run of an experiment: its processes in rounds, and what becomes of those that fail."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from finegrain_lab.run.beside import Watch
from finegrain_lab.run.errors import LabError
from finegrain_lab.run.experiment import Command, Experiment, Plan, Slot
from finegrain_lab.run.instruments import FLOOR_PROCESSES_PER_ROUND, FloorSample, floor_command
from finegrain_lab.run.intervals import half_width
from finegrain_lab.run.modes import LEAST_ROUNDS
from finegrain_lab.run.pacing import Pacer
from finegrain_lab.run.processes import Processes, ProcessFailed, WrongResult
from finegrain_lab.run.progress import Reporter
from finegrain_lab.run.samples import Samples

ORDER_SEED = 20240501  # of the order within the rounds; in every result file

FLOOR = None  # among a round's steps, where those of its slots are


class Sampling:
    """One run: every round starts the process of each slot once, and some of the floor between.

    A wrong result ends the run; so does the failure of a slot that the run cannot do without. Any
    other slot that fails is noted, and not started again. To be used once, by one thread.
    """

    def __init__(
        self,
        experiment: Experiment,
        plan: Plan,
        processes: Processes,
        reporter: Reporter,
        watch: Watch | None = None,
    ) -> None:
        self.experiment, self.plan, self.processes = experiment, plan, processes
        self.reporter = reporter
        self.samples = Samples(experiment)
        self.found: dict[str, Any] = {}
        self._watch = watch
        self._order = random.Random(ORDER_SEED)
        self._takes: defaultdict[int, int] = defaultdict(int)  # of each round

    def to_the_end(self) -> dict[str, Any]:
        """Runs all of it; returns how it ended. Raises LabError where nothing could be believed."""
        self.found = self.plan.begin(self) if self.plan.begin else {}
        self.samples.settings = {**self.plan.settings, **self.found}
        self._require_any()
        pacer = Pacer(
            self.plan.mode, self.processes.clock, lambda at: sum(map(len, self._slots(at)))
        )
        while pacer.another(self._is_sure):
            before = self.processes.runs
            self._run_round(pacer)
            is_again = pacer.has_time() and self._wants_again()
            if is_again:
                self._run_round(pacer)
            if self._watch:
                self._watch.end_round(is_again=is_again)
            pacer.end_round()
            if self.processes.runs > before:  # else it was told before the run was ended
                self.reporter.milestone(f"round {pacer.rounds}, {pacer.elapsed():.0f} s")
        left_out = self._left_out(pacer.rounds)
        found_beside = self._watch.settle() if self._watch else None
        failed = self.samples.failed.items()
        return {
            "rounds": pacer.rounds - len(left_out),
            "seconds": pacer.elapsed(),
            "seed": ORDER_SEED,
            "found": self.found,
            "failed": [{"slot": slot.fields, "reason": reason} for slot, reason in failed],
            "left_out": left_out,
            "beside": asdict(found_beside) if found_beside else None,
        }

    def _slots(self, at: int) -> list[Sequence[Slot]]:
        """Returns the groups of a round."""
        takes_part = self.plan.takes_part
        groups = ([slot for slot in group if takes_part(slot, at)] for group in self.plan.groups)
        return [group for group in groups if group]

    def _run_round(self, pacer: Pacer) -> None:
        """Runs a round; what it gave before, if it did, is gone with it."""
        at = pacer.rounds
        self._takes[at] += 1
        pacer.begin_round()
        if self._watch:
            self._watch.begin_round()
        slots = shuffled_groups(self._order, self._slots(at))
        floors = 0 if self.experiment.is_floor else FLOOR_PROCESSES_PER_ROUND
        steps = with_spread(slots, [FLOOR] * floors)
        if self.processes.ahead:
            steps = [FLOOR] * floors + slots  # while nothing runs beside it
            self.processes.ahead.expect(
                [command for slot in steps if slot for command in self._commands(slot, at)]
            )
        for done, slot in enumerate(steps):
            told = self.experiment.told(slot) if slot else "floor"
            self.reporter.step(pacer.share(done / len(steps)), told)
            if slot is None:
                self._take_floor(at)
            else:
                self._take(slot, at)

    def _commands(self, slot: Slot, at: int) -> list[Command]:
        """Returns those of a slot in a round; none if it has failed."""
        if slot in self.samples.failed:
            return []
        command = self.plan.of_round(self.plan.command(slot, self.found), at)
        return [command] * self.plan.processes_of(slot)

    def _take_floor(self, at: int) -> None:
        command = floor_command(self.plan.build, self.plan.cpus)
        about = {"floor": True, "round": at, "take": self._takes[at]}
        try:
            self.processes.run(command, FloorSample, about)
        except ProcessFailed as error:
            raise LabError(f"the floor cannot be measured: {error}") from error

    def _take(self, slot: Slot, at: int) -> None:
        if slot in self.samples.failed:
            return
        about = {"slot": slot.fields, "round": at, "take": self._takes[at]}
        try:
            samples = []
            for command in self._commands(slot, at):
                samples.append(self.processes.run(command, self.experiment.sample, about))
                if complaint := self.experiment.complaint(samples[-1], slot, self.plan):
                    raise ProcessFailed(complaint)
            joined = self.experiment.joined(samples)
            if discord := self.experiment.discord(joined, slot, self.samples):
                raise ProcessFailed(discord)
            self.samples.add(slot, at, joined)
        except WrongResult as error:
            raise LabError(f"wrong result from {self.experiment.told(slot)}: {error}") from error
        except ProcessFailed as error:
            self.samples.failed[slot] = str(error)
            if self.experiment.is_vital(slot):
                raise LabError(f"{self.experiment.told(slot)} failed: {error}") from error
            self._require_any()

    def _require_any(self) -> None:
        failed = self.samples.failed
        if failed.keys() >= set(self.plan.slots):
            raise LabError(f"nothing could be measured: {[*failed.values()][-1]}")

    def _wants_again(self) -> bool:
        """Says whether something else ran beside the round, which may be over the next time."""
        return self._watch is not None and self._watch.wants_again(self.reporter)

    def _is_sure(self) -> bool:
        """Says whether all ratios that decide are as sure as the mode wants them."""
        limit, name = self.plan.mode.converged_half_width, self.experiment.deciding
        if limit is None or name is None:
            return False
        rows = [
            row
            for slot in self.plan.slots
            if slot not in self.samples.failed
            for row in self.experiment.rows_of(slot)
            if self.experiment.decides(row, self.samples.settings)
        ]
        ratios = [list(self.samples.ratios(row, name).values()) for row in rows]
        found = [each for each in ratios if each]
        return bool(found) and all(half_width(each) <= limit for each in found)

    def _left_out(self, rounds: int) -> list[int]:
        """Leaves out the rounds beside which something else ran, if what remains is enough."""
        disturbed = self._watch.disturbed() if self._watch else set()
        failed = {row for slot in self.samples.failed for row in self.experiment.rows_of(slot)}
        kept = (
            them.keys() - disturbed
            for row, them in self.samples.by_row.items()
            if row not in failed
        )
        least = min(map(len, kept), default=0)
        if rounds - len(disturbed) < self.plan.mode.min_rounds or least < LEAST_ROUNDS:
            return []
        if self._watch:
            self._watch.leave_out(disturbed)
        return sorted(disturbed)


def shuffled_groups(order: random.Random, groups: Sequence[Sequence[Slot]]) -> list[Slot]:
    """Returns the groups one after the other, the members of each in a new order.

    What is compared is one group: it runs close together, and nothing always follows the same.
    """
    return [item for group in groups for item in order.sample(group, len(group))]


def with_spread(items: Sequence[Any], extra: Sequence[Any]) -> list[Any]:
    """Returns the items with the extra ones spread evenly among them, an extra one first."""
    spread: list[Any] = [] if extra else list(items)
    for index, one in enumerate(extra):
        first, last = (len(items) * part // len(extra) for part in (index, index + 1))
        spread += [one, *items[first:last]]
    return spread
