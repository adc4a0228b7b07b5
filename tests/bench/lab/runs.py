# SPDX-License-Identifier: Apache-2.0
"""Plans and results of experiments, for tests."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from conftest import Silent
from fakes import FakeBuild

from finegrain_lab.run.engine import begun_as
from finegrain_lab.run.experiment import Experiment, Plan, Request, Slot
from finegrain_lab.run.modes import Mode
from finegrain_lab.run.processes import Processes
from finegrain_lab.run.runtimes import load_build
from finegrain_lab.run.sampling import Sampling
from finegrain_lab.show import rows
from finegrain_lab.show.result import Result


def short(mode: Mode, **work: Any) -> Mode:
    """Returns a mode of three rounds, with this work of a process in place of its own."""
    return Mode(name=mode.name, min_rounds=3, max_rounds=3, work={**mode.work, **work})


def plan_of(experiment: Experiment, build: FakeBuild, mode: Mode, **asked: Any) -> Plan:
    """Returns the plan of a request for the fakes."""
    return experiment.plan(Request(load_build(build.folder), mode, **asked))


class Sampled(Sampling):
    """A run that is at its end."""

    ending: dict[str, Any]


def sampled(experiment: Experiment, plan: Plan, reporter: Any = None) -> Sampled:
    """Runs a plan to its end, without a file of it."""
    run = Sampled(experiment, plan, Processes(), reporter or Silent())
    run.ending = run.to_the_end()
    return run


def result_of(
    experiment: Experiment,
    plan: Plan,
    outputs: Mapping[Slot, Sequence[Mapping[str, Any] | None]],
    found: Mapping[str, Any] | None = None,
    failed: Mapping[Slot, str] | None = None,
) -> Result:
    """Returns what a run comes to whose processes printed this, by round; None: none ran there."""
    lines: list[dict[str, Any]] = [{"schema": 4, "experiment": experiment.name, **begun_as(plan)}]
    for slot, by_round in outputs.items():
        for at, output in enumerate(by_round):
            if output is not None:
                lines.append(_process(at, output) | {"slot": slot.fields})
    if experiment.is_floor is None:
        lines += [_process(0, {"floor_ns": [100.0]}) | {"floor": True}]
    ended = {
        **{"rounds": 3, "seconds": 1.0, "seed": 1, "found": dict(found or {}), "left_out": []},
        **{"beside": None, "resumed": 0, "load_after": [0.0, 0.0, 0.0]},
        "failed": [{"slot": it.fields, "reason": why} for it, why in (failed or {}).items()],
    }
    text = "\n".join(json.dumps(line) for line in [*lines, {"ended": ended}])
    return Result(**rows.said(text.encode(), experiment), where=experiment.where)


def _process(at: int, output: Mapping[str, Any]) -> dict[str, Any]:
    about = {"asked": "", "round": at, "take": 1}
    return about | {"status": 0, "output": output, "complaint": "", "seconds": 0.1}
