# SPDX-License-Identifier: Apache-2.0
"""Decides after each round whether another one follows."""

from __future__ import annotations

import time
from collections.abc import Callable

from finegrain_lab.run.modes import Mode


class Pacer:
    """Keeps a run of whole rounds within its mode. The budget runs from construction on."""

    def __init__(
        self,
        mode: Mode,
        clock: Callable[[], float] = time.monotonic,
        kind_of: Callable[[int], object] | None = None,
    ) -> None:
        """Rounds of one kind, by their indices, take about the same time."""
        self._mode = mode
        self._kind_of = kind_of or mode.kind_of_round
        self._clock = clock
        self._start = clock()
        self._round_start = self._start
        self._seconds: dict[object, float] = {}  # the longest round of each kind
        self.rounds = 0

    def elapsed(self) -> float:
        """Returns the seconds since the run began."""
        return self._clock() - self._start

    def share(self, part_of_round: float) -> float:
        """Returns the share of the run that is done: of its budget, else of its rounds."""
        rounds_share = (self.rounds + part_of_round) / self._mode.max_rounds
        if self._mode.budget_s is None:
            return rounds_share
        return min(1.0, max(rounds_share, self.elapsed() / self._mode.budget_s))

    def begin_round(self) -> None:
        """Notes that a round starts."""
        self._round_start = self._clock()

    def end_round(self) -> None:
        """Notes that the round is over."""
        seconds = self._clock() - self._round_start
        kind = self._kind_of(self.rounds)
        self._seconds[kind] = max(seconds, self._seconds.get(kind, 0.0))
        self.rounds += 1

    def another(self, converged: Callable[[], bool]) -> bool:
        """Says whether another round follows; asks `converged` only where its answer counts."""
        mode = self._mode
        if self.rounds < mode.min_rounds:
            return True
        if self.rounds >= mode.max_rounds or not self.has_time():
            return False
        may_converge = mode.converged_half_width is not None
        return not (may_converge and self.rounds >= mode.converged_rounds and converged())

    def has_time(self) -> bool:
        """Says whether the next round, or this one again, is expected to fit."""
        if self._mode.budget_s is None or self.rounds < self._mode.min_rounds:
            return True
        kind = self._kind_of(self.rounds)
        expected = self._seconds.get(kind, max(self._seconds.values(), default=0.0))
        return self.elapsed() + expected <= self._mode.budget_s
