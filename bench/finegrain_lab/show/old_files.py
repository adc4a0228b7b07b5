# SPDX-License-Identifier: Apache-2.0
"""Result files of schemas 1 to 3, which hold rows; some published ones are of these."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from finegrain_lab.run.beside import Beside
from finegrain_lab.run.experiment import Experiment, Missing
from finegrain_lab.run.host import Host
from finegrain_lab.run.shapes import Misfit, fit, parse_json
from finegrain_lab.show.rows import Failure, Fields

OLDEST, NEWEST = 1, 3


@dataclass(frozen=True)
class Whole:
    """What such a file says beside what is its experiment's own."""

    schema: int
    experiment: str
    mode: str
    host: Host
    missing: list[Missing]
    failed: list[Failure]
    notes: dict[str, list[str]]
    floor_samples: list[float]
    rounds: int
    seconds: float
    seed: int
    settings: dict[str, Any]
    cases: list[str]
    runtimes: list[str]
    results: list[dict[str, Any]]
    resumed: int = 0  # since schema 2; before that a run that was ended left no file
    beside: Beside | None = None  # since schema 3


def said(text: bytes, experiment: Experiment) -> dict[str, Any]:
    """Returns what the file says, as a `Result` has it. Raises Misfit."""
    read = fit(parse_json(text), dict[str, Any])
    if isinstance(read.get("schema"), int) and read["schema"] > NEWEST:
        raise Misfit(f"schema {read['schema']} is newer than this lab knows")
    try:
        file = fit(experiment.migrate(read), Whole)
    except (LookupError, TypeError, AttributeError) as error:
        raise Misfit("it lacks what its schema has") from error
    if file.experiment != experiment.name:
        raise Misfit(f"it is a result of '{file.experiment}', not of '{experiment.name}'")
    if not file.floor_samples:
        raise Misfit("floor_samples: are none")
    if file.schema < OLDEST:
        raise Misfit(f"schema {file.schema} is older than this lab can read")
    found = {name: value for name, value in vars(file).items() if name not in ("schema", "results")}
    types = row_types(experiment)
    return found | {
        "settings": Fields(file.settings | fit(file.settings, experiment.settings, "settings")),
        "rows": [Fields(fit(row, types, "results")) for row in file.results],
    }


def row_types(experiment: Experiment) -> dict[str, Any]:
    """Returns the types of all that a row says."""
    interval = tuple[float, float]
    types: dict[str, Any] = {"case": str, "runtime": str, **experiment.others}
    for name in experiment.numbers:
        types |= {name: float, f"{name}_ci95": interval}
    for name in experiment.ratios:
        types |= {name: float | None, f"{name}_ci95": interval | None}
    types |= {name: fact.kind for name, fact in experiment.facts.items()}
    return types | {"samples": list[float]}


def renamed(said: dict[str, Any], rows: dict[str, str]) -> dict[str, Any]:
    """Returns what a file says, with other names for these fields of its rows."""
    results = [
        {rows.get(name, name): value for name, value in row.items()} for row in said["results"]
    ]
    return said | {"results": results}
