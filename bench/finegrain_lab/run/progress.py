# SPDX-License-Identifier: Apache-2.0
"""Says how far a run is."""

from __future__ import annotations

import sys
from typing import Protocol


class Reporter(Protocol):
    """What a measurement tells while it runs."""

    def step(self, share: float, what: str) -> None:
        """A process is about to start; `share` of the run is done, at most 1."""

    def milestone(self, text: str) -> None:
        """A round is over."""

    def say(self, text: str) -> None:
        """Something happened that has to be known."""


class Lines:
    """Plain lines on standard error, one a round."""

    def step(self, share: float, what: str) -> None:
        """A line for each process would be too many."""

    def milestone(self, text: str) -> None:
        """Prints the line of a round."""
        self.say(text)

    def say(self, text: str) -> None:
        """Prints a line."""
        print(text, file=sys.stderr, flush=True)
