# SPDX-License-Identifier: Apache-2.0
"""The balancing policies of the build: the pool and the OpenMP drop-in have the same."""

from __future__ import annotations

from dataclasses import dataclass
from typing import List

from finegrain_lab.run.errors import LabError
from finegrain_lab.run.experiment import Command
from finegrain_lab.run.processes import Processes, ProcessFailed
from finegrain_lab.run.runtimes import Build
from finegrain_lab.run.shapes import Misfit

POOL = "pool"


@dataclass(frozen=True)
class PolicyList:
    """What `spawn-pool --list` prints."""

    runtime: str
    policies: List[str]  # the default first

    def __post_init__(self) -> None:
        if not self.policies:
            raise Misfit("policies: are none")


def policies_of(build: Build) -> list[str]:
    """Returns the names of the policies, the default first. Raises LabError."""
    program = build.program(build.manifest.spawn / f"spawn-{POOL}")
    try:
        return Processes().run(Command([program, "--list"]), PolicyList).policies
    except ProcessFailed as error:
        raise LabError(f"the pool's policies cannot be listed: {error}") from error
