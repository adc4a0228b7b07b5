# SPDX-License-Identifier: Apache-2.0
"""From the file of a run to its rows: what each row's samples come to, and its ratios."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from finegrain_lab.run.beside import Beside
from finegrain_lab.run.experiment import TIMEOUT_S, Experiment, Missing, Slot
from finegrain_lab.run.host import Host
from finegrain_lab.run.instruments import FloorSample
from finegrain_lab.run.processes import read
from finegrain_lab.run.record import SCHEMA, Ended
from finegrain_lab.run.samples import Samples
from finegrain_lab.run.shapes import Misfit, fit, parse_json
from finegrain_lab.show import statistics


class Fields(dict[str, Any]):
    """What a row or the settings say, each by its name."""

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(name) from None


@dataclass(frozen=True)
class Failure:
    """A runtime that gave no sample of a case."""

    runtime: str
    case: str
    reason: str

    def told(self) -> str:
        """Returns the line that tells of it."""
        return f"{self.runtime}: failed on {self.case}: {self.reason}"


@dataclass(frozen=True)
class Begun:
    """The first line of a file."""

    experiment: str
    mode: str
    host: Host
    settings: dict[str, Any]
    cases: list[str]
    runtimes: list[str]
    rows: list[dict[str, Any]]  # what tells each from others, in the order of the tables
    missing: list[Missing]
    notes: dict[str, str]


@dataclass(frozen=True)
class FailedSlot:
    """A slot that gave no sample."""

    slot: dict[str, Any]
    reason: str


@dataclass(frozen=True)
class Ending:
    """The last line of a file."""

    rounds: int
    seconds: float
    seed: int
    found: dict[str, Any]  # ahead of the rounds
    failed: list[FailedSlot]
    left_out: list[int]  # rounds
    beside: Beside | None
    resumed: int
    load_after: tuple[float, float, float]


def said(text: bytes, experiment: Experiment) -> dict[str, Any]:
    """Returns what a run's file comes to, as a `Result` has it. Raises Misfit."""
    lines = [fit(parse_json(line), dict[str, Any]) for line in text.splitlines()]
    _require(bool(lines) and lines[0].get("schema") == SCHEMA, f"its schema is not {SCHEMA}")
    _require("ended" in lines[-1], "it has no end")
    begun, ending = fit(lines[0], Begun), fit(lines[-1]["ended"], Ending)
    _require(begun.experiment == experiment.name, f"it is a result of '{begun.experiment}'")
    samples = Samples(experiment)
    samples.settings = {**begun.settings, **ending.found}
    samples.failed = {Slot.of(**each.slot): each.reason for each in ending.failed}
    floors = _read_samples(samples, _of_rounds(lines[1:-1], ending.left_out))
    slots = [Slot.of(**fields) for fields in begun.rows]
    found = [
        row for slot in slots if slot not in samples.failed for row in experiment.rows_of(slot)
    ]
    if experiment.add_rows:
        found = experiment.add_rows(samples, found)
    settings = Fields(samples.settings | experiment.summary(samples))
    return {
        "experiment": begun.experiment,
        "mode": begun.mode,
        "host": replace(begun.host, load_after=ending.load_after),
        "resumed": ending.resumed,
        "beside": ending.beside,
        "floor_samples": floors,
        "rounds": ending.rounds,
        "seconds": ending.seconds,
        "seed": ending.seed,
        "settings": settings,
        "cases": begun.cases,
        "runtimes": begun.runtimes,
        "rows": [_row(samples, row) for row in found],
        "missing": begun.missing,
        "failed": [
            Failure(slot.runtime, experiment.where(slot), reason)
            for slot, reason in samples.failed.items()
        ],
        "notes": _notes(samples, begun),
    }


def _of_rounds(lines: Iterable[dict[str, Any]], left_out: Sequence[int]) -> list[dict[str, Any]]:
    """Returns the processes of the rounds that count, and of each round those of its last take."""
    of_rounds = [line for line in lines if line.get("round", -1) not in (-1, *left_out)]
    last: dict[int, int] = {}
    for line in of_rounds:
        last[line["round"]] = max(line["take"], last.get(line["round"], 0))
    return [line for line in of_rounds if line["take"] == last[line["round"]]]


def _read_samples(samples: Samples, lines: Iterable[dict[str, Any]]) -> list[float]:
    """Fills the samples, and returns those of the floor."""
    experiment, floors = samples.experiment, []
    processes: dict[tuple[Slot, int], list[Any]] = {}
    for line in lines:
        ended = fit(line, Ended)
        if "floor" in line:
            floors += read(ended, FloorSample, TIMEOUT_S).floor_ns
        elif (slot := Slot.of(**line["slot"])) not in samples.failed:
            sample = read(ended, experiment.sample, TIMEOUT_S)
            processes.setdefault((slot, line["round"]), []).append(sample)
            if experiment.is_floor and experiment.is_floor(slot, samples.settings):
                floors += sample.ns
    for (slot, at), them in sorted(processes.items(), key=lambda item: item[0][1]):
        samples.add(slot, at, experiment.joined(them))
    _require(bool(floors), "it has no floor")
    return floors


def _row(samples: Samples, row: Slot) -> Fields:
    experiment = samples.experiment
    numbers = {name: list(samples.values(row, name).values()) for name in experiment.numbers}
    ratios = {name: list(samples.ratios(row, name).values()) for name in experiment.ratios}
    found: dict[str, Any] = dict(row.fields)
    for name, values in (numbers | ratios).items():
        found[name], found[f"{name}_ci95"] = statistics.median_and_ci(values)
    own = samples.of([row])
    found |= {name: fact.of(own, row) for name, fact in experiment.facts.items()}
    return Fields(found | {"samples": next(iter(numbers.values()))})


def _notes(samples: Samples, begun: Begun) -> dict[str, list[str]]:
    """Returns what a reader must know of each runtime: its own words, and CPUs not asked for."""
    experiment, found = samples.experiment, {}
    ahead = fit(samples.settings.get("notes", {}), dict[str, list[str]], "notes")
    for runtime in dict.fromkeys([*begun.runtimes, *map(experiment.noted, samples.by_row)]):
        texts, strays = [begun.notes.get(runtime, ""), *ahead.get(runtime, [])], set[int]()
        for row, by_round in samples.by_row.items():
            if experiment.noted(row) == runtime:
                cpus = begun.host.used_cpus
                own = experiment.own_cpus(row, samples.settings) if experiment.own_cpus else cpus
                for sample in by_round.values():
                    texts.append(sample.note)
                    strays |= set() if own is None else _strays(sample, own)
        stray = f"was seen on a CPU that is not its own: {sorted(strays)}" if strays else ""
        if lines := [text for text in dict.fromkeys([*texts, stray]) if text]:
            found[runtime] = lines
    return found


def _strays(sample: Any, own: Sequence[int]) -> set[int]:
    """Returns the CPUs that a process was seen on and that are not its own; the first is main's."""
    if hasattr(sample, "main_cpu"):
        return (set(sample.task_cpus) - set(own)) | ({sample.main_cpu} - {own[0]})
    return set(sample.cpus) - set(own)


def _require(is_so: bool, text: str) -> None:
    if not is_so:
        raise Misfit(text)
