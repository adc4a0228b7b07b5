# SPDX-License-Identifier: Apache-2.0
"""Says how far a run is: a bar on a terminal, plain lines elsewhere."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn


class Reporter(Protocol):
    """What a measurement tells while it runs."""

    def step(self, share: float, what: str) -> None:
        """A process is about to start; `share` of the run is done, at most 1."""

    def milestone(self, text: str) -> None:
        """A round is over."""

    def say(self, text: str) -> None:
        """Something happened that has to be known."""


class _Bar:
    """Drawn only between two processes: a drawing thread would take time from the samples."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._task = progress.add_task("measuring", total=1.0, what="")

    def step(self, share: float, what: str) -> None:
        self._progress.update(self._task, completed=share, what=what)
        self._progress.refresh()

    def milestone(self, text: str) -> None:
        self._progress.update(self._task, description=text)

    def say(self, text: str) -> None:
        self._progress.console.print(text, highlight=False, markup=False)


class _Lines:
    def __init__(self, console: Console) -> None:
        self._console = console

    def step(self, share: float, what: str) -> None:
        """A line for each process would be too many."""

    def milestone(self, text: str) -> None:
        self.say(text)

    def say(self, text: str) -> None:
        self._console.print(text, highlight=False, markup=False, soft_wrap=True)


@contextmanager
def reporter(console: Console) -> Iterator[Reporter]:
    """Gives the reporter that suits the console."""
    if not console.is_terminal:
        yield _Lines(console)
        return
    progress = Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.percentage:3.0f} %"),
        TimeElapsedColumn(),
        TextColumn("ETA"),
        TimeRemainingColumn(),
        TextColumn("{task.fields[what]}"),
        console=console,
        auto_refresh=False,
        transient=True,
        speed_estimate_period=60.0,
    )
    bar = _Bar(progress)
    with progress:
        yield bar
