# SPDX-License-Identifier: Apache-2.0
"""From which grain on handing over pays, and whether the controller knows it.

Pairs of spin kernels of chosen lengths, and call sites whose length changes. A process measures a
site: serial, always and adaptive in turns, and so it gives all rows of its points.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from statistics import mean, median
from typing import Any, Dict, List, Optional, Sequence

from finegrain_lab.run.experiment import (
    Command,
    Compared,
    Experiment,
    Fact,
    Plan,
    Ratio,
    Request,
    Slot,
)
from finegrain_lab.run.host import choose_cpus
from finegrain_lab.run.instruments import spin_steps_per_us
from finegrain_lab.run.modes import FULL_BUDGET_S, LEAST_ROUNDS, SURE_ROUNDS, Mode, by_name
from finegrain_lab.run.runtimes import SERIAL, cpu_list
from finegrain_lab.show.figures import Figure, Point, Series, mark, speedup_by_length
from finegrain_lab.show.tables import Section, Table, ratio, ratio_text

# Main's branch to the assistant's.
MEANING = {
    "1to1": "Both branches equally long",
    "1to4": "The assistant's branch four times the main thread's",
    "4to1": "The main thread's branch four times the assistant's",
}
GRAINS_NS = (10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000)  # of the shorter branch
CHANGES_NS = ((50, 2_000), (10, 10_000))  # from below every break-even to far above, and back
CHANGE = "change-"
ALWAYS, ADAPTIVE, ORACLE = "relic-always", "relic-adaptive", "oracle"
RUNTIMES = (ALWAYS, ADAPTIVE, ORACLE)
STYLES = {ALWAYS: "--", ADAPTIVE: "-", ORACLE: ":"}
# Closer than this the two arms are one: no decision between them is worth the name of wrong.
MARGIN = 0.04

# A process's batches are a multiple of three: each arm comes first equally often.
MODES = by_name(
    Mode(
        name="quick",
        work={
            "batches": 6,
            "batch_ms": 4,  # 100 calls even of 40 us, and short against the host's drift
        },
        min_rounds=LEAST_ROUNDS,
        max_rounds=40,  # more is no longer quick
        budget_s=115,  # 2.5 minutes with the intervals and the report
    ),
    Mode(
        name="full",
        work={"batches": 12, "batch_ms": 4},
        min_rounds=SURE_ROUNDS,
        max_rounds=80,  # past that the host's drift, not the count, sets the interval
        budget_s=FULL_BUDGET_S,
        converged_half_width=0.01,  # of the 4 % that the controller may lose
        converged_rounds=15,
    ),
)


@dataclass(frozen=True)
class Phase:
    """The batches of one grain: times are of one call, a number a batch."""

    grain_ns: float
    serial_ns: List[float]
    always_ns: List[float]
    adaptive_ns: List[float]
    adaptive_offloaded_share: List[float]
    calls: List[int]

    def of_calls(self, values: Sequence[float]) -> float:
        """Returns the mean over all calls of what has a number a batch.

        Not the median of the batches: that would leave out what the controller pays for learning
        and for exploring, which comes in few of them.
        """
        return sum(v * n for v, n in zip(values, self.calls)) / sum(self.calls)


@dataclass(frozen=True)
class Sample:
    """What `break-even` prints: a phase, or two where the grain changes."""

    ratio: str
    grain_ns: float
    change_to_ns: Optional[float]
    phases: List[Phase]
    round_trip_ns: Optional[float]
    main_cpu: int
    assistant_cpu: Optional[int]
    note: str = ""
    arm: str = ""  # whose times an oracle's row has; no process says it

    @property
    def task_cpus(self) -> List[int]:
        """Where tasks were seen."""
        return [] if self.assistant_cpu is None else [self.assistant_cpu]

    def at(self, row: Slot) -> Phase:
        """Returns the phase of the row's grain."""
        (found,) = (phase for phase in self.phases if phase.grain_ns == row.grain_ns)
        return found


def site(branches: str, grain_ns: float, change_to_ns: Optional[float] = None) -> Slot:
    """Returns a call site: what one process measures."""
    name = f"{branches}-{grain_text(grain_ns)}"
    if change_to_ns is not None:
        name = f"{CHANGE}{grain_text(grain_ns)}-{grain_text(change_to_ns)}"
    return Slot.of(name, ADAPTIVE, ratio=branches, grain_ns=grain_ns, change_to_ns=change_to_ns)


def grain_text(grain_ns: float) -> str:
    """Returns a length as the cases' names have it."""
    return f"{grain_ns / 1000:g}us" if grain_ns >= 1000 else f"{grain_ns:g}ns"


