# SPDX-License-Identifier: Apache-2.0
"""What every experiment measures beside its own samples: the floor, and the spin kernel's scale."""

from __future__ import annotations

from dataclasses import dataclass
from typing import List

from finegrain_lab.run.errors import LabError
from finegrain_lab.run.experiment import Command
from finegrain_lab.run.processes import Processes, ProcessFailed
from finegrain_lab.run.runtimes import Build, Cpus, cpu_list
from finegrain_lab.run.shapes import Misfit

FLOOR_PROCESSES_PER_ROUND = 4  # spread over the round, so that the floor is the samples' floor
FLOOR_BATCHES_PER_PROCESS = 5  # 60 batches in 3 rounds, the fewest of a mode; 50 is the rule
FLOOR_ROUND_TRIPS = 10_000  # 1.5 ms a batch at 150 ns: long against the clock, short for the run


@dataclass(frozen=True)
class FloorSample:
    """What `floor` prints: a round trip, a number a batch."""

    floor_ns: List[float]

    def __post_init__(self) -> None:
        if not self.floor_ns or min(self.floor_ns) <= 0:
            raise Misfit("floor_ns: are no times")


@dataclass(frozen=True)
class CalibrationSample:
    """What `calibrate` prints."""

    spin_steps_per_us: float

    def __post_init__(self) -> None:
        if self.spin_steps_per_us <= 0:
            raise Misfit("spin_steps_per_us: is no rate")


def floor_command(build: Build, cpus: Cpus) -> Command:
    """Returns what measures the floor of this pair of CPUs."""
    return Command(
        [
            *(build.program(build.manifest.floor), "--cpus", cpu_list(cpus)),
            *("--batches", str(FLOOR_BATCHES_PER_PROCESS)),
            *("--round-trips", str(FLOOR_ROUND_TRIPS)),
        ]
    )


def spin_steps_per_us(processes: Processes, build: Build, cpu: int) -> float:
    """Returns the spin kernel's steps a microsecond on this CPU. Raises LabError."""
    command = Command([build.program(build.manifest.calibrate), "--cpu", str(cpu)])
    try:
        return processes.run(command, CalibrationSample).spin_steps_per_us
    except ProcessFailed as error:
        raise LabError(f"the spin cases cannot be calibrated: {error}") from error
