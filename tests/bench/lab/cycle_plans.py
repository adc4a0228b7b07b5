# SPDX-License-Identifier: Apache-2.0
"""Short plans of the experiments that count cycles."""

import dataclasses

from fakes import FakeBuild
from fakes_micro import QUEUES

from finegrain_lab.queues import modes as queues_modes
from finegrain_lab.queues.measure import Plan as QueuesPlan
from finegrain_lab.queues.protocol import QueueList
from finegrain_lab.runtimes import load_build
from finegrain_lab.sync import modes as sync_modes
from finegrain_lab.sync.measure import Plan as SyncPlan

SHORT_SYNC = dataclasses.replace(
    sync_modes.QUICK, min_rounds=3, max_rounds=3, batches=3, batch_ms=7
)
SHORT_QUEUES = dataclasses.replace(
    queues_modes.QUICK, min_rounds=3, max_rounds=3, batches=3, round_trips=70
)


def sync_plan(build: FakeBuild, cpus: tuple[int, ...] = (0, 1)) -> SyncPlan:
    """Three rounds of all mechanisms."""
    return SyncPlan(load_build(build.folder), cpus, SHORT_SYNC)


def queues_plan(build: FakeBuild) -> QueuesPlan:
    """Three rounds of all installed queues."""
    known = QueueList.model_validate_json(QUEUES).queues
    installed = [queue for queue in known if not queue.how_to_get]
    return QueuesPlan(load_build(build.folder), installed, [], (3, 1), SHORT_QUEUES)
