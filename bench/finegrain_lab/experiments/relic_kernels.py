# SPDX-License-Identifier: Apache-2.0
"""The Relic paper's experiment: two tasks of a microsecond, one handed over, on every runtime."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from statistics import mean, median
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Tuple

from finegrain_lab.experiments import relic_paper as paper
from finegrain_lab.experiments.relic_paper import signed
from finegrain_lab.run.beside import disturbance
from finegrain_lab.run.experiment import (
    Command,
    Compared,
    Experiment,
    Fact,
    Missing,
    Plan,
    Ratio,
    Request,
    Slot,
)
from finegrain_lab.run.host import choose_cpus
from finegrain_lab.run.instruments import spin_steps_per_us
from finegrain_lab.run.modes import LEAST_ROUNDS, SURE_ROUNDS, Mode, by_name
from finegrain_lab.run.runtimes import OURS, SERIAL, cpu_list, environment_of
from finegrain_lab.run.shapes import Misfit
from finegrain_lab.show.figures import Axis, Figure, Point, Series, bar, mark, speedup_by_length
from finegrain_lab.show.tables import (
    UNSURE,
    AnyCell,
    Cell,
    Interval,
    Part,
    Section,
    Statement,
    Statements,
    Table,
    grid,
    is_sure,
    ratio_text,
    with_interval,
)

KERNELS = ("bc", "bfs", "cc", "pr", "sssp", "tc", "json")
SPIN = "spin-"
SPIN_LENGTHS = ("10ns", "20ns", "50ns", "100ns", "200ns", "500ns", "1us", "2us", "5us", "10us")
SPIN_CASES = tuple(f"{SPIN}{length}" for length in SPIN_LENGTHS)
CASES = KERNELS + SPIN_CASES
NOT_MEASURED = "not measured"
NEVER = "-"

# How much is measured: of the kernels, of the spin cases, and in every which round these are.
MODES = by_name(
    Mode(
        name="quick",
        work={
            "kernels": {
                "iterations": 20_000,  # 16 ms of a pair of 0.8 us: short kernels end by count
                "warmup": 200,  # warms caches and predictors; 20 ms even at 100 us an iteration
                "max_ms": 40,  # the long kernels and slow runtimes end by time
            },
            "spin": {"iterations": 10_000, "warmup": 200, "max_ms": 20},  # points may be rougher
            "spin_every": 2,  # 10 cases against 7: the kernels get most of the time so
        },
        min_rounds=LEAST_ROUNDS,
        max_rounds=30,  # as many as the paper mode has; more is no longer quick
        budget_s=135,  # `make demo` promises 3 minutes: this, the interpreter and the report
    ),
    Mode(
        name="full",
        work={
            "kernels": {"iterations": 100_000, "warmup": 2_000},  # the paper's 10^5 (section IV)
            "spin": {"iterations": 10_000, "warmup": 1_000},  # 200 ms at 10 us, enough for a curve
            "spin_every": 3,  # the kernels decide convergence and get the time
        },
        min_rounds=5,
        max_rounds=60,  # past that the host's drift, not the count, sets the interval
        budget_s=17 * 60,  # 20 minutes an experiment, less the round under way and the report
        converged_half_width=0.015,  # well under the 8 % that separate the runtimes of interest
        converged_rounds=SURE_ROUNDS,
    ),
    Mode(
        name="paper",
        work={
            "kernels": {"iterations": 100_000, "warmup": 2_000},  # the paper's 10^5 for every case
            "spin": {"iterations": 100_000, "warmup": 2_000},
            "spin_every": 1,
        },
        min_rounds=30,
        max_rounds=30,  # the paper names no repetitions; 30 pairs make a median's interval stable
    ),
)


@dataclass(frozen=True)
class Sample:
    """What `relic-kernels-<runtime>` prints."""

    runtime: str
    case: str
    iterations: int
    ns: float
    offloaded_share: float
    main_cpu: int
    task_cpus: List[int]
    version: str
    note: str

    def __post_init__(self) -> None:
        if min(self.ns, self.iterations) <= 0 or not 0 <= self.offloaded_share <= 1:
            raise Misfit("a time, a count or a share is none")


def has_spin(mode: Mode, at: int) -> bool:
    """Says whether this round measures the spin cases beside the kernels."""
    return at < mode.min_rounds or at % int(mode["spin_every"]) == 0


def _effort(mode: Mode, case: str) -> Dict[str, int]:
    effort: Dict[str, int] = mode["kernels" if case in KERNELS else "spin"]
    return effort


def _plan(request: Request) -> Plan:
    cases = request.chosen_cases(CASES)
    cpus, placement = choose_cpus(request.cpus)
    build, mode, peers = request.build, request.mode, request.peers or "tuned"
    runtimes = build.choose(request.runtimes)
    programs = {it.name: build.command(it) for it in runtimes}
    environment = {name: environment_of(name, peers, cpus) for name in programs}

    def command(slot: Slot, found: Any) -> Command:
        effort = _effort(mode, slot.case)
        words: List[Any] = [programs[slot.runtime], "--case", slot.case]
        words += ["--iterations", effort["iterations"], "--warmup", effort["warmup"]]
        words += ["--cpus", cpu_list(cpus)]
        if "max_ms" in effort:
            words += ["--max-ms", effort["max_ms"]]
        if slot.case in SPIN_CASES:
            words += ["--spin-steps-per-us", found["spin_steps_per_us"]]
        return Command(words, environment[slot.runtime])

    def begin(run: Any) -> Dict[str, Any]:
        is_spun = any(case in SPIN_CASES for case in cases)
        steps = spin_steps_per_us(run.processes, build, cpus[0]) if is_spun else None
        return {"spin_steps_per_us": steps}

    return Plan(
        build=build,
        mode=mode,
        cpus=cpus,
        placement=placement,
        groups=[[Slot(case, runtime) for runtime in programs] for case in cases],
        command=command,
        cases=cases,
        runtimes=list(programs),
        settings={
            "peers": peers,
            "environment": environment,
            "built": {it.name: {"compiler": it.compiler, "flags": it.flags} for it in runtimes},
            "has_kernels": any(case in KERNELS for case in cases),
        },
        missing=[Missing(it.name, it.how_to_get) for it in build.missing("relic-kernels")],
        notes={it.name: it.note for it in runtimes},
        begin=begin,
        takes_part=lambda slot, at: slot.case in KERNELS or has_spin(mode, at),
    )


def _complaint(sample: Sample, slot: Slot, plan: Plan) -> str:
    if (sample.case, sample.runtime) != (slot.case, slot.runtime):
        return f"answered with a sample of {sample.runtime} on {sample.case}"
    effort = _effort(plan.mode, slot.case)
    if "max_ms" not in effort and sample.iterations != effort["iterations"]:
        return f"ran {sample.iterations} of {effort['iterations']} iterations"
    return ""


def _migrate(said: Dict[str, Any]) -> Dict[str, Any]:
    from finegrain_lab.show.old_files import renamed

    found = {name: said.get(name) for name in ("built", "spin_steps_per_us")}
    return renamed({**said, "settings": {**found, **said["settings"]}}, {"ci95": "speedup_ci95"})


# ---- over all kernels, and over the next one


@dataclass(frozen=True)
class Mean:
    """A geometric mean over the kernels, of medians of ratios of the same round."""

    value: float
    ci95: Interval

    @property
    def is_sure(self) -> bool:
        """Whether its interval is no wider than itself."""
        return is_sure(self.value, self.ci95)

    @property
    def told(self) -> str:
        """Returns it for a sentence."""
        return with_interval(self.value, self.ci95)


def over(result: Any, runtime: str, other: str = SERIAL) -> Optional[Mean]:
    """Returns how many times as fast as the other one the runtime is, None without all kernels."""
    return _mean([_ratios(result, case, runtime, other) for case in KERNELS])


def of_bound(result: Any, runtime: str) -> Optional[Mean]:
    """Returns the speedup as a share of what the floor of the same round lets any runtime have."""
    from finegrain_lab.show.statistics import bound

    per_round = len(result.floor_samples) // result.rounds  # every round measures it as often
    starts = range(0, per_round * result.rounds, per_round)
    floors = [median(result.floor_samples[at : at + per_round]) for at in starts]
    shares = []
    for case in KERNELS:
        speedups = _ratios(result, case, runtime, SERIAL)
        serial = result.row(case=case, runtime=SERIAL)
        if serial is None or len(speedups) != len(floors):
            return None
        bounds = map(bound, serial.samples, floors)
        shares.append([speedup / most for speedup, most in zip(speedups, bounds)])
    return _mean(shares)


@dataclass(frozen=True)
class Summary:
    """A runtime over all kernels."""

    speedup: Mean
    no_negative: float  # the same where a slowdown counts as serial
    offloaded_share: float


def summaries_of(result: Any) -> Dict[str, Summary]:
    """Returns those of the runtimes that have all kernels."""
    from finegrain_lab.show.statistics import geometric_mean_no_negative

    found = {}
    for name in result.runtimes:
        if speedup := over(result, name):
            rows = _kernel_rows(result, name)
            found[name] = Summary(
                speedup,
                geometric_mean_no_negative(row.speedup for row in rows),
                mean(row.offloaded_share for row in rows),
            )
    return found


def bounds_of(result: Any) -> Dict[str, float]:
    """Returns the best speedup of each kernel if handing over costs the floor."""
    from finegrain_lab.show.statistics import bound

    serial = _kernel_rows(result, SERIAL)
    return {row.case: bound(row.ns, result.floor_ns) for row in serial}


def bound_of(result: Any) -> Optional[float]:
    """Returns their geometric mean, None without all kernels."""
    from finegrain_lab.show.statistics import geometric_mean

    bounds = bounds_of(result)
    return geometric_mean(bounds.values()) if len(bounds) == len(KERNELS) else None


def leads_of(result: Any) -> List[List[str]]:
    """Returns who leads on each kernel, over whom, and how far: their times of the same round.

    Where the host changes during a run, two runtimes' intervals over serial can overlap although
    one was faster in every round; this ratio shows it. Without the kernels on which nobody surely
    beats serial.
    """
    from finegrain_lab.show.measurements import measurements_of
    from finegrain_lab.show.serial import unbeaten_cases
    from finegrain_lab.show.statistics import median_ci

    unbeaten = {each.case for each in unbeaten_cases(measurements_of(RELIC_KERNELS, result))}
    leads = []
    for case in _of(KERNELS, result):
        rows = [row for row in result.rows_of(case=case) if row.runtime != SERIAL]
        ranked = sorted(rows, key=lambda row: row.speedup, reverse=True)
        if len(ranked) > 1 and case not in unbeaten:
            first, second = (row.runtime for row in ranked[:2])
            ratios = _ratios(result, case, first, second)
            if len(ratios) > 1:
                text = with_interval(median(ratios), median_ci(ratios))
                leads.append([case, first, second, text])
    return leads


def pays_from(result: Any, runtime: str) -> str:
    """Returns the task length from which on a runtime beats serial, or a dash."""
    from finegrain_lab.show.statistics import first_that_pays

    rows = [result.row(case=case, runtime=runtime) for case in _of(SPIN_CASES, result)]
    first = first_that_pays({row.case: row.speedup for row in rows if row})
    return first[len(SPIN) :] if first else NEVER


def _of(cases: Sequence[str], result: Any) -> List[str]:
    return [case for case in cases if case in result.cases]


def _kernel_rows(result: Any, runtime: str) -> List[Any]:
    return [row for row in result.rows_of(runtime=runtime) if row.case in KERNELS]


def _ratios(result: Any, case: str, runtime: str, other: str) -> List[float]:
    from finegrain_lab.show.measurements import ratios_of

    own, others = (result.row(case=case, runtime=name) for name in (runtime, other))
    return ratios_of(others.samples, own.samples) if own and others else []


def _mean(ratios: Sequence[Sequence[float]]) -> Optional[Mean]:
    return _mean_of(tuple(map(tuple, ratios))) if all(len(them) > 1 for them in ratios) else None


@lru_cache(maxsize=256)  # a table asks for the same ones several times, and a second each is long
def _mean_of(ratios: Tuple[Tuple[float, ...], ...]) -> Mean:
    from finegrain_lab.show import statistics

    value = statistics.geometric_mean(map(median, ratios))
    return Mean(value, statistics.geometric_mean_of_medians_ci(ratios))


# ---- what is shown


def _header(result: Any) -> List[str]:
    from finegrain_lab.show.ratios import flagged

    share = of_bound(result, "relic")
    if share is None:
        return []
    of_paper = over(result, "relic", "relic-paper")
    beside = f", {of_paper.told} of relic-paper" if of_paper else ""
    return [flagged(f"relic, pair by pair: {share.told} of the bound{beside}", result)]


def _footer(result: Any) -> List[str]:
    """Returns the words for the kernels' table, who leads, and how the peers are set up."""
    lines = []
    if _of(KERNELS, result):
        lines.append(
            "bound: 2t/(t+floor), t: a task; geomean, no neg.: over the kernels, with slowdowns "
            "as 1; shared: share of the tasks that the other thread ran"
        )
    if leads := leads_of(result):
        told = (f"{case} {first} {ratio} of {other}" for case, first, other, ratio in leads)
        lines.append(f"fastest runtime over the next, pair by pair: {'; '.join(told)}")
    by_settings: Dict[str, List[str]] = {}
    for runtime, environment in result.settings.environment.items():
        if environment:
            text = " ".join(f"{name}={value}" for name, value in environment.items())
            by_settings.setdefault(text, []).append(runtime)
    return lines + [f"{', '.join(names)}: {text}" for text, names in by_settings.items()]


