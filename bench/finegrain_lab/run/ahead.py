# SPDX-License-Identifier: Apache-2.0
"""Processes side by side, as many as there are CPUs: of what nothing beside it changes."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor

from finegrain_lab.run.experiment import Command
from finegrain_lab.run.record import Ended

LOOK_AHEAD = 32  # processes, so that a long one does not keep the other CPUs idle


class Ahead:
    """Starts the processes that will be asked for before they are. For one thread."""

    def __init__(self, start: Callable[[Command], Ended]) -> None:
        """Runs each by `start`, on threads of its own."""
        self._start = start
        self._threads = ThreadPoolExecutor(len(os.sched_getaffinity(0)))
        self._left: deque[Command] = deque()
        self._begun: deque[tuple[Command, Future[Ended]]] = deque()

    def expect(self, commands: Sequence[Command]) -> None:
        """These will be asked for, in this order, as far as a record does not answer for them."""
        self._left = deque(commands)

    def run(self, command: Command) -> Ended:
        """Returns how the process ended."""
        if command not in [*(begun for begun, _ in self._begun), *self._left]:
            return self._start(command)
        while self._begun and self._begun[0][0] != command:  # of a slot that has failed meanwhile
            self._begun.popleft()
        while not self._begun and self._left[0] != command:  # the record has answered for it
            self._left.popleft()
        while self._left and len(self._begun) < LOOK_AHEAD:
            following = self._left.popleft()
            self._begun.append((following, self._threads.submit(self._start, following)))
        return self._begun.popleft()[1].result()

    def end(self) -> None:
        """Returns when no process runs any more."""
        self._threads.shutdown(cancel_futures=True)
