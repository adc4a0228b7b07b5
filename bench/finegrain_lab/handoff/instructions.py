# SPDX-License-Identifier: Apache-2.0
"""Counts the instructions of submit and wait on the main thread, with callgrind."""

import re
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path

from finegrain_lab import journal
from finegrain_lab.handoff.cases import tasks_of
from finegrain_lab.handoff.protocol import InstructionCase
from finegrain_lab.handoff.results import Instructions
from finegrain_lab.processes import ProcessFailed, run_process
from finegrain_lab.runtimes import Build

VALGRIND = "valgrind"
NOT_INSTALLED = "instructions were not counted: valgrind is not installed"
REPEAT = 100  # the count is exact whatever this is; a hundred hides nothing that comes once


def count_instructions(build: Build, cases: Sequence[str]) -> tuple[list[Instructions], list[str]]:
    """Returns the instructions of a task in each case, and what kept some from being counted.

    Raises LabError if the build lacks the program.
    """
    program = build.program(build.manifest.handoff_instructions)
    if shutil.which(VALGRIND) is None:
        return [], [NOT_INSTALLED]
    counted, notes = [], []
    for case in cases:
        try:
            counted.append(
                Instructions(case=case, instructions_per_task=_instructions_per_task(program, case))
            )
        except ProcessFailed as error:
            notes.append(f"instructions of {case} were not counted: {error}")
    return counted, notes


def _instructions_per_task(program: Path, case: str) -> float:
    command = [str(program), "--case", case, "--repeat", str(REPEAT)]
    told = run_process(command, InstructionCase)
    with tempfile.TemporaryDirectory(prefix="finegrain-lab-") as folder:
        profile = Path(folder) / "callgrind.out"
        callgrind = [
            *(VALGRIND, "--tool=callgrind", "--collect-atstart=no"),
            *(f"--toggle-collect={function}" for function in told.toggle),
            f"--callgrind-out-file={profile}",
        ]
        with journal.left_out():
            run_process([*callgrind, *command], InstructionCase)
        total = total_of(profile)
    return total / (told.repeat * tasks_of(case))


def total_of(profile: Path) -> int:
    """Returns the instructions that a callgrind profile collected. Raises ProcessFailed."""
    text = profile.read_text(errors="replace") if profile.exists() else ""
    found = re.search(r"^(?:totals|summary): (\d+)", text, re.MULTILINE)
    total = int(found[1]) if found else 0
    if total == 0:
        raise ProcessFailed("callgrind collected nothing")
    return total