def _sections(result: Any) -> List[Section]:
    kernels, spin = _of(KERNELS, result), _of(SPIN_CASES, result)
    sections = _kernel_sections(result, kernels) if kernels else []
    if spin:
        of_length: List[Part] = [_grain_figure(result, spin), _spin_table(result, spin)]
        sections.append(Section("From which length on it pays", of_length))
    alone = _statements(f"Section IV; {paper.MACHINE}", "kernel", task_times(result))
    built = Table(
        "compiler and flags",
        ["runtime", "compiler", "flags"],
        [[name, it["compiler"], it["flags"]] for name, it in result.settings.built.items()],
        names=3,
        on_terminal=False,
    )
    return [
        *sections,
        Section("One task alone", [alone]),
        Section("How the runtimes were built and set up", [built]),
    ]


def _kernel_sections(result: Any, kernels: Sequence[str]) -> List[Section]:
    bound = (
        "Bound: 2t/(t+floor), with t the time of one task and the floor that of one cache line "
        "there and back between the two CPUs, measured in the same run."
    )
    title, heads = "the fastest runtime over the next, pair by pair", ["kernel", "fastest", "next"]
    leads = Table(title, [*heads, "ratio"], leads_of(result), names=3, on_terminal=False)
    parts: List[Part] = [_kernel_table(result, kernels), bound, leads]
    sections = [Section("Speedup over serial", parts)]
    if peers := peers_of(result):
        caption = "Each peer on each kernel; the thin lines are the intervals."
        parts = [
            _kernel_figure(result, "peers", caption, peers),
            _statements("Section V of the paper", "geometric mean", averages(result)),
            *paper.STATEMENTS,
        ]
        sections.append(Section("Figure 1: the peers", parts))
    if relics := [name for name in OURS if name in result.runtimes]:
        caption = "relic is ours, relic-paper the paper's design to the letter."
        parts = [
            _kernel_figure(result, "relic", caption, relics),
            _statements("Section VII of the paper", "Relic", relic_lines(result)),
            _best_table(result),
        ]
        sections.append(Section("Figure 3: Relic", parts))
    if averaged := {name: it for name, it in summaries_of(result).items() if name != SERIAL}:
        title = "Abstract and section VII of the paper"
        parts = [
            _average_figure(averaged),
            _statements(title, "Relic\u2019s increase over", increases(result)),
        ]
        sections.append(Section("Figure 4: without negative outliers", parts))
    doubt = (
        "The paper's text does not say whether its increases are ratios of speedups or percentage "
        "points: for this machine the ratio is given, and the points in brackets."
    )
    return [*sections, Section("", [doubt])]