SITES = {
    it.case: it
    for it in (
        *(site(branches, grain_ns) for branches in MEANING for grain_ns in GRAINS_NS),
        *(site("1to1", *grains_ns) for grains_ns in CHANGES_NS),
    )
}


def rows_of(slot: Slot) -> List[Slot]:
    """Returns the rows of a site: of each grain that it has, serial and the two that hand over."""
    cases = dict.fromkeys(grains_of(slot), slot.case)
    if len(cases) > 1:
        cases = {grain: f"{case}/{grain_text(grain)}" for grain, case in cases.items()}
    return [
        Slot.of(case, runtime, ratio=slot.ratio, grain_ns=float(grain))
        for grain, case in cases.items()
        for runtime in (SERIAL, ALWAYS, ADAPTIVE)
    ]


def grains_of(slot: Slot) -> List[float]:
    """Returns the grain of a site, or the two between which it changes."""
    return [grain for grain in (slot.grain_ns, slot.change_to_ns) if grain is not None]


def _plan(request: Request) -> Plan:
    names = request.chosen_cases(list(SITES))
    cpus, placement = choose_cpus(request.cpus)
    build, mode = request.build, request.mode
    program = build.program(build.manifest.break_even)

    def command(slot: Slot, found: Any) -> Command:
        words = [program, "--ratio", slot.ratio, "--grain-ns", slot.grain_ns]
        words += ["--cpus", cpu_list(cpus), "--spin-steps-per-us", found["spin_steps_per_us"]]
        words += ["--batches", mode["batches"], "--batch-ms", mode["batch_ms"]]
        if slot.change_to_ns is not None:
            words += ["--change-to-ns", slot.change_to_ns]
        return Command(words)

    return Plan(
        build=build,
        mode=mode,
        cpus=cpus,
        placement=placement,
        groups=[[SITES[name] for name in names]],
        command=command,
        cases=list(dict.fromkeys(row.case for name in names for row in rows_of(SITES[name]))),
        runtimes=RUNTIMES,
        settings=mode.work,
        begin=lambda run: {"spin_steps_per_us": spin_steps_per_us(run.processes, build, cpus[0])},
    )


def _complaint(sample: Sample, slot: Slot, plan: Plan) -> str:
    of_site = (sample.ratio, sample.grain_ns, sample.change_to_ns)
    if of_site != (slot.ratio, slot.grain_ns, slot.change_to_ns):
        return "answered with a sample of another site"
    if [phase.grain_ns for phase in sample.phases] != grains_of(slot):
        return "answered with phases of other grains"
    for phase in sample.phases:
        positive: List[Any] = [phase.serial_ns, phase.always_ns, phase.adaptive_ns, phase.calls]
        batches = {len(values) for values in (*positive, phase.adaptive_offloaded_share)}
        if batches != {plan.mode["batches"]}:
            return f"gave other than {plan.mode['batches']} batches"
        if min(map(min, positive)) <= 0:
            return "gave a time or a count that is not positive"
    return ""


def _ns(sample: Sample, row: Slot) -> float:
    phase, arm = sample.at(row), sample.arm or row.runtime
    times = {SERIAL: phase.serial_ns, ALWAYS: phase.always_ns, ADAPTIVE: phase.adaptive_ns}
    return phase.of_calls(times[arm])


def _offloaded_share(samples: Sequence[Sample], row: Slot) -> float:
    if row.runtime != ADAPTIVE:
        return float((samples[0].arm or row.runtime) == ALWAYS)
    phases = [sample.at(row) for sample in samples]
    return mean(phase.of_calls(phase.adaptive_offloaded_share) for phase in phases)


def _serial_ns(samples: Sequence[Sample], row: Slot) -> float:
    phases = [sample.at(row) for sample in samples]
    return median(phase.of_calls(phase.serial_ns) for phase in phases)


def add_oracle(samples: Any, rows: List[Slot]) -> List[Slot]:
    """Adds to each point the better of serial and always, one arm for all of its rounds.

    Chosen by the median over the rounds of always' speedup. The better of the two in each batch, or
    in each round, would be another thing: where the arms are equal it picks whichever the noise
    favoured, every time anew, and is faster than both although nobody who must decide beforehand
    could be. One choice a point follows the noise of a median only: it can gain no more than that
    median's interval, and only where the arms lie closer than that. What is left flatters the
    oracle, not the controller that is held against it.
    """
    found = []
    for row in rows:
        found.append(row)
        if row.runtime == ADAPTIVE:
            always, oracle = row.but(runtime=ALWAYS), row.but(runtime=ORACLE)
            pays = median(samples.ratios(always, "speedup").values()) > 1
            arm = ALWAYS if pays else SERIAL
            samples.by_row[oracle] = {
                at: replace(sample, arm=arm) for at, sample in samples.by_row[always].items()
            }
            found.append(oracle)
    return found


