# SPDX-License-Identifier: Apache-2.0
"""The Relic paper's experiment: two tasks of a microsecond, one handed over, on every runtime."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from finegrain_lab import statistics
from finegrain_lab.instruments import FloorMeter, calibrate
from finegrain_lab.processes import ProcessFailed, Sample, run_process
from finegrain_lab.progress import Reporter
from finegrain_lab.relic_kernels.cases import KERNELS, SPIN_CASES
from finegrain_lab.relic_kernels.modes import Effort, KernelMode
from finegrain_lab.runtimes import (
    SERIAL,
    Build,
    Cpus,
    PeerSettings,
    Runtime,
    cpu_list,
    environment_of,
)
from finegrain_lab.sampling import Samples, Sampling


@dataclass(frozen=True)
class Plan:
    """What is to be measured."""

    build: Build
    runtimes: Sequence[Runtime]
    cases: Sequence[str]
    cpus: Cpus
    mode: KernelMode
    peers: PeerSettings

    def effort(self, case: str) -> Effort:
        """Returns the work of one sample of this case."""
        return self.mode.kernels if case in KERNELS else self.mode.spin

    def environment(self, runtime: str) -> dict[str, str]:
        """Returns the variables that this runtime's processes get."""
        return environment_of(runtime, self.peers, self.cpus)


class Pair(NamedTuple):
    """A case on a runtime."""

    case: str
    runtime: str

    @property
    def told(self) -> str:
        """Its name for a reader."""
        return f"{self.runtime} on {self.case}"


@dataclass
class Measured(Samples[Pair, Sample]):
    """What the processes said."""

    spin_steps_per_us: float | None = None

    def ns(self, pair: Pair) -> dict[int, float]:
        """Returns the pair's time of each round."""
        return self.by_round(pair, lambda sample: sample.ns)

    def speedups(self, pair: Pair) -> list[float]:
        """Returns serial time over the runtime's, round by round."""
        return statistics.paired_ratios(self.ns(Pair(pair.case, SERIAL)), self.ns(pair))


def measure(plan: Plan, reporter: Reporter) -> Measured:
    """Runs the plan's processes, one after the other.

    Raises LabError where nothing that this build measures can be believed: a wrong result, or no
    sample of serial or of the floor. A peer's failure is noted, and that pair is left out.
    """
    run = _Run(plan)
    if any(case in SPIN_CASES for case in plan.cases):
        run.measured.spin_steps_per_us = calibrate(plan.build, plan.cpus[0])
    run.to_the_end(reporter)
    return run.measured


class _Run(Sampling[Pair, Sample]):
    measured: Measured

    def __init__(self, plan: Plan) -> None:
        super().__init__(Measured(), plan.mode, FloorMeter(plan.build, plan.cpus))
        self._plan = plan
        self._commands = {runtime.name: plan.build.command(runtime) for runtime in plan.runtimes}

    def groups(self, round_index: int) -> list[list[Pair]]:
        spin = self._plan.mode.has_spin(round_index)
        cases = [case for case in self._plan.cases if spin or case in KERNELS]
        return [[Pair(case, runtime) for runtime in self._commands] for case in cases]

    def sample(self, slot: Pair) -> Sample:
        effort = self._plan.effort(slot.case)
        command = [
            *(str(self._commands[slot.runtime]), "--case", slot.case),
            *("--iterations", str(effort.iterations), "--warmup", str(effort.warmup)),
            *("--cpus", cpu_list(self._plan.cpus)),
        ]
        if effort.max_ms is not None:
            command += ["--max-ms", str(effort.max_ms)]
        if slot.case in SPIN_CASES:
            command += ["--spin-steps-per-us", repr(self.measured.spin_steps_per_us)]
        sample = run_process(command, Sample, self._plan.environment(slot.runtime))
        _require_whole(sample, slot, effort)
        return sample

    def vital(self, slot: Pair) -> str | None:
        return f"serial failed on {slot.case}" if slot.runtime == SERIAL else None

    def of_interest(self) -> list[list[float]]:
        cases = [case for case in self._plan.cases if case in KERNELS] or self._plan.cases
        pairs = [Pair(case, runtime) for case in cases for runtime in self._commands]
        failed = self.measured.failed
        return [self.measured.speedups(pair) for pair in pairs if pair not in failed]


def _require_whole(sample: Sample, pair: Pair, effort: Effort) -> None:
    if (sample.case, sample.runtime) != pair:
        raise ProcessFailed(f"answered with a sample of {sample.runtime} on {sample.case}")
    if effort.max_ms is None and sample.iterations != effort.iterations:
        raise ProcessFailed(f"ran {sample.iterations} of {effort.iterations} iterations")