def _kernel_table(result: Any, kernels: Sequence[str]) -> Table:
    title = "speedup over serial, median of pairs"
    columns = {case: {"case": case} for case in kernels}
    shown = grid(result, title, "runtime", columns, _speedup_cell(result))
    bounds = [bounds_of(result).get(case) for case in kernels]
    heads, lines = list(shown.heads), [list(line) for line in shown.lines]
    lines.append(["bound", *("" if bound is None else f"{bound:.2f}" for bound in bounds)])
    if len(kernels) == len(KERNELS):
        heads += ["geomean", "no neg.", "shared"]
        bound = bound_of(result)
        means = _mean_cells(result)
        means.append(["" if bound is None else f"{bound:.3f}", "", ""])
        lines = [line + cells for line, cells in zip(lines, means)]
    for missing in result.missing:
        lines.append([f"{missing.runtime}\nnot installed", *["-"] * (len(heads) - 1)])
    return replace(shown, heads=heads, lines=lines, is_dense=True)


def _mean_cells(result: Any) -> List[List[AnyCell]]:
    """Returns a line of the means of each runtime."""
    summaries = summaries_of(result)
    sure = [it for it in summaries.values() if it.speedup.is_sure]
    best = _most(result, [it.speedup.value for it in sure])
    best_no_negative = _most(result, [it.no_negative for it in sure])

    def cells(it: Summary) -> List[AnyCell]:
        value, ci95, is_known = it.speedup.value, it.speedup.ci95, it.speedup.is_sure
        no_negative = f"{it.no_negative:.3f}" if is_known else UNSURE
        return [
            Cell(ratio_text(value, ci95, 3), ci95, 3, is_best=value == best),
            Cell(no_negative, is_best=is_known and it.no_negative == best_no_negative),
            f"{it.offloaded_share:.0%}",
        ]

    lines = map(summaries.get, result.runtimes)
    return [cells(summary) if summary else ["", "", ""] for summary in lines]