def _summary(samples: Any) -> Dict[str, Any]:
    """Returns the controller's own round trip, the median of the processes."""
    every = [sample.round_trip_ns for sample in samples.of(samples.by_row)]
    known = [round_trip for round_trip in every if round_trip is not None]
    return {"round_trip_ns": median(known) if known else None}


def _migrate(said: Dict[str, Any]) -> Dict[str, Any]:
    """Returns what an older file says: it has no rows of serial's, only its times beside each."""
    from finegrain_lab.show.old_files import renamed

    settings = {"round_trip_ns": said.get("round_trip_ns"), **said["settings"]}
    return renamed({**said, "settings": settings}, {"ci95": "speedup_ci95"})


def steady(result: Any, branches: str, runtime: str) -> List[Any]:
    """Returns the rows of a ratio's sites that do not change, by grain."""
    rows = result.rows_of(ratio=branches, runtime=runtime)
    return [row for row in rows if not row.case.startswith(CHANGE)]


def break_evens(result: Any) -> Dict[str, Optional[float]]:
    """Returns for each ratio that was measured from which grain on always handing over pays."""
    from finegrain_lab.show.statistics import log_crossing

    found = {branches: steady(result, branches, ALWAYS) for branches in MEANING}
    return {
        branches: log_crossing({row.grain_ns: row.speedup for row in rows})
        for branches, rows in found.items()
        if rows
    }


def break_even_texts(result: Any) -> Dict[str, str]:
    """Returns the ratios' break-even grains in words."""
    texts = {}
    for branches, grain_ns in break_evens(result).items():
        least = steady(result, branches, ALWAYS)[0].grain_ns
        texts[branches] = "never, as far as measured" if grain_ns is None else f"{grain_ns:.0f} ns"
        if grain_ns is not None and grain_ns <= least:
            texts[branches] = f"{grain_text(least)} or less"
    return texts


def wrong_shares(result: Any) -> Dict[str, float]:
    """Returns the share of the controller's calls that the oracle would have decided otherwise.

    Only of the cases where serial and always differ by more than the margin.
    """
    found = {}
    for row in result.rows_of(runtime=ALWAYS):
        adaptive = result.row(case=row.case, runtime=ADAPTIVE)
        if adaptive and max(row.speedup, 1 / row.speedup) > 1 + MARGIN:
            share = adaptive.offloaded_share
            found[row.case] = 1 - share if row.speedup > 1 else share
    return found


def _header(result: Any) -> List[str]:
    """Returns the answers in a line each."""
    from finegrain_lab.show.ratios import flagged

    lines = []
    if texts := break_even_texts(result):
        found = "; ".join(f"{branches} {text}" for branches, text in texts.items())
        lines.append(f"handing over pays from (the shorter branch): {found}")
    if rows := [row for branches in MEANING for row in steady(result, branches, ADAPTIVE)]:
        serial = min(rows, key=lambda row: row.speedup)
        oracle = min(rows, key=lambda row: row.of_oracle or 0.0)
        lines.append(
            f"adaptive at its worst: {ratio_text(serial.speedup, serial.speedup_ci95)} of serial "
            f"({serial.case}), {ratio_text(oracle.of_oracle, oracle.of_oracle_ci95)} of the oracle "
            f"({oracle.case})"
        )
    if wrong := wrong_shares(result):  # each counts the same: short grains have far more calls
        worst = max(wrong, key=lambda case: wrong[case])
        most = f"; most in {worst}, {wrong[worst]:.2%}" if wrong[worst] > 0 else ""
        lines.append(
            f"wrong decisions: {mean(wrong.values()):.2%} over the {len(wrong)} cases where serial "
            f"and always differ by more than {MARGIN:.0%}{most}"
        )
    return [flagged(line, result) for line in lines]


def _sections(result: Any) -> List[Section]:
    texts = break_even_texts(result)
    sections = [
        Section(
            MEANING[branches],
            [
                f"Handing over pays from: {text} (the shorter branch).",
                _figure(result, branches),
                _table(result, branches, f"{branches}-"),
            ],
        )
        for branches, text in texts.items()
    ]
    table = _table(result, "sites whose grain changes", CHANGE)
    if table.lines:
        text = (
            "The same call site switches between two grains from batch to batch, so that the "
            "controller must decide anew; the batches right after a switch count like all others."
        )
        sections.append(Section("Sites whose grain changes", [text, table]))
    return sections


