"""What one of these experiments is: its cases, and what is made of a time."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

Producers = Literal["one", "all"]


@dataclass(frozen=True)
class Case:
    """Tasks of one kind, spawned by one thread or by all."""

    name: str
    x: float  # where the plot has it
    producers: Producers = "all"
    delay_ns: float | None = None  # tasks of this length, or else
    max_load: int = 0  # of 0 to so many turns of a loop
    scaling: bool = False  # on every number of threads, not on the most only

    def producers_on(self, threads: int) -> int:
        """Returns how many threads spawn."""
        return threads if self.producers == "all" else 1


@dataclass(frozen=True)
class Measure:
    """What the paper plots."""

    name: str
    unit: str
    lower_is_better: bool
    of: Callable[[float, Case, int], float]  # from wall ns per task, case and threads


@dataclass(frozen=True)
class Study:
    """An experiment."""

    name: str
    title: str
    heading: str
    intro: str  # the report's first paragraph
    paper: str
    statements: Sequence[str]  # what the paper's text says of its own machine
    cases: Sequence[Case]
    measure: Measure
    x_label: str

    def case(self, name: str) -> Case:
        """Returns the case of this name."""
        return next(case for case in self.cases if case.name == name)
