# SPDX-License-Identifier: Apache-2.0
"""What every experiment measures beside its own samples: the floor, and the spin kernel's scale."""

from finegrain_lab.errors import LabError
from finegrain_lab.processes import Calibration, Floor, ProcessFailed, run_process
from finegrain_lab.rounds import Step
from finegrain_lab.runtimes import Build, Cpus, cpu_list

FLOOR_PROCESSES_PER_ROUND = 4  # spread over the round, so that the floor is the samples' floor
FLOOR_BATCHES_PER_PROCESS = 5  # 60 batches in 3 rounds, the fewest of a mode; 50 is the rule
FLOOR_ROUND_TRIPS = 10_000  # 1.5 ms a batch at 150 ns: long against the clock, short for the run


class FloorMeter:
    """Collects the floor of one pair of CPUs, a few batches a process."""

    def __init__(self, build: Build, cpus: Cpus) -> None:
        self._command = [
            *(str(build.program(build.manifest.floor)), "--cpus", cpu_list(cpus)),
            *("--batches", str(FLOOR_BATCHES_PER_PROCESS)),
            *("--round-trips", str(FLOOR_ROUND_TRIPS)),
        ]
        self.samples: list[float] = []
        self.steps = [Step("floor", self.measure)] * FLOOR_PROCESSES_PER_ROUND

    def measure(self) -> None:
        """Adds one process's batches. Raises LabError."""
        try:
            self.samples += run_process(self._command, Floor).floor_ns
        except ProcessFailed as error:
            raise LabError(f"the floor cannot be measured: {error}") from error


def calibrate(build: Build, cpu: int) -> float:
    """Returns the spin kernel's steps a microsecond on this CPU. Raises LabError."""
    command = [str(build.program(build.manifest.calibrate)), "--cpu", str(cpu)]
    try:
        return run_process(command, Calibration).spin_steps_per_us
    except ProcessFailed as error:
        raise LabError(f"the spin cases cannot be calibrated: {error}") from error
