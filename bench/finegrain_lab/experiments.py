# SPDX-License-Identifier: Apache-2.0
"""All experiments, in the order of `lab list`."""

from pathlib import Path
from typing import Any

from finegrain_lab.break_even.experiment import BreakEven
from finegrain_lab.errors import LabError
from finegrain_lab.experiment import Experiment
from finegrain_lab.handoff.experiment import Handoff
from finegrain_lab.omp.experiment import Omp
from finegrain_lab.queues.experiment import Queues
from finegrain_lab.relic_kernels.experiment import RelicKernels
from finegrain_lab.sync.experiment import Sync
from finegrain_lab.tasking.experiment import (
    BOTS,
    CHOLESKY,
    PRODUCERS,
    QUEUE_SIZE,
    SPAWN,
    SPAWN_HETEROGENEOUS,
    SPAWN_HOMOGENEOUS,
    STEALING_EFFICIENCY,
    STRASSEN,
    SYRK,
    TASK_DISTRIBUTION,
    TASKING_OVERHEAD,
    UTS,
)
from finegrain_lab.waiting.experiment import Waiting

EXPERIMENTS: tuple[Experiment[Any], ...] = (
    RelicKernels(),
    Handoff(),
    BreakEven(),
    Waiting(),
    Sync(),
    Queues(),
    SPAWN,
    TASKING_OVERHEAD,
    TASK_DISTRIBUTION,
    STEALING_EFFICIENCY,
    QUEUE_SIZE,
    PRODUCERS,
    UTS,
    STRASSEN,
    SYRK,
    CHOLESKY,
    SPAWN_HOMOGENEOUS,
    SPAWN_HETEROGENEOUS,
    BOTS,
    Omp(),
)


def experiment_of(name: str) -> Experiment[Any]:
    """Returns the experiment of this name. Raises LabError."""
    for experiment in EXPERIMENTS:
        if experiment.name == name:
            return experiment
    known = ", ".join(experiment.name for experiment in EXPERIMENTS)
    raise LabError(f"there is no experiment '{name}'; known are {known}", 2)


def results_in(folder: Path) -> dict[Experiment[Any], Any]:
    """Reads the result files of a folder. Raises LabError if one is broken, or there is none."""
    found = [experiment for experiment in EXPERIMENTS if experiment.is_in(folder)]
    if not found:
        names = ", ".join(f"{experiment.name}.json" for experiment in EXPERIMENTS)
        raise LabError(f"no result in {folder} (none of {names})")
    return {experiment: experiment.load(folder) for experiment in found}
