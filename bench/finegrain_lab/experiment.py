# SPDX-License-Identifier: Apache-2.0
"""What an experiment is to the command: a name, modes, options, and the steps of a run."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Generic, TypeVar

from rich.console import Console

from finegrain_lab.allocators import Allocator
from finegrain_lab.drawing import Drawing, Figures, by_name
from finegrain_lab.errors import LabError
from finegrain_lab.measurements import Measurement
from finegrain_lab.modes import BRIEF_S, Mode, ModeT
from finegrain_lab.page import ALONE, Layout
from finegrain_lab.progress import Reporter
from finegrain_lab.results import Host, ResultT, load_result, result_path
from finegrain_lab.runtimes import Binding, Build, Cpus, PeerSettings

PlanT = TypeVar("PlanT")
MeasuredT = TypeVar("MeasuredT")


@dataclass(frozen=True)
class Request:
    """What the command line asks of a run; None where it says nothing."""

    build: Build
    mode: str
    cpus: Cpus | None = None
    runtimes: Sequence[str] | None = None
    cases: Sequence[str] | None = None
    peers: PeerSettings | None = None
    allocator: Allocator | None = None
    numa_binding: Binding | None = None
    # One of many experiments: each runtime once, where that is not what it is about, in BRIEF_S.
    is_brief: bool = False


@dataclass(frozen=True)
class Run(Generic[ResultT]):
    """A run whose arguments are known to be right."""

    cpus: Cpus
    placement: str  # why these CPUs
    all_cpus: Sequence[int]  # that the programs run on: these two, or more
    # Measures all of it and returns what makes the result file, given the host as it was. Raises
    # LabError where nothing measured could be believed.
    measure: Callable[[Reporter], Callable[[Host], ResultT]]


def run_of(
    cpus: Cpus,
    placement: str,
    plan: PlanT,
    measure: Callable[[PlanT, Reporter], MeasuredT],
    to_result: Callable[[PlanT, MeasuredT, Host], ResultT],
    all_cpus: Sequence[int] = (),
) -> Run[ResultT]:
    """Returns the run that measures this plan; `all_cpus` where these are more than the two."""
    return Run(
        cpus,
        placement,
        all_cpus or cpus,
        lambda reporter: partial(to_result, plan, measure(plan, reporter)),
    )


@dataclass(frozen=True)
class Views(Generic[ResultT]):
    """How a result is shown: as tables on a terminal, as the report's HTML, and as its figures."""

    print_result: Callable[[Console, ResultT], None]
    page: Callable[[ResultT, Layout, Figures], str]
    drawings: Callable[[ResultT], list[Drawing]]


class Experiment(ABC, Generic[ResultT]):
    """One experiment. The command knows all of them, and none by its name."""

    name: str
    title: str
    heading: str  # of its report
    result_type: type[ResultT]
    modes: Mapping[str, Mode]
    views: Views[ResultT]
    options: frozenset[str] = frozenset()  # of `run`, beside those that every experiment takes

    @abstractmethod
    def contents(self) -> Mapping[str, Sequence[str]]:
        """Returns what it measures, for `lab list`: names, under a word each."""

    @abstractmethod
    def prepare(self, request: Request) -> Run[ResultT]:
        """Checks the request and measures nothing. Raises LabError."""

    @abstractmethod
    def measurements(self, result: ResultT) -> list[Measurement]:
        """Returns the result's rows as those of every experiment are held side by side."""

    def print_result(self, console: Console, result: ResultT) -> None:
        """Prints the result's tables."""
        self.views.print_result(console, result)

    def page(
        self,
        result: ResultT,
        layout: Layout = ALONE,
        drawings: Iterable[Drawing] | None = None,
    ) -> str:
        """Returns the report's HTML, with these of its figures if they have been drawn before."""
        drawn = self.drawings(result) if drawings is None else drawings
        return self.views.page(result, layout, by_name(drawn))

    def drawings(self, result: ResultT) -> list[Drawing]:
        """Returns the report's figures, in its order; each has a name of its own."""
        return self.views.drawings(result)

    def mode(self, name: str) -> Mode:
        """Returns one of its modes. Raises LabError if it has none of this name."""
        if name not in self.modes:
            known = " and ".join(f"--{mode}" for mode in self.modes)
            raise LabError(f"{self.name} has {known}, no --{name}", 2)
        return self.modes[name]

    def require_options(self, given: Sequence[str]) -> None:
        """Raises LabError for an option that means nothing here."""
        for option in given:
            if option not in self.options:
                raise LabError(f"{self.name} takes no {option}", 2)

    def is_in(self, folder: Path) -> bool:
        """Says whether the folder has a result file of its name."""
        return result_path(folder, self.name).exists()

    def load(self, folder: Path) -> ResultT:
        """Reads its result file. Raises LabError."""
        return load_result(folder, self.name, self.result_type)


def paced(mode: ModeT, request: Request) -> ModeT:
    """Returns the mode, with less time if the run is to be brief."""
    return replace(mode, budget_s=BRIEF_S) if request.is_brief else mode


def chosen_cases(asked: Sequence[str] | None, known: Sequence[str]) -> list[str]:
    """Returns the asked cases, or all, in the order of `known`. Raises LabError."""
    for name in asked or ():
        if name not in known:
            raise LabError(f"there is no case '{name}'; known are {', '.join(known)}", 2)
    return [case for case in known if asked is None or case in asked]
