"""The Relic paper's experiment: two tasks of a microsecond, one handed over, on every runtime."""

import random
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import NamedTuple

from finegrain_lab import instruments, statistics
from finegrain_lab.errors import LabError
from finegrain_lab.instruments import FloorMeter
from finegrain_lab.processes import ProcessFailed, Sample, WrongResult, run_process
from finegrain_lab.progress import Reporter
from finegrain_lab.relic_kernels.cases import KERNELS, SPIN_CASES
from finegrain_lab.relic_kernels.modes import Effort, KernelMode
from finegrain_lab.rounds import (
    ORDER_SEED,
    Step,
    half_width,
    run_rounds,
    shuffled_groups,
    with_spread,
)
from finegrain_lab.runtimes import (
    SERIAL,
    Build,
    Cpus,
    PeerSettings,
    Runtime,
    cpu_list,
    environment_of,
)


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


@dataclass
class Measured:
    """What the processes said, by round, because ratios are taken round by round."""

    samples: defaultdict[Pair, dict[int, Sample]] = field(default_factory=lambda: defaultdict(dict))
    failed: dict[Pair, str] = field(default_factory=dict)
    floor_samples: list[float] = field(default_factory=list)
    spin_steps_per_us: float | None = None
    rounds: int = 0
    seconds: float = 0.0

    def ns(self, pair: Pair) -> dict[int, float]:
        """Returns the pair's time of each round."""
        return {at: sample.ns for at, sample in self.samples[pair].items()}

    def speedups(self, pair: Pair) -> list[float]:
        """Returns serial time over the runtime's, round by round."""
        return statistics.paired_ratios(self.ns(Pair(pair.case, SERIAL)), self.ns(pair))


def measure(plan: Plan, reporter: Reporter) -> Measured:
    """Runs the plan's processes, one after the other.

    Raises LabError where nothing that this build measures can be believed: a wrong result, or no
    sample of serial or of the floor. A peer's failure is noted, and that pair is left out.
    """
    run = _Run(plan, reporter)
    run.to_the_end()
    return run.measured


def round_steps(
    order: random.Random, cases: Sequence[str], runtimes: Sequence[str], floors: int
) -> list[Pair | None]:
    """Returns one round: each case's runtimes in a new order, floors (None) spread evenly."""
    groups = [[Pair(case, runtime) for runtime in runtimes] for case in cases]
    return with_spread(shuffled_groups(order, groups), floors)


class _Run:
    """One run: a loop of rounds, each a list of processes."""

    def __init__(self, plan: Plan, reporter: Reporter) -> None:
        self.measured = Measured()
        self._plan = plan
        self._reporter = reporter
        self._order = random.Random(ORDER_SEED)
        self._floor = FloorMeter(plan.build, plan.cpus)
        self._commands = {runtime.name: plan.build.command(runtime) for runtime in plan.runtimes}

    def to_the_end(self) -> None:
        if any(case in SPIN_CASES for case in self._plan.cases):
            self.measured.spin_steps_per_us = instruments.calibrate(
                self._plan.build, self._plan.cpus[0]
            )
        extent = run_rounds(self._plan.mode, self._steps, self._converged, self._reporter)
        self.measured.rounds, self.measured.seconds = extent.rounds, extent.seconds
        self.measured.floor_samples = self._floor.samples

    def _steps(self, round_index: int) -> list[Step]:
        spin = self._plan.mode.has_spin(round_index)
        cases = [case for case in self._plan.cases if spin or case in KERNELS]
        pairs = round_steps(
            self._order, cases, list(self._commands), instruments.FLOOR_PROCESSES_PER_ROUND
        )
        return [
            Step(f"{pair.case} {pair.runtime}", partial(self._sample, pair, round_index))
            if pair
            else self._floor.step
            for pair in pairs
        ]

    def _sample(self, pair: Pair, round_index: int) -> None:
        if pair in self.measured.failed:
            return
        effort = self._plan.effort(pair.case)
        command = [
            *(str(self._commands[pair.runtime]), "--case", pair.case),
            *("--iterations", str(effort.iterations), "--warmup", str(effort.warmup)),
            *("--cpus", cpu_list(self._plan.cpus)),
        ]
        if effort.max_ms is not None:
            command += ["--max-ms", str(effort.max_ms)]
        if pair.case in SPIN_CASES:
            command += ["--spin-steps-per-us", repr(self.measured.spin_steps_per_us)]
        try:
            sample = run_process(command, Sample, self._plan.environment(pair.runtime))
            _require_whole(sample, pair, effort)
        except WrongResult as error:
            raise LabError(f"wrong result from {pair.runtime} on {pair.case}: {error}") from error
        except ProcessFailed as error:
            if pair.runtime == SERIAL:
                raise LabError(f"serial failed on {pair.case}: {error}") from error
            self.measured.failed[pair] = str(error)
            return
        self.measured.samples[pair][round_index] = sample

    def _converged(self) -> bool:
        limit = self._plan.mode.converged_half_width
        cases = [case for case in self._plan.cases if case in KERNELS] or self._plan.cases
        pairs = [Pair(case, runtime) for case in cases for runtime in self._commands]
        return limit is not None and all(
            half_width(self.measured.speedups(pair)) <= limit
            for pair in pairs
            if pair not in self.measured.failed
        )


def _require_whole(sample: Sample, pair: Pair, effort: Effort) -> None:
    if (sample.case, sample.runtime) != pair:
        raise ProcessFailed(f"answered with a sample of {sample.runtime} on {sample.case}")
    if effort.max_ms is None and sample.iterations != effort.iterations:
        raise ProcessFailed(f"ran {sample.iterations} of {effort.iterations} iterations")