def _spin_table(result: Any, spin: Sequence[str]) -> Table:
    columns = {case[len(SPIN) :]: {"case": case} for case in spin}
    title = "speedup over serial of tasks of one length"
    shown = grid(result, title, "runtime", columns, _speedup_cell(result))
    lines = [[*line, pays_from(result, name)] for name, line in zip(result.runtimes, shown.lines)]
    return replace(shown, heads=[*shown.heads, "pays\nfrom"], lines=lines, is_dense=True)


def _speedup_cell(result: Any) -> Callable[[Any], AnyCell]:
    """Returns what makes a row's cell; the best of a case is that of what is known."""
    sure = [row for row in result.rows if is_sure(row.speedup, row.speedup_ci95)]
    best = {
        case: _most(result, [row.speedup for row in sure if row.case == case])
        for case in result.cases
    }

    def cell(row: Any) -> AnyCell:
        text = ratio_text(row.speedup, row.speedup_ci95)
        is_best = text != UNSURE and row.speedup == best[row.case]
        return Cell(text, row.speedup_ci95, is_best=is_best)

    return cell


def _most(result: Any, values: Sequence[float]) -> Optional[float]:
    """Returns the largest value of a column; where something else ran, none is the best."""
    return None if disturbance(result.beside) else max(values, default=None)


