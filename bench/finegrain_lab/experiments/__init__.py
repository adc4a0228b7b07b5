# SPDX-License-Identifier: Apache-2.0
"""All experiments, in the order of `lab list`."""

from __future__ import annotations

from finegrain_lab.experiments.bots import BOTS
from finegrain_lab.experiments.break_even import BREAK_EVEN
from finegrain_lab.experiments.cholesky import CHOLESKY
from finegrain_lab.experiments.graph import GRAPH
from finegrain_lab.experiments.handoff import HANDOFF
from finegrain_lab.experiments.loops import LOOPS
from finegrain_lab.experiments.neighbour import NEIGHBOUR
from finegrain_lab.experiments.omp import OMP
from finegrain_lab.experiments.omp_regions import OMP_REGIONS
from finegrain_lab.experiments.periodic import PERIODIC
from finegrain_lab.experiments.pipeline import PIPELINE
from finegrain_lab.experiments.producers import PRODUCERS
from finegrain_lab.experiments.queue_size import QUEUE_SIZE
from finegrain_lab.experiments.queues import QUEUES
from finegrain_lab.experiments.relic_kernels import RELIC_KERNELS
from finegrain_lab.experiments.scaling import SCALING
from finegrain_lab.experiments.spawn import SPAWN
from finegrain_lab.experiments.spawn_heterogeneous import SPAWN_HETEROGENEOUS
from finegrain_lab.experiments.spawn_homogeneous import SPAWN_HOMOGENEOUS
from finegrain_lab.experiments.stealing_efficiency import STEALING_EFFICIENCY
from finegrain_lab.experiments.strassen import STRASSEN
from finegrain_lab.experiments.sync import SYNC
from finegrain_lab.experiments.syrk import SYRK
from finegrain_lab.experiments.task_distribution import TASK_DISTRIBUTION
from finegrain_lab.experiments.tasking_overhead import TASKING_OVERHEAD
from finegrain_lab.experiments.uts import UTS
from finegrain_lab.experiments.waiting import WAITING
from finegrain_lab.run.errors import LabError
from finegrain_lab.run.experiment import Experiment

EXPERIMENTS: tuple[Experiment, ...] = (
    RELIC_KERNELS,
    HANDOFF,
    BREAK_EVEN,
    WAITING,
    SYNC,
    QUEUES,
    NEIGHBOUR,
    PERIODIC,
    LOOPS,
    GRAPH,
    PIPELINE,
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
    OMP,
    OMP_REGIONS,
    SCALING,
)


def experiment_of(name: str) -> Experiment:
    """Returns the experiment of this name. Raises LabError."""
    for experiment in EXPERIMENTS:
        if experiment.name == name:
            return experiment
    known = ", ".join(experiment.name for experiment in EXPERIMENTS)
    raise LabError(f"there is no experiment '{name}'; known are {known}", 2)
