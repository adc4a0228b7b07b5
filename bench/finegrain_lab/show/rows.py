# SPDX-License-Identifier: Apache-2.0
"""From the file of a run to its rows: what each row's samples come to, and its ratios."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from finegrain_lab.run.experiment import Experiment, Slot
from finegrain_lab.run.finished import Begun, finished
from finegrain_lab.run.samples import Samples
from finegrain_lab.run.shapes import fit
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


def said(text: bytes, experiment: Experiment) -> dict[str, Any]:
    """Returns what a run's file comes to, as a `Result` has it. Raises Misfit."""
    run = finished(text, experiment)
    begun, ending, samples = run.begun, run.ending, run.samples
    found = list(run.rows)
    if experiment.add_rows:
        found = experiment.add_rows(samples, found)
    settings = Fields(samples.settings | experiment.summary(samples))
    return {
        "experiment": begun.experiment,
        "mode": begun.mode,
        "host": replace(begun.host, load_after=ending.load_after),
        "resumed": ending.resumed,
        "beside": ending.beside,
        "floor_samples": run.floors,
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
