"""Runs `break-even` for every site, in rounds."""

import random
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial

from finegrain_lab import statistics
from finegrain_lab.break_even.cases import ADAPTIVE, ALWAYS, Point, Site
from finegrain_lab.break_even.modes import BreakEvenMode
from finegrain_lab.break_even.protocol import BreakEvenSample, Phase
from finegrain_lab.errors import LabError
from finegrain_lab.instruments import FLOOR_PROCESSES_PER_ROUND, FloorMeter, calibrate
from finegrain_lab.processes import ProcessFailed, WrongResult, run_process
from finegrain_lab.progress import Reporter
from finegrain_lab.rounds import (
    ORDER_SEED,
    Step,
    half_width,
    run_rounds,
    shuffled_groups,
    with_spread,
)
from finegrain_lab.runtimes import SERIAL, Build, Cpus, cpu_list

ARMS = {SERIAL: "serial_ns", ALWAYS: "always_ns", ADAPTIVE: "adaptive_ns"}


@dataclass(frozen=True)
class Plan:
    """What is to be measured."""

    build: Build
    sites: Sequence[Site]
    cpus: Cpus
    mode: BreakEvenMode


@dataclass
class Measured:
    """What the processes said, by round."""

    samples: defaultdict[Site, dict[int, BreakEvenSample]] = field(
        default_factory=lambda: defaultdict(dict)
    )
    failed: dict[Site, str] = field(default_factory=dict)
    floor_samples: list[float] = field(default_factory=list)
    spin_steps_per_us: float = 0.0
    rounds: int = 0
    seconds: float = 0.0

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
    run.to_the_end(reporter)
    return run.measured


class _Run:
    def __init__(self, plan: Plan) -> None:
        self.measured = Measured()
        self._plan = plan
        self._order = random.Random(ORDER_SEED)
        self._floor = FloorMeter(plan.build, plan.cpus)
        self._program = str(plan.build.program(plan.build.manifest.break_even))

    def to_the_end(self, reporter: Reporter) -> None:
        measured = self.measured
        measured.spin_steps_per_us = calibrate(self._plan.build, self._plan.cpus[0])
        extent = run_rounds(self._plan.mode, self._steps, self._converged, reporter)
        measured.rounds, measured.seconds = extent.rounds, extent.seconds
        measured.floor_samples = self._floor.samples

    def _steps(self, round_index: int) -> list[Step]:
        sites = shuffled_groups(self._order, [self._plan.sites])
        return [
            Step(site.name, partial(self._sample, site, round_index)) if site else self._floor.step
            for site in with_spread(sites, FLOOR_PROCESSES_PER_ROUND)
        ]

    def _sample(self, site: Site, round_index: int) -> None:
        if site in self.measured.failed:
            return
        try:
            sample = run_process(self._command(site), BreakEvenSample)
            _require_whole(sample, site, self._plan.mode)
        except WrongResult as error:
            raise LabError(f"wrong result on {site.name}: {error}") from error
        except ProcessFailed as error:
            self.measured.failed[site] = str(error)
            if len(self.measured.failed) == len(self._plan.sites):
                raise LabError(f"no site could be measured; {site.name}: {error}") from error
            return
        self.measured.samples[site][round_index] = sample

    def _command(self, site: Site) -> list[str]:
        mode = self._plan.mode
        command = [
            *(self._program, "--ratio", site.ratio, "--grain-ns", str(site.grain_ns)),
            *("--cpus", cpu_list(self._plan.cpus)),
            *("--spin-steps-per-us", repr(self.measured.spin_steps_per_us)),
            *("--batches", str(mode.batches), "--batch-ms", str(mode.batch_ms)),
        ]
        if site.change_to_ns is not None:
            command += ["--change-to-ns", str(site.change_to_ns)]
        return command

    def _converged(self) -> bool:
        limit = self._plan.mode.converged_half_width
        points = [
            point
            for site in self._plan.sites
            if site not in self.measured.failed
            for point in site.points
        ]
        return limit is not None and all(
            half_width(self.measured.speedups(point, arm)) <= limit
            for point in points
            for arm in (ALWAYS, ADAPTIVE)
        )


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