def peers_of(result: Any) -> List[str]:
    """Returns the measured runtimes that others made."""
    return [name for name in result.runtimes if name != SERIAL and name not in OURS]


def _kernel_figure(result: Any, name: str, caption: str, runtimes: Sequence[str]) -> Figure:
    series = [
        Series(
            runtime,
            [Point(it.case, it.speedup, *it.speedup_ci95) for it in _kernel_rows(result, runtime)],
            "bars",
        )
        for runtime in runtimes
    ]
    return Figure(
        *(name, caption, [*series, mark("serial", y=1)]),
        y=Axis("speedup over serial"),
        height_in=3.9,
        legend=3,
    )


def _average_figure(summaries: Mapping[str, Summary]) -> Figure:
    fastest_first = sorted(summaries.items(), key=lambda item: -item[1].no_negative)
    values = {name: it.no_negative for name, it in fastest_first}
    bars = [bar(name, value, text=f"{value:.2f}") for name, value in values.items()]
    label = "speedup over serial, geometric mean, slowdowns as 1"
    return Figure(
        "average",
        "A slowdown counts as serial: who profiles would not keep it.",
        [Series("geometric mean", bars, "bars"), mark("serial", x=1)],
        x=Axis(label, low=1, high=max(1.1, *values.values()) * 1.06),
        height_in=0.8 + 0.36 * len(bars),
    )


