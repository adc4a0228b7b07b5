# SPDX-License-Identifier: Apache-2.0
"""What an experiment is: one description, by which it is run, shown, reported and compared.

An experiment is a file of `finegrain_lab.experiments` with one `Experiment` in it. What it plans,
runs and checks is used by `finegrain_lab.run`, what follows its samples by `finegrain_lab.show`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Dict

from finegrain_lab.run.allocators import Allocator
from finegrain_lab.run.errors import LabError
from finegrain_lab.run.modes import BRIEF_S, Mode
from finegrain_lab.run.runtimes import Binding, Build, Cpus, PeerSettings

TIMEOUT_S = 120.0  # of a process: a sample lasts seconds at most; this is a hang


@dataclass(frozen=True)
class Slot:
    """One process of every round, and a row of the result: by what tells it from others.

    What there is beside a case and a runtime is an attribute, too: `slot.threads`.
    """

    case: str
    runtime: str
    others: tuple[tuple[str, Any], ...] = ()

    @classmethod
    def of(cls, case: str, runtime: str, **others: Any) -> Slot:
        """Makes one."""
        return cls(case, runtime, tuple(others.items()))

    def __getattr__(self, name: str) -> Any:
        for key, value in self.others:
            if key == name:
                return value
        raise AttributeError(name)

    @property
    def fields(self) -> dict[str, Any]:
        """All that tells it from others, by name."""
        return {"case": self.case, "runtime": self.runtime, **dict(self.others)}

    def but(self, **changes: Any) -> Slot:
        """Returns the slot that differs from it in this."""
        return Slot.of(**{**self.fields, **changes})


@dataclass(frozen=True)
class Command:
    """A process to run."""

    words: Sequence[str | Path | float]  # a number as Python writes it
    environment: Mapping[str, str] = field(default_factory=dict)
    timeout_s: float = TIMEOUT_S
    # What is recorded of its output, and read from then on; the same where that is none of its.
    kept: Callable[[Any], Any] = lambda output: output


@dataclass(frozen=True)
class Missing:
    """A runtime that the build does not have."""

    runtime: str
    how_to_get: str


@dataclass(frozen=True)
class Request:
    """What the command line asks of a run; None where it says nothing."""

    build: Build
    mode: Mode
    cpus: Cpus | None = None
    runtimes: Sequence[str] | None = None
    cases: Sequence[str] | None = None
    peers: PeerSettings | None = None
    allocator: Allocator | None = None
    numa_binding: Binding | None = None
    machine: Path | None = None  # the file of one to simulate
    threads: Sequence[int] | None = None  # numbers of them, at least 1
    # One of many experiments: each runtime once, where that is not what it is about, in BRIEF_S.
    is_brief: bool = False

    def paced(self) -> Request:
        """Returns the request, with less time if the run is to be brief."""
        return replace(self, mode=replace(self.mode, budget_s=BRIEF_S)) if self.is_brief else self

    def chosen_cases(self, known: Sequence[str]) -> list[str]:
        """Returns the asked cases, or all, in the order of `known`. Raises LabError."""
        for name in self.cases or ():
            if name not in known:
                raise LabError(f"there is no case '{name}'; known are {', '.join(known)}", 2)
        return [case for case in known if self.cases is None or case in self.cases]


# What a run finds out ahead of its rounds; part of its settings. Its "notes" are lists of texts by
# runtime, beside those of the plan.
Found = Dict[str, Any]


@dataclass(frozen=True)
class Plan:
    """A run whose arguments are known to be right: nothing has been measured yet."""

    build: Build
    mode: Mode
    cpus: Cpus  # the floor is between these
    placement: str  # why these
    # The processes of a round: what is compared is one group, and runs close together, in an order
    # that changes from round to round. The order here is that of the rows.
    groups: Sequence[Sequence[Slot]]
    command: Callable[[Slot, Found], Command]
    cases: Sequence[str]  # in the order of the tables, as are the runtimes
    runtimes: Sequence[str]
    settings: Mapping[str, Any] = field(default_factory=dict)  # what the result says of the run
    missing: Sequence[Missing] = ()
    notes: Mapping[str, str] = field(default_factory=dict)  # what a reader must know, by runtime
    all_cpus: Sequence[int] = ()  # that the programs run on, where these are more than the two
    # Runs what comes ahead of the rounds, a calibration for instance; it may add to `failed`.
    begin: Callable[[Any], Found] | None = None
    takes_part: Callable[[Slot, int], bool] = lambda _slot, _round: True
    processes_of: Callable[[Slot], int] = lambda _slot: 1  # that give one sample
    # Returns the command as it is in a round: where the rounds differ, by a seed for instance.
    of_round: Callable[[Command, int], Command] = lambda command, _round: command

    @property
    def slots(self) -> list[Slot]:
        """Those of all groups, each once."""
        return list(dict.fromkeys(slot for group in self.groups for slot in group))


@dataclass(frozen=True)
class Ratio:
    """A number of a row over the same one of another row, round by round."""

    number: str = ""
    over: Callable[[Slot], Slot | None] = lambda _row: None  # None: the row has no such ratio
    is_inverse: bool = False  # the other one's over its own: a speedup, where the number is a time
    # Where it is another one: of all samples and this row, by round.
    of: Callable[[Any, Slot], Mapping[int, float]] | None = None


@dataclass(frozen=True)
class Fact:
    """Something about a row that is no number with an interval."""

    kind: Any  # its type
    of: Callable[[Sequence[Any], Slot], Any]  # of the row's samples


@dataclass(frozen=True)
class Compared:
    """How a row is held side by side with those of other runs and of other experiments.

    Times are in nanoseconds, a number a round.
    """

    case: str  # with all that tells rows apart but the runtime: "fib, 2 threads"
    runtime: str  # with the policy where there are several
    # Ours, under its default policy and settings: the report's first paragraph and the standings
    # count it, against `over`.
    is_default: bool = False
    over: Any = None  # the row that it is held against; itself: against none
    over_name: str = ""  # as another row of the experiment is named, where that is not its runtime
    serial: Any = None  # the serial process's row
    size: str = ""  # of the work, in words, where the mode chooses it: another is another row
    times_of: Callable[[Any], Sequence[float]] = lambda row: row.samples


@dataclass(frozen=True, eq=False)
class Experiment:
    """One experiment. The command knows all of them, and none by its name."""

    name: str
    title: str
    heading: str  # of its report
    intro: str  # the report's first paragraph
    modes: Mapping[str, Mode]
    plan: Callable[[Request], Plan]  # checks the request and measures nothing; raises LabError

    # ---- a process
    sample: type[Any]  # a dataclass: what a program prints of a slot
    numbers: Mapping[str, Callable[[Any, Slot], float]]  # of a sample; the first one is compared
    # Returns what is wrong with a sample, nothing if it is what was asked for.
    complaint: Callable[[Any, Slot, Plan], str] = lambda _sample, _slot, _plan: ""
    # Returns how it differs from those of other slots, the samples so far, where it must not.
    discord: Callable[[Any, Slot, Any], str] = lambda _sample, _slot, _samples: ""
    is_vital: Callable[[Slot], bool] = lambda _slot: False  # whether a run is over if it fails
    joined: Callable[[Sequence[Any]], Any] = lambda samples: samples[-1]  # of several processes
    # Whether the slot is the floor, and its sample's `ns` its batches. None: the run measures it.
    is_floor: Callable[[Slot, Mapping[str, Any]], bool] | None = None
    # Its numbers are of a simulation: whatever else runs does not change them, so its processes run
    # side by side, and nothing measured is held against them.
    is_simulated: bool = False

    # ---- a row
    ratios: Mapping[str, Ratio] = field(default_factory=dict)
    facts: Mapping[str, Fact] = field(default_factory=dict)
    # A slot's rows where it has another than itself: each takes its numbers from the same sample.
    rows_of: Callable[[Slot], Sequence[Slot]] = lambda slot: [slot]
    # Adds rows that follow from those of others, to the samples and to these, and returns all.
    add_rows: Callable[[Any, list[Slot]], list[Slot]] | None = None
    # What the result says beside its rows, of all samples: part of its settings.
    summary: Callable[[Any], dict[str, Any]] = lambda _samples: {}
    # Where a row's threads belong: the two CPUs of the floor, or these; None: anywhere.
    own_cpus: Callable[[Slot, Any], Sequence[int] | None] | None = None
    told: Callable[[Slot], str] = lambda slot: f"{slot.runtime} on {slot.case}"
    # What a failure is told of, with all that tells a runtime's slots apart.
    where: Callable[[Slot], str] = lambda slot: slot.case
    noted: Callable[[Slot], str] = lambda row: row.runtime  # whom what a process notes is told of

    # ---- when it is sure: the rows whose ratio decides, and that ratio's name
    decides: Callable[[Slot, Mapping[str, Any]], bool] = lambda _slot, _settings: True
    deciding: str | None = None  # None: a run fills its time

    # ---- what is shown
    contents: Mapping[str, Sequence[str]] = field(default_factory=dict)  # for `lab list`
    options: frozenset[str] = frozenset()  # of `run`, beside those that every experiment takes
    paper: Sequence[str] = ()  # which one, and what its text says of its own machine
    header: Callable[[Any], list[str]] = lambda _result: []
    footer: Callable[[Any], list[str]] = lambda _result: []  # ahead of notes and failures
    sections: Callable[[Any], list[Any]] = lambda _result: []
    compared: Callable[[Any, Any], Compared] = lambda _result, row: Compared(row.case, row.runtime)

    # ---- results of schemas 1 to 3, which a new experiment has none of
    others: Mapping[str, Any] = field(default_factory=dict)  # types of a slot's other fields
    settings: Mapping[str, Any] = field(default_factory=dict)  # types
    migrate: Callable[[dict[str, Any]], dict[str, Any]] = lambda said: said

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
