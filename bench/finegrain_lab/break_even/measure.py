# SPDX-License-Identifier: Apache-2.0
"""Runs `break-even` for every site, in rounds."""

from collections.abc import Sequence
from dataclasses import dataclass

from finegrain_lab import statistics
from finegrain_lab.break_even.cases import ADAPTIVE, ALWAYS, Point, Site
from finegrain_lab.break_even.modes import BreakEvenMode
from finegrain_lab.break_even.protocol import BreakEvenSample, Phase
from finegrain_lab.instruments import FloorMeter, calibrate
from finegrain_lab.processes import ProcessFailed, run_process
from finegrain_lab.progress import Reporter
from finegrain_lab.runtimes import SERIAL, Build, Cpus, cpu_list
from finegrain_lab.sampling import Samples, Sampling

ARMS = {SERIAL: "serial_ns", ALWAYS: "always_ns", ADAPTIVE: "adaptive_ns"}


@dataclass(frozen=True)
class Plan:
    """What is to be measured."""

    build: Build
    sites: Sequence[Site]
    cpus: Cpus
    mode: BreakEvenMode


@dataclass
class Measured(Samples[Site, BreakEvenSample]):
    """What the processes said."""

    spin_steps_per_us: float = 0.0

    def ns(self, point: Point, arm: str) -> dict[int, float]:
        """Returns an arm's time of a call in each round: of all calls of the process.

        Not the median of its batches: that would leave out what the controller pays for learning
        and for exploring, which comes in few of them.
        """
        name = ARMS[arm]
        return {at: of_calls(getattr(p, name), p) for at, p in self.phases(point).items()}

    def shares(self, point: Point) -> dict[int, float]:
        """Returns the share of the controller's calls that it handed over, in each round."""
        return {
            at: of_calls(phase.adaptive_offloaded_share, phase)
            for at, phase in self.phases(point).items()
        }

    def phases(self, point: Point) -> dict[int, Phase]:
        """Returns the point's phase of each round."""
        index = point.site.points.index(point)
        return {at: sample.phases[index] for at, sample in self.samples[point.site].items()}

    def speedups(self, point: Point, arm: str) -> list[float]:
        """Returns serial time over the arm's, round by round: both are of one process."""
        return statistics.paired_ratios(self.ns(point, SERIAL), self.ns(point, arm))


def of_calls(values: Sequence[float], phase: Phase) -> float:
    """Returns the mean over the phase's calls of what has a number a batch."""
    return sum(v * n for v, n in zip(values, phase.calls, strict=True)) / sum(phase.calls)


def measure(plan: Plan, reporter: Reporter) -> Measured:
    """Runs the plan's processes, one after the other.

    Raises LabError for a wrong result, without a floor or a calibration, or if every site failed. A
    lone site's failure is noted, and the site is left out.
    """
    run = _Run(plan)
    run.measured.spin_steps_per_us = calibrate(plan.build, plan.cpus[0])
    run.to_the_end(reporter)
    return run.measured


class _Run(Sampling[Site, BreakEvenSample]):
    measured: Measured

    def __init__(self, plan: Plan) -> None:
        super().__init__(Measured(), plan.mode, FloorMeter(plan.build, plan.cpus))
        self._plan = plan
        self._program = str(plan.build.program(plan.build.manifest.break_even))

    def groups(self, round_index: int) -> list[Sequence[Site]]:
        del round_index
        return [self._plan.sites]

    def sample(self, slot: Site) -> BreakEvenSample:
        mode = self._plan.mode
        command = [
            *(self._program, "--ratio", slot.ratio, "--grain-ns", str(slot.grain_ns)),
            *("--cpus", cpu_list(self._plan.cpus)),
            *("--spin-steps-per-us", repr(self.measured.spin_steps_per_us)),
            *("--batches", str(mode.batches), "--batch-ms", str(mode.batch_ms)),
        ]
        if slot.change_to_ns is not None:
            command += ["--change-to-ns", str(slot.change_to_ns)]
        sample = run_process(command, BreakEvenSample)
        _require_whole(sample, slot, mode)
        return sample

    def vital(self, slot: Site) -> str | None:
        none_left = len(self.measured.failed) == len(self._plan.sites)
        return f"no site could be measured; {slot.name}" if none_left else None

    def of_interest(self) -> list[list[float]]:
        return [
            self.measured.speedups(point, arm)
            for site in self._plan.sites
            if site not in self.measured.failed
            for point in site.points
            for arm in (ALWAYS, ADAPTIVE)
        ]


def _require_whole(sample: BreakEvenSample, site: Site, mode: BreakEvenMode) -> None:
    if (sample.ratio, sample.grain_ns, sample.change_to_ns) != (
        *(site.ratio, site.grain_ns, site.change_to_ns),
    ):
        raise ProcessFailed("answered with a sample of another site")
    if [phase.grain_ns for phase in sample.phases] != [point.grain_ns for point in site.points]:
        raise ProcessFailed("answered with phases of other grains")
    for phase in sample.phases:
        if any(len(values) != mode.batches for values in phase.lists()):
            raise ProcessFailed(f"gave other than {mode.batches} batches")
        if min(*phase.serial_ns, *phase.always_ns, *phase.adaptive_ns, *phase.calls) <= 0:
            raise ProcessFailed("gave a time or a count that is not positive")