def _grain_figure(result: Any, spin: Sequence[str]) -> Figure:
    from finegrain_lab.show.statistics import bound

    tasks = {row.case: row.ns / 2 for row in result.rows_of(runtime=SERIAL) if row.case in spin}
    lines = [
        Series(
            runtime,
            [
                Point(tasks[row.case], row.speedup)
                for row in result.rows_of(runtime=runtime)
                if row.case in spin
            ],
        )
        for runtime in result.runtimes
        if runtime != SERIAL
    ]
    limits = [Point(task, bound(2 * task, result.floor_ns)) for task in tasks.values()]
    return Figure(
        "break-even",
        "A synthetic task of a chosen length instead of a kernel; above 1 it pays.",
        [
            *lines,
            Series("bound 2t/(t+floor)", limits, line=":", has_markers=False),
            mark("serial", y=1),
        ],
        **speedup_by_length("one task alone, ns"),
        height_in=4.4,
        legend=3,
    )


# ---- what the paper's text states, beside what is so here


def _statements(title: str, first: str, lines: List[Statement]) -> Statements:
    return Statements(title, first, lines, on_terminal=False)


def task_times(result: Any) -> List[Statement]:
    """Section IV: one instance of each kernel, alone."""
    serial = {row.case: f"{row.ns / 2000:.2f} µs" for row in result.rows_of(runtime=SERIAL)}
    return [Statement(it, f"{us} µs", serial.get(it, "")) for it, us in paper.TASK_US.items()]


def averages(result: Any) -> List[Statement]:
    """Section V: the peers' geometric means."""
    return _of_peers(lambda peer: peer.average, lambda runtime: _mean_gain(result, runtime))


def _of_peers(stated: Callable[[paper.Peer], float], here: Callable[[str], str]) -> List[Statement]:
    """Returns a statement on each, by the lab's name too where one stands for several."""
    return [
        Statement(name, signed(stated(peer)), here(runtime))
        for peer in paper.PEERS
        for runtime in peer.runtimes
        for name in [peer.name if len(peer.runtimes) == 1 else f"{peer.name}: {runtime}"]
    ]


def relic_lines(result: Any) -> List[Statement]:
    """Section VII: Relic alone."""
    bfs = result.row(case="bfs", runtime="relic")
    return [
        Statement("average", signed(paper.RELIC_AVERAGE), _mean_gain(result, "relic")),
        Statement("bfs", signed(paper.RELIC_BFS), _row_gain(bfs) if bfs else NOT_MEASURED),
    ]


def _best_table(result: Any) -> Table:
    """Section VII: the best peer of each kernel, and what Relic adds to it."""
    heads = ["paper:\nbest peer", "paper:\nRelic", "here:\nbest peer", "here:\nrelic (points)"]
    return Table(
        "Section VII: the best peer of each kernel, and Relic\u2019s increase over it",
        ["kernel", *heads],
        [
            [case, best.peer_text, best.increase_text, *best_here(result, case)]
            for case, best in paper.BESTS.items()
        ],
        names=3,
        on_terminal=False,
    )


def increases(result: Any) -> List[Statement]:
    """Figure 4: what Relic adds to each runtime's average without negative outliers."""
    summaries = summaries_of(result)

    def here(runtime: str) -> str:
        if "relic" not in summaries or runtime not in summaries:
            return NOT_MEASURED
        relic, peer = summaries["relic"], summaries[runtime]
        is_known = relic.speedup.is_sure and peer.speedup.is_sure
        return _increase(relic.no_negative, peer.no_negative) if is_known else UNSURE

    return _of_peers(lambda peer: peer.increase, here)


