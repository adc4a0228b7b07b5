"""The Relic paper's experiment: two tasks of a microsecond, one handed over, on every runtime."""

import random
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from finegrain_lab import modes, statistics
from finegrain_lab.errors import LabError
from finegrain_lab.modes import Effort, Mode
from finegrain_lab.pacing import Pacer
from finegrain_lab.processes import (
    Calibration,
    Floor,
    ProcessFailed,
    Sample,
    WrongResult,
    run_process,
)
from finegrain_lab.progress import Reporter
from finegrain_lab.results import (
    Built,
    Failure,
    Host,
    Lead,
    Missing,
    Result,
    Row,
    Settings,
    Summary,
)
from finegrain_lab.runtimes import SERIAL, Build, Cpus, PeerSettings, Runtime, environment_of

EXPERIMENT = "relic-kernels"
TITLE = "the Relic paper's seven kernels, and tasks of a chosen length, on every runtime"
KERNELS = ("bc", "bfs", "cc", "pr", "sssp", "tc", "json")
SPIN_LENGTHS = ("10ns", "20ns", "50ns", "100ns", "200ns", "500ns", "1us", "2us", "5us", "10us")
SPIN_CASES = tuple(f"spin-{length}" for length in SPIN_LENGTHS)
CASES = KERNELS + SPIN_CASES
ORDER_SEED = 20240501  # of the runtimes' order in the rounds; in the result file


