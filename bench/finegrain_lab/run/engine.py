# SPDX-License-Identifier: Apache-2.0
"""Runs an experiment: from a plan that is right to a file that is whole."""

from __future__ import annotations

import os
from dataclasses import asdict
from pathlib import Path
from typing import Any

from finegrain_lab.run.ahead import Ahead
from finegrain_lab.run.beside import Watch
from finegrain_lab.run.errors import LabError, NotWritten
from finegrain_lab.run.exclusive import alone_in
from finegrain_lab.run.experiment import Experiment, Plan, Request
from finegrain_lab.run.files import writable
from finegrain_lab.run.host import choose_cpus, describe_host, folder_name, with_siblings
from finegrain_lab.run.processes import Processes, communicate
from finegrain_lab.run.progress import Reporter
from finegrain_lab.run.record import Record
from finegrain_lab.run.runtimes import Build, Cpus, fingerprint
from finegrain_lab.run.sampling import Sampling

REPOSITORY = Path(__file__).resolve().parents[3]


def run(
    experiment: Experiment,
    request: Request,
    folder: Path,
    reporter: Reporter,
    *,
    is_strict: bool = False,
) -> Path:
    """Runs an experiment as it is asked for, and returns the result file, in this folder.

    No other run may measure with the same build meanwhile: see `exclusive`. Raises LabError.
    """
    plan = experiment.plan(request.paced())
    with writable(folder), alone_in(folder):
        return measure(experiment, plan, folder, reporter, is_strict=is_strict)


def measure(
    experiment: Experiment, plan: Plan, folder: Path, reporter: Reporter, *, is_strict: bool = False
) -> Path:
    """Runs the plan, or goes on with it where that was ended, and returns the result file.

    Until the run is at its end there is a file of it that is partial; none if it failed as a whole.
    Raises LabError where nothing measured could be believed, and where nothing can be written.
    """
    watch = None
    if not experiment.is_simulated:
        watch = Watch(with_siblings(plan.all_cpus or plan.cpus), is_strict=is_strict)
        watch.await_quiet(reporter)
    record = Record(folder, experiment.name, begun_as(plan))
    ahead = Ahead(communicate) if experiment.is_simulated else None
    run = Sampling(experiment, plan, Processes(record, watch, ahead), reporter, watch)
    try:
        ending = run.to_the_end()
    except NotWritten:
        raise
    except LabError:
        record.give_up()
        raise
    finally:
        if ahead:
            ahead.end()
    return record.end({**ending, "resumed": record.resumed, "load_after": os.getloadavg()})


def begun_as(plan: Plan) -> dict[str, Any]:
    """Returns what the file says of the run ahead of all samples."""
    return {
        "mode": plan.mode.name,
        "build": fingerprint(plan.build),
        "host": asdict(describe_host(plan.cpus, plan.placement, plan.build.manifest, REPOSITORY)),
        "settings": dict(plan.settings),
        "cases": list(plan.cases),
        "runtimes": list(plan.runtimes),
        "rows": [slot.fields for slot in plan.slots],
        "missing": [asdict(each) for each in plan.missing],
        "notes": dict(plan.notes),
    }


def name_of_results(build: Build, cpus: Cpus | None) -> str:
    """Returns the name of a folder for what this build measures on this host. Raises LabError."""
    pair, placement = choose_cpus(cpus)
    return folder_name(describe_host(pair, placement, build.manifest, REPOSITORY))