def _gain(speedup: float) -> str:
    """Returns a speedup as the paper writes it."""
    return signed(100 * (speedup - 1))


def _row_gain(row: Any) -> str:
    return _gain(row.speedup) if is_sure(row.speedup, row.speedup_ci95) else UNSURE


def _mean_gain(result: Any, runtime: str) -> str:
    speedup = over(result, runtime)
    if speedup is None:
        return NOT_MEASURED
    return _gain(speedup.value) if speedup.is_sure else UNSURE


def best_here(result: Any, case: str) -> Tuple[str, str]:
    """Returns the best peer of a kernel, and relic's increase over it."""
    rows = [row for name in peers_of(result) if (row := result.row(case=case, runtime=name))]
    if not rows:
        return NOT_MEASURED, ""
    best = max(rows, key=lambda row: row.speedup)
    relic = result.row(case=case, runtime="relic")
    return f"{_row_gain(best)} {best.runtime}", _increase_of(relic, best)


def _increase_of(relic: Any, best: Any) -> str:
    if relic is None:
        return NOT_MEASURED
    if not all(is_sure(row.speedup, row.speedup_ci95) for row in (relic, best)):
        return UNSURE
    if relic.speedup <= 1:
        return "no gain over serial"  # whoever is slower still
    return _increase(relic.speedup, best.speedup)


def _increase(ours: float, theirs: float) -> str:
    """Returns both readings of 'increases by': the ratio, and percentage points."""
    return f"{_gain(ours / theirs)} ({100 * (ours - theirs):+.1f})".replace("-", "\N{MINUS SIGN}")


def _compared(result: Any, row: Any) -> Compared:
    """Each over the serial process. relic is the headline; our others are the papers' designs."""
    serial = result.row(case=row.case, runtime=SERIAL)
    return Compared(
        *(row.case, row.runtime),
        is_default=row.runtime == OURS[0],
        over=serial if row.runtime != SERIAL else None,
        over_name=SERIAL if row.runtime != SERIAL else "",
        serial=serial,
    )


RELIC_KERNELS = Experiment(
    name="relic-kernels",
    title="the Relic paper's seven kernels, and tasks of a chosen length, on every runtime",
    heading="Two tasks of a microsecond, one handed over",
    intro=(
        "The experiment of the Relic paper (Los and Petushkov, 2024): one instance of a kernel is "
        "submitted as a task, the other runs on the main thread, then it waits."
    ),
    modes=MODES,
    plan=_plan,
    sample=Sample,
    numbers={"ns": lambda sample, _row: sample.ns},
    complaint=_complaint,
    is_vital=lambda slot: slot.runtime == SERIAL,
    ratios={"speedup": Ratio("ns", lambda row: row.but(runtime=SERIAL), is_inverse=True)},
    facts={
        "offloaded_share": Fact(
            float, lambda them, _row: sum(it.offloaded_share for it in them) / len(them)
        ),
        "iterations": Fact(int, lambda them, _row: int(median(it.iterations for it in them))),
        "main_cpu": Fact(int, lambda them, _row: them[-1].main_cpu),
        "task_cpus": Fact(
            List[int], lambda them, _row: sorted({cpu for it in them for cpu in it.task_cpus})
        ),
        "version": Fact(str, lambda them, _row: them[-1].version),
    },
    settings={
        "peers": str,
        "environment": Dict[str, Dict[str, str]],
        "built": Dict[str, Dict[str, str]],
        "spin_steps_per_us": Optional[float],
    },
    decides=lambda row, settings: row.case in KERNELS or not settings["has_kernels"],
    deciding="speedup",
    contents={"kernels": KERNELS, "spin": SPIN_CASES},
    options=frozenset({"--runtimes", "--cases", "--peers"}),
    header=_header,
    footer=_footer,
    sections=_sections,
    compared=_compared,
    migrate=_migrate,
)
