# SPDX-License-Identifier: Apache-2.0
"""Says how far a run is: a bar on a terminal, plain lines elsewhere."""

from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from finegrain_lab.run.progress import Lines, Reporter


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


@contextmanager
def reporter(console: Console) -> Iterator[Reporter]:
    """Gives the reporter that suits the console, which is standard error."""
    if not console.is_terminal:
        yield Lines()
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