def _table(result: Any, what: str, start: str) -> Table:
    """Returns the table of the cases that start so; of a changing site only if it did not fail."""
    wrong = wrong_shares(result)
    speedup, of_oracle = ratio("speedup"), ratio("of_oracle")
    failed = {failure.case for failure in result.failed}
    lines = []
    for case in (case for case in result.cases if case.startswith(start)):
        if not result.rows_of(case=case) and case not in failed:
            continue
        adaptive = result.row(case=case, runtime=ADAPTIVE)
        lines.append(
            [
                case,
                result.at(lambda row: f"{row.serial_ns:.1f}", case=case, runtime=ADAPTIVE),
                *(result.at(speedup, case=case, runtime=runtime) for runtime in RUNTIMES),
                of_oracle(adaptive) if adaptive else "",
                f"{adaptive.offloaded_share:.1%}" if adaptive else "",
                f"{wrong[case]:.1%}" if case in wrong else "",
            ]
        )
    heads = ["case", "serial,\nns", "always", "adaptive", "oracle", "of the\noracle"]
    heads += ["handed\nover", "wrong\ndecisions"]
    return Table(f"{what}: speedup over serial", heads, lines, is_dense=True)


def _figure(result: Any, branches: str) -> Figure:
    """The three lines of one ratio, with the floor and the break-even grain."""
    lines = [
        Series(
            runtime,
            [
                Point(row.grain_ns, row.speedup, *row.speedup_ci95)
                for row in steady(result, branches, runtime)
            ],
            line=STYLES[runtime],
        )
        for runtime in RUNTIMES
    ]
    floor = result.floor_ns
    marks = [mark("serial", y=1), mark(f"floor {floor:.0f} ns", x=floor, line=":", is_named=True)]
    grain_ns = break_evens(result)[branches]
    if grain_ns is not None:
        name = f"break-even {grain_ns:.0f} ns"
        marks.append(mark(name, x=grain_ns, line="--", is_named=True))
    return Figure(
        f"grain-{branches}",
        f"{MEANING[branches]}: speedup by the length of the shorter branch; above 1 it pays. The "
        "thin lines are the intervals.",
        [*lines, *marks],
        **speedup_by_length("the shorter branch, ns"),
        height_in=4.2,
        legend=3,
    )


def _compared(result: Any, row: Any) -> Compared:
    """The controller over the oracle, always over serial, whose times old files lack.

    The oracle is over none: it is a copy of the row of one of its arms.
    """
    over = {ADAPTIVE: ORACLE, ALWAYS: SERIAL, ORACLE: SERIAL}.get(row.runtime, "")
    beside = result.row(case=row.case, runtime=over) if row.runtime != ORACLE else None
    return Compared(
        *(row.case, row.runtime),
        is_default=row.runtime == ADAPTIVE,
        over=beside,
        over_name=over,
    )


BREAK_EVEN = Experiment(
    name="break-even",
    title="speedup by grain of always handing over, of the controller, and of the better of two",
    heading="From which grain on handing over pays",
    intro=(
        "A call of fork_join with two branches of chosen lengths: run one after the other "
        "(serial), the second always handed over, or as the call site's controller decides "
        "(adaptive). The three run in turns in one process; a process gives one ratio, of the time "
        "of all its calls. The oracle is the better of serial and always at each point, by the "
        "median over all processes: one choice a point. The better of the two in every batch would "
        "follow the noise and be faster than anything that has to decide beforehand. A decision is "
        "counted as wrong where it is not the oracle's, and only where the two differ by more than "
        f"{MARGIN:.0%}."
    ),
    modes=MODES,
    plan=_plan,
    sample=Sample,
    numbers={"ns": _ns},
    complaint=_complaint,
    others={"ratio": str, "grain_ns": float},
    ratios={
        "speedup": Ratio("ns", lambda row: row.but(runtime=SERIAL), is_inverse=True),
        "of_oracle": Ratio(
            *("ns", lambda row: row.but(runtime=ORACLE) if row.runtime == ADAPTIVE else None),
            is_inverse=True,
        ),
    },
    facts={
        "serial_ns": Fact(float, _serial_ns),
        "offloaded_share": Fact(float, _offloaded_share),
    },
    rows_of=rows_of,
    add_rows=add_oracle,
    settings={
        "batches": int,
        "batch_ms": int,
        "spin_steps_per_us": float,
        "round_trip_ns": Optional[float],
    },
    summary=_summary,
    told=lambda slot: slot.case,
    noted=lambda _row: "relic",
    decides=lambda row, _settings: row.runtime != SERIAL,
    deciding="speedup",
    contents={
        word: [name for name in SITES if name.startswith(start)]
        for word, start in {**{it: f"{it}-" for it in MEANING}, "changes": CHANGE}.items()
    },
    options=frozenset({"--cases"}),
    header=_header,
    sections=_sections,
    compared=_compared,
    migrate=_migrate,
)
