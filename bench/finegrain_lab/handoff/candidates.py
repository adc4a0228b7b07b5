# SPDX-License-Identifier: Apache-2.0
"""Which runtimes the run is of, and under which wait policies."""

from collections.abc import Sequence

from finegrain_lab.errors import LabError
from finegrain_lab.handoff.cases import FLOOR, FLOOR_POLICY
from finegrain_lab.handoff.protocol import Candidate, Candidates
from finegrain_lab.processes import ProcessFailed, run_process
from finegrain_lab.runtimes import Build


def list_candidates(build: Build) -> list[Candidate]:
    """Returns what the build's `handoff` knows, installed or not, in its order. Raises LabError."""
    try:
        return run_process([build.program(build.manifest.handoff), "--list"], Candidates).runtimes
    except ProcessFailed as error:
        raise LabError(f"handoff does not tell its runtimes: {error}") from error


def choose_candidates(known: Sequence[Candidate], asked: Sequence[str] | None) -> list[Candidate]:
    """Returns the floor and the asked runtimes (all installed ones if None). Raises LabError."""
    by_name = {candidate.name: candidate for candidate in known}
    for name in asked or ():
        if name not in by_name:
            raise LabError(f"there is no runtime '{name}'; known are {', '.join(by_name)}", 2)
        if not by_name[name].policies:
            raise LabError(f"{name} is not installed: {by_name[name].how_to_get}")
    if FLOOR not in by_name or FLOOR_POLICY not in by_name[FLOOR].policies:
        raise LabError(f"the build's handoff has no {FLOOR} to compare with: run 'make lab'")
    return [
        candidate
        for candidate in known
        if candidate.policies and (asked is None or candidate.name in (*asked, FLOOR))
    ]
