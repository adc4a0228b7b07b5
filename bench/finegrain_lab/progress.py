"""Says how far a run is: a bar on a terminal, plain lines elsewhere."""

from contextlib import AbstractContextManager
from types import TracebackType
from typing import Protocol

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn


class Reporter(Protocol):
    """What a measurement tells while it runs."""

    def step(self, share: float, what: str) -> None:
        """A process is about to start; `share` of the run is done, at most 1."""

    def milestone(self, text: str) -> None:
        """A round is over."""


class _Bar(AbstractContextManager["_Bar"]):
    """Drawn only between two processes: a drawing thread would take time from the samples."""

    def __init__(self, console: Console) -> None:
        self._progress = Progress(
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
        self._task = self._progress.add_task("measuring", total=1.0, what="")

    def __enter__(self) -> "_Bar":
        self._progress.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._progress.stop()

    def step(self, share: float, what: str) -> None:
        self._progress.update(self._task, completed=share, what=what)
        self._progress.refresh()

    def milestone(self, text: str) -> None:
        self._progress.update(self._task, description=text)


class _Lines(AbstractContextManager["_Lines"]):
    def __init__(self, console: Console) -> None:
        self._console = console

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        return

    def step(self, share: float, what: str) -> None:
        """A line for each process would be too many."""

    def milestone(self, text: str) -> None:
        self._console.print(text, highlight=False, markup=False)


def reporter(console: Console) -> _Bar | _Lines:
    """Returns the reporter that suits the console; it is a context manager."""
    return _Bar(console) if console.is_terminal else _Lines(console)
