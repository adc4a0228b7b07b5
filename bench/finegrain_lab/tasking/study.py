# SPDX-License-Identifier: Apache-2.0
"""What one of these experiments is: its cases, and what is made of a process's answer."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from finegrain_lab.drawing import Drawing
from finegrain_lab.tasking.modes import TaskingMode
from finegrain_lab.tasking.protocol import TaskSample
from finegrain_lab.tasking.results import Result


@dataclass(frozen=True)
class Case:
    """Tasks of one kind."""

    name: str
    words: tuple[str, ...]  # what `spawn-RUNTIME` is told
    scaling: bool = False  # on every number of threads, not on the most only
    check: str = ""  # in words, what the program checks
    size: str = ""  # in words, where it is the mode's choice or a paper's scaled down

    @property
    def needs_calibration(self) -> bool:
        """Says whether `arguments` has to be given the spin kernel's steps."""
        return False

    def arguments(self, threads: int, spin_steps_per_us: float | None) -> list[str]:
        """Returns what the program is told on so many threads."""
        del threads, spin_steps_per_us
        return list(self.words)

    def is_for(self, runtime: str) -> bool:
        """Says whether the runtime takes part; serial, the ceiling and the reference have to."""
        del runtime
        return True

    def options(self, runtime: str) -> list[str]:
        """Returns what this runtime's program is told beside, ahead of the arguments."""
        del runtime
        return []

    def environment(self, runtime: str) -> dict[str, str]:
        """Returns the variables that this runtime's process gets beside its own settings."""
        del runtime
        return {}

    @property
    def answer(self) -> type[TaskSample]:
        """What the program prints."""
        return TaskSample

    def require_whole(self, sample: TaskSample) -> None:
        """Raises ProcessFailed for a sample that lacks what the case asks for.

        WrongResult if it says that the work was not done as it has to be.
        """
        del sample

    def checked(self, samples: Sequence[TaskSample]) -> str:
        """Says what was checked in the processes that gave these samples."""
        del samples
        return self.check


class Measure(NamedTuple):
    """What the paper plots."""

    name: str
    unit: str
    lower_is_better: bool
    of: Callable[[TaskSample, Case], float]


class Table(NamedTuple):
    """A table beside those that every study has: the same on the terminal and in the report."""

    title: str
    columns: Sequence[str]
    rows: Sequence[tuple[str, Sequence[str]]]  # a name, and a cell a column


def no_tables(study: "Study", result: Result) -> list[Table]:
    """Returns none."""
    del study, result
    return []


@dataclass(frozen=True)
class Study:
    """An experiment."""

    name: str
    title: str
    heading: str
    intro: str  # the report's first paragraph
    paper: Sequence[str]  # which one, and what its text says of its own machine
    cases: Sequence[Case]
    measure: Measure
    figures: Callable[["Study", Result], list[Drawing]]
    modes: Mapping[str, TaskingMode]
    # What a runtime's speedup is over: itself on one thread, or the serial process. None: there
    # are no speedups, and no ceiling to hold them against.
    speedup_over: Literal["itself", "serial"] | None = None
    tables: Callable[["Study", Result], list[Table]] = no_tables
    is_about_policies: bool = False  # then even a brief run has all of them
    # The cases of modes that have others than `cases`.
    cases_in: Mapping[str, Sequence[Case]] = field(default_factory=dict)

    def cases_of(self, mode: str) -> Sequence[Case]:
        """Returns the cases of this mode."""
        return self.cases_in.get(mode, self.cases)

    def case(self, name: str, mode: str) -> Case:
        """Returns the case of this name in this mode."""
        return next(case for case in self.cases_of(mode) if case.name == name)