@dataclass(frozen=True)
class Plan:
    """What is to be measured."""

    build: Build
    runtimes: Sequence[Runtime]
    cases: Sequence[str]
    cpus: Cpus
    mode: Mode
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
    samples: list[Pair | None] = []
    for case in cases:
        shuffled = list(runtimes)
        order.shuffle(shuffled)
        samples += [Pair(case, runtime) for runtime in shuffled]
    steps: list[Pair | None] = []
    for index in range(floors):
        first, last = (len(samples) * part // floors for part in (index, index + 1))
        steps += [None, *samples[first:last]]
    return steps


class _Run:
    """One run: a loop of rounds, each a list of processes."""

    def __init__(self, plan: Plan, reporter: Reporter) -> None:
        self.measured = Measured()
        self._plan = plan
        self._reporter = reporter
        self._order = random.Random(ORDER_SEED)
        self._pacer = Pacer(plan.mode)
        self._commands = {runtime.name: plan.build.command(runtime) for runtime in plan.runtimes}

    def to_the_end(self) -> None:
        if any(case in SPIN_CASES for case in self._plan.cases):
            self._calibrate()
        while self._pacer.another(self._converged):
            self._pacer.begin_round()
            self._round(self._pacer.rounds)
            self._pacer.end_round()
            self.measured.rounds = self._pacer.rounds
            self.measured.seconds = self._pacer.elapsed()
            self._reporter.milestone(f"round {self.measured.rounds}, {self.measured.seconds:.0f} s")

    def _round(self, index: int) -> None:
        spin = self._plan.mode.has_spin(index)
        cases = [case for case in self._plan.cases if spin or case in KERNELS]
        steps = round_steps(
            self._order, cases, list(self._commands), modes.FLOOR_PROCESSES_PER_ROUND
        )
        for done, pair in enumerate(steps):
            self._reporter.step(
                self._pacer.share(done / len(steps)),
                f"{pair.case} {pair.runtime}" if pair else "floor",
            )
            if pair is None:
                self._floor()
            elif pair not in self.measured.failed:
                self._sample(pair, index)

    def _sample(self, pair: Pair, round_index: int) -> None:
        effort = self._plan.effort(pair.case)
        command = [
            *(str(self._commands[pair.runtime]), "--case", pair.case),
            *("--iterations", str(effort.iterations), "--warmup", str(effort.warmup)),
            *("--cpus", _cpu_list(self._plan.cpus)),
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

    def _floor(self) -> None:
        command = [
            *(str(self._plan.build.program(self._plan.build.manifest.floor)),),
            *("--cpus", _cpu_list(self._plan.cpus)),
            *("--batches", str(modes.FLOOR_BATCHES_PER_PROCESS)),
            *("--round-trips", str(modes.FLOOR_ROUND_TRIPS)),
        ]
        try:
            self.measured.floor_samples += run_process(command, Floor).floor_ns
        except ProcessFailed as error:
            raise LabError(f"the floor cannot be measured: {error}") from error

    def _calibrate(self) -> None:
        program = self._plan.build.program(self._plan.build.manifest.calibrate)
        command = [str(program), "--cpu", str(self._plan.cpus[0])]
        try:
            self.measured.spin_steps_per_us = run_process(command, Calibration).spin_steps_per_us
        except ProcessFailed as error:
            raise LabError(f"the spin cases cannot be calibrated: {error}") from error

    def _converged(self) -> bool:
        limit = self._plan.mode.converged_half_width
        cases = [case for case in self._plan.cases if case in KERNELS] or self._plan.cases
        pairs = [Pair(case, runtime) for case in cases for runtime in self._commands]
        return limit is not None and all(
            _half_width(self.measured.speedups(pair)) <= limit
            for pair in pairs
            if pair not in self.measured.failed
        )


def _cpu_list(cpus: Cpus) -> str:
    return ",".join(map(str, cpus))


def _require_whole(sample: Sample, pair: Pair, effort: Effort) -> None:
    if (sample.case, sample.runtime) != pair:
        raise ProcessFailed(f"answered with a sample of {sample.runtime} on {sample.case}")
    if effort.max_ms is None and sample.iterations != effort.iterations:
        raise ProcessFailed(f"ran {sample.iterations} of {effort.iterations} iterations")


def _half_width(ratios: Sequence[float]) -> float:
    return statistics.relative_half_width(statistics.median_ci(ratios), statistics.median(ratios))


def to_result(plan: Plan, measured: Measured, host: Host) -> Result:
    """Turns samples into the result file."""
    names = [runtime.name for runtime in plan.runtimes]
    pairs = [Pair(case, name) for case in plan.cases for name in names]
    rows = [_row(measured, pair) for pair in pairs if pair not in measured.failed]
    floor_ns = statistics.median(measured.floor_samples)
    serial = {row.case: row.serial_ns for row in rows if row.runtime == SERIAL}
    bounds = {case: statistics.bound(serial[case], floor_ns) for case in KERNELS if case in serial}
    return Result(
        schema=1,
        experiment=EXPERIMENT,
        mode=plan.mode.name,
        host=host,
        settings=Settings(
            peers=plan.peers, environment={name: plan.environment(name) for name in names}
        ),
        cases=list(plan.cases),
        runtimes=names,
        built={r.name: Built(compiler=r.compiler, flags=r.flags) for r in plan.runtimes},
        missing=[
            Missing(runtime=runtime.name, how_to_get=runtime.how_to_get)
            for runtime in plan.build.missing()
        ],
        failed=[
            Failure(runtime=pair.runtime, case=pair.case, reason=reason)
            for pair, reason in measured.failed.items()
        ],
        notes=_notes(plan, measured),
        floor_ns=floor_ns,
        floor_samples=measured.floor_samples,
        bound=statistics.geometric_mean(bounds.values()) if len(bounds) == len(KERNELS) else None,
        bounds=bounds,
        spin_steps_per_us=measured.spin_steps_per_us,
        rounds=measured.rounds,
        seconds=measured.seconds,
        seed=ORDER_SEED,
        results=rows,
        summary=summarise(rows, names),
        leads=[line for case in plan.cases for line in _leads(measured, rows, case)],
    )


def _row(measured: Measured, pair: Pair) -> Row:
    samples = list(measured.samples[pair].values())
    ns = [sample.ns for sample in samples]
    speedups = measured.speedups(pair)
    return Row(
        case=pair.case,
        runtime=pair.runtime,
        ns=statistics.median(ns),
        ns_ci95=statistics.median_ci(ns),
        serial_ns=statistics.median(list(measured.ns(Pair(pair.case, SERIAL)).values())),
        speedup=statistics.median(speedups),
        ci95=statistics.median_ci(speedups),
        offloaded_share=sum(sample.offloaded_share for sample in samples) / len(samples),
        iterations=int(statistics.median([sample.iterations for sample in samples])),
        main_cpu=samples[-1].main_cpu,
        task_cpus=sorted({cpu for sample in samples for cpu in sample.task_cpus}),
        version=samples[-1].version,
        samples=ns,
    )


def summarise(rows: Sequence[Row], runtimes: Sequence[str]) -> list[Summary]:
    """Returns a line for each runtime that has all seven kernels; spin cases do not count."""
    by_runtime: Mapping[str, dict[str, Row]] = {name: {} for name in runtimes}
    for row in rows:
        if row.case in KERNELS:
            by_runtime[row.runtime][row.case] = row
    return [
        Summary(
            runtime=name,
            geomean=statistics.geometric_mean(row.speedup for row in kernels.values()),
            geomean_no_negative=statistics.geometric_mean_no_negative(
                row.speedup for row in kernels.values()
            ),
            offloaded_share=sum(row.offloaded_share for row in kernels.values()) / len(kernels),
        )
        for name, kernels in by_runtime.items()
        if len(kernels) == len(KERNELS)
    ]


def _leads(measured: Measured, rows: Sequence[Row], case: str) -> list[Lead]:
    """Returns the lead of the case, nothing where fewer than two runtimes ran it."""
    ranked = sorted(
        (row for row in rows if row.case == case and row.runtime != SERIAL),
        key=lambda row: row.speedup,
        reverse=True,
    )
    if len(ranked) < 2:
        return []
    first, second = (row.runtime for row in ranked[:2])
    ratios = statistics.paired_ratios(
        measured.ns(Pair(case, second)), measured.ns(Pair(case, first))
    )
    return [
        Lead(
            case=case,
            runtime=first,
            runner_up=second,
            ratio=statistics.median(ratios),
            ci95=statistics.median_ci(ratios),
        )
    ]


def _notes(plan: Plan, measured: Measured) -> dict[str, list[str]]:
    """What the build and the processes say of a runtime, and CPUs that were not asked for."""
    notes: dict[str, list[str]] = {}
    for runtime in plan.runtimes:
        samples = [
            sample
            for case in plan.cases
            for sample in measured.samples[Pair(case, runtime.name)].values()
        ]
        found = [runtime.note, *(sample.note for sample in samples)]
        strays = {cpu for sample in samples for cpu in sample.task_cpus} - set(plan.cpus)
        strays |= {sample.main_cpu for sample in samples} - {plan.cpus[0]}
        if strays:
            found.append(f"was seen on a CPU that is not its own: {sorted(strays)}")
        distinct = list(dict.fromkeys(text for text in found if text))
        if distinct:
            notes[runtime.name] = distinct
    return notes
