# SPDX-License-Identifier: Apache-2.0
"""A run that is at its end, as its file says: how it began and ended, and the samples between."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Dict, List, Optional, Tuple

from finegrain_lab.run.beside import Beside
from finegrain_lab.run.experiment import TIMEOUT_S, Experiment, Missing, Slot
from finegrain_lab.run.host import Host
from finegrain_lab.run.instruments import FloorSample
from finegrain_lab.run.processes import read
from finegrain_lab.run.record import SCHEMA, Ended
from finegrain_lab.run.samples import Samples
from finegrain_lab.run.shapes import Misfit, fit, parse_json


@dataclass(frozen=True)
class Begun:
    """The first line of a file."""

    experiment: str
    mode: str
    host: Host
    settings: Dict[str, Any]
    cases: List[str]
    runtimes: List[str]
    rows: List[Dict[str, Any]]  # what tells each from others, in the order of the tables
    missing: List[Missing]
    notes: Dict[str, str]


@dataclass(frozen=True)
class FailedSlot:
    """A slot that gave no sample."""

    slot: Dict[str, Any]
    reason: str


@dataclass(frozen=True)
class Ending:
    """The last line of a file."""

    rounds: int
    seconds: float
    seed: int
    found: Dict[str, Any]  # ahead of the rounds
    failed: List[FailedSlot]
    left_out: List[int]  # rounds
    beside: Optional[Beside]
    resumed: int
    load_after: Tuple[float, float, float]


@dataclass(frozen=True)
class Finished:
    """What a file says."""

    begun: Begun
    ending: Ending
    samples: Samples
    floors: Sequence[float]
    rows: Sequence[Slot]  # that were measured, in the order of the tables


def finished(text: bytes, experiment: Experiment) -> Finished:
    """Reads a run's file. Raises Misfit, and ProcessFailed for a process that gave no sample."""
    lines = [fit(parse_json(line), Dict[str, Any]) for line in text.splitlines()]
    _require(bool(lines) and lines[0].get("schema") == SCHEMA, f"its schema is not {SCHEMA}")
    _require("ended" in lines[-1], "it has no end")
    begun, ending = fit(lines[0], Begun), fit(lines[-1]["ended"], Ending)
    _require(begun.experiment == experiment.name, f"it is a result of '{begun.experiment}'")
    samples = Samples(experiment)
    samples.settings = {**begun.settings, **ending.found}
    samples.failed = {Slot.of(**each.slot): each.reason for each in ending.failed}
    floors = _read_samples(samples, _of_rounds(lines[1:-1], ending.left_out))
    slots = [Slot.of(**fields) for fields in begun.rows]
    rows = [row for slot in slots if slot not in samples.failed for row in experiment.rows_of(slot)]
    return Finished(begun, ending, samples, floors, rows)


def _of_rounds(lines: Iterable[dict[str, Any]], left_out: Sequence[int]) -> list[dict[str, Any]]:
    """Returns the processes of the rounds that count, and of each round those of its last take."""
    of_rounds = [line for line in lines if line.get("round", -1) not in (-1, *left_out)]
    last: dict[int, int] = {}
    for line in of_rounds:
        last[line["round"]] = max(line["take"], last.get(line["round"], 0))
    return [line for line in of_rounds if line["take"] == last[line["round"]]]


def _read_samples(samples: Samples, lines: Iterable[dict[str, Any]]) -> list[float]:
    """Fills the samples, and returns those of the floor."""
    experiment = samples.experiment
    floors: list[float] = []
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


def _require(is_so: bool, text: str) -> None:
    if not is_so:
        raise Misfit(text)
