# SPDX-License-Identifier: Apache-2.0
"""The balancing policies of the build: the pool and the OpenMP drop-in have the same."""

from pydantic import Field

from finegrain_lab.errors import LabError
from finegrain_lab.processes import Output, ProcessFailed, run_process
from finegrain_lab.runtimes import Build

POOL = "pool"


class PolicyList(Output):
    """What `spawn-pool --list` prints."""

    runtime: str
    policies: list[str] = Field(min_length=1)  # the default first


def policies_of(build: Build) -> list[str]:
    """Returns the names of the policies, the default first. Raises LabError."""
    program = build.program(build.manifest.spawn / f"spawn-{POOL}")
    try:
        return run_process([program, "--list"], PolicyList).policies
    except ProcessFailed as error:
        raise LabError(f"the pool's policies cannot be listed: {error}") from error
