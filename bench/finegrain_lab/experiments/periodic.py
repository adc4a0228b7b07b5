# SPDX-License-Identifier: Apache-2.0
"""What an answer costs when work comes in periods: audio callbacks, frames, ticks."""

from __future__ import annotations

import math
import statistics
from dataclasses import dataclass, replace
from typing import Any, Dict, List, Mapping, NamedTuple, Sequence

from finegrain_lab.experiments.with_pool import RELIC, chosen_runtimes
from finegrain_lab.run.experiment import (
    Command,
    Compared,
    Experiment,
    Fact,
    Found,
    Missing,
    Plan,
    Ratio,
    Request,
    Slot,
)
from finegrain_lab.run.host import choose_cpus
from finegrain_lab.run.instruments import spin_steps_per_us
from finegrain_lab.run.modes import LEAST_ROUNDS, SURE_ROUNDS, Mode
from finegrain_lab.run.runtimes import (
    OPENMP,
    SERIAL,
    cpu_list,
    environment_of,
    passive_environment_of,
)
from finegrain_lab.show.figures import Axis, Figure, Point, Series, mark
from finegrain_lab.show.tables import Cell, Section, Table, grid, ratio, ratio_text

# How a runtime's thread waits for the next tick. Relic's are options of its program, OpenMP's are
# its environment.
DEFAULT, SPINNING, HINTS = "default", "spinning", "hints"
PASSIVE, ACTIVE = "passive", "active"
WAITS = {RELIC: (DEFAULT, SPINNING, HINTS), **dict.fromkeys(OPENMP, (PASSIVE, ACTIVE))}

SEED = 2024  # of the jitter: all runtimes get the same ticks
BRIEF_MS = 300  # of ticks in a process, if the run is one of many


class Beat(NamedTuple):
    """How work comes: the microseconds from tick to tick, its length, and the ticks' jitter."""

    period_us: int
    work_us: int  # both halves
    jitter_percent: int  # of the period, early or late

    @property
    def case(self) -> str:
        """Its name in the result."""
        return f"{time_text(self.period_us)}-{self.work_us}us-{self.jitter_percent}%"


PERIODS_US = (100, 500, 2_000, 10_000, 100_000)
WORKS_US = (4, 16, 64, 200)
JITTERS_PERCENT = (0, 1, 20)
MIDDLE = Beat(2_000, 16, 1)  # the tables vary one of the three at a time
BEATS = [
    Beat(period_us, work_us, jitter)
    for period_us in PERIODS_US
    for work_us in WORKS_US
    if 2 * work_us <= period_us  # what has no time left to wait is not periodic
    for jitter in JITTERS_PERCENT
]
# Longer periods take most of a run's time: of these two, in the work of the tables.
FULL = [
    beat
    for beat in BEATS
    if beat.period_us <= MIDDLE.period_us
    or (beat.work_us == MIDDLE.work_us and beat.jitter_percent > 0)
]
QUICK = [
    *(MIDDLE._replace(period_us=period_us) for period_us in (500, 2_000, 10_000)),
    *(MIDDLE._replace(jitter_percent=jitter) for jitter in (0, 20)),
    MIDDLE._replace(work_us=64),
]

MODES = {
    "quick": Mode(
        name="quick",
        min_rounds=LEAST_ROUNDS,
        max_rounds=5,  # more is no longer quick
        budget_s=150,
        work={"beats": QUICK, "ticks_ms": 500, "most_answers": 1000, "least_answers": 5},
    ),
    # In three rounds 1000 answers and more to each beat up to 10 ms and 100 to those of 100 ms. All
    # beats would take an hour more, of sleeping: --cases has the rest.
    "full": Mode(
        name="full",
        min_rounds=LEAST_ROUNDS,
        max_rounds=SURE_ROUNDS,
        budget_s=17 * 60,
        work={"beats": FULL, "ticks_ms": 3400, "most_answers": 340, "least_answers": 5},
    ),
}


@dataclass(frozen=True)
class Sample:
    """What `periodic-RUNTIME` prints."""

    runtime: str
    waits: str
    period_us: int
    jitter_percent: float
    work_us: float
    ns: List[int]  # of each answer
    missed: int  # answers that had not ended by the time of the next tick
    burned_share: float  # CPU time besides the work, of one CPU
    elsewhere: float  # share of the tasks that ran on another thread
    work_ns: float  # both halves, one after the other
    main_cpu: int
    task_cpus: List[int]
    version: str
    note: str


def time_text(us: int) -> str:
    """Returns a length of time for a reader."""
    return f"{us / 1000:g}ms" if us >= 1000 else f"{us}us"


def name_of(runtime: str, waits: str) -> str:
    """Returns a contestant's name."""
    return runtime if waits == DEFAULT else f"{runtime} ({waits})"


def quantile(values: Sequence[int], share: float) -> int:
    """Returns the least value that this share of at least one value does not exceed."""
    return sorted(values)[math.ceil(share * len(values)) - 1]


def slot_of(beat: Beat, runtime: str, waits: str = DEFAULT) -> Slot:
    """Returns the process of these."""
    return Slot.of(beat.case, runtime, waits=waits, **beat._asdict())


def answers_of(mode: Mode, period_us: int) -> int:
    """Returns how many answers a process gives at this period."""
    fitting: int = mode["ticks_ms"] * 1000 // period_us
    return max(int(mode["least_answers"]), min(int(mode["most_answers"]), fitting))


def warmup_of(answers: int) -> int:
    """Returns how many ticks come before those: 20, or fewer where they are long."""
    return min(20, max(3, answers // 5))


def _plan(request: Request) -> Plan:
    cpus, placement = choose_cpus(request.cpus)
    build, mode = request.build, request.mode
    beats = {beat.case: beat for beat in BEATS}
    cases = request.chosen_cases(list(beats))
    if request.cases is None:
        cases = [beat.case for beat in mode["beats"]]
    if request.is_brief:
        mode = replace(mode, work={**mode.work, "ticks_ms": BRIEF_MS})
        cases = [case for case in cases if beats[case] == middle_at(beats[case].period_us)]
    runtimes = chosen_runtimes(request, "periodic")
    programs = {
        name: build.program(build.manifest.periodic / f"periodic-{name}") for name in runtimes
    }

    def command(slot: Slot, found: Found) -> Command:
        answers = answers_of(mode, slot.period_us)
        words = [
            *(programs[slot.runtime], "--period-us", slot.period_us),
            *("--work-us", slot.work_us, "--jitter-percent", slot.jitter_percent),
            *("--answers", answers, "--warmup", warmup_of(answers), "--seed", SEED),
            *(("--waits", slot.waits) if slot.runtime == RELIC else ()),
            *("--spin-steps-per-us", found["spin_steps_per_us"], "--cpus", cpu_list(cpus)),
        ]
        if slot.waits == PASSIVE:
            return Command(words, passive_environment_of(slot.runtime, cpus))
        return Command(words, environment_of(slot.runtime, "tuned", cpus))

    return Plan(
        build=build,
        mode=mode,
        cpus=cpus,
        placement=placement,
        groups=[
            [
                slot_of(beats[case], name, waits)
                for name in runtimes
                for waits in WAITS.get(name, (DEFAULT,))
            ]
            for case in cases
        ],
        command=command,
        cases=cases,
        runtimes=runtimes,
        settings={
            "beats": {case: beats[case]._asdict() for case in cases},
            "answers_per_process": {
                case: answers_of(mode, beats[case].period_us) for case in cases
            },
            "seed": SEED,
        },
        missing=[Missing(it.name, it.how_to_get) for it in build.missing("periodic")],
        notes={it.name: it.note for it in build.installed("periodic") if it.name in runtimes},
        begin=lambda run: {"spin_steps_per_us": spin_steps_per_us(run.processes, build, cpus[0])},
    )


def _complaint(sample: Sample, slot: Slot, plan: Plan) -> str:
    waits = slot.waits if slot.runtime == RELIC else DEFAULT
    if (
        *(sample.runtime, sample.waits, sample.period_us),
        *(sample.work_us, sample.jitter_percent),
    ) != (slot.runtime, waits, slot.period_us, slot.work_us, slot.jitter_percent):
        return "answered with a sample of something else"
    answers = answers_of(plan.mode, slot.period_us)
    if len(sample.ns) != answers:
        return f"gave other than {answers} answers"
    return "" if min(sample.ns) > 0 else "gave a time that is not positive"


def middle_at(period_us: int) -> Beat:
    """Returns the beat of the figure at this period."""
    return MIDDLE._replace(period_us=period_us)


def _header(result: Any) -> list[str]:
    """Returns relic's answer as it comes and always spinning, a line each."""
    from finegrain_lab.show.ratios import flagged

    rows = [
        result.row(case=MIDDLE.case, runtime=RELIC, waits=waits) for waits in (DEFAULT, SPINNING)
    ]
    return [
        flagged(
            f"{name_of(row.runtime, row.waits)}, {time_text(row.work_us)} of work every "
            f"{time_text(row.period_us)}: {row.median_ns / 1000:.1f} µs, "
            f"{ratio_text(row.of_serial, row.of_serial_ci95)} of serial, "
            f"{share_text(row.burned_share)} of a CPU burned",
            result,
        )
        for row in rows
        if row
    ]


def share_text(share: float) -> str:
    """Returns a share to two digits at least; what is below the clocks' noise is 0."""
    return f"{share:.0%}" if share >= 0.1 else f"{max(share, 0.0):.1%}"


def microseconds(name: str) -> Any:
    """Returns what makes a cell of this number of a row, which is of nanoseconds."""

    def cell(row: Any) -> Cell:
        low, high = row[f"{name}_ci95"]
        return Cell(f"{row[name] / 1000:.1f}", (low / 1000, high / 1000), 1)

    return cell


def _sections(result: Any) -> list[Section]:
    by_period = _columns(result, {time_text(us): middle_at(us) for us in PERIODS_US})
    by_work = _columns(result, {f"{us}us": MIDDLE._replace(work_us=us) for us in WORKS_US})
    by_jitter = _columns(
        result, {f"{share}%": MIDDLE._replace(jitter_percent=share) for share in JITTERS_PERCENT}
    )
    given = f"{MIDDLE.work_us}us of work, jitter {MIDDLE.jitter_percent}%"
    every = f"every {time_text(MIDDLE.period_us)}"
    tables = [
        _table(result, f"median answer over serial's, paired: {given}", by_period, "of_serial"),
        _table(result, f"99th percentile over serial's: {given}", by_period, "p99_of_serial"),
        _table(result, f"median over spinning relic's: {given}", by_period, "of_spinning"),
        _of_cells(
            *(result, f"CPU burned besides the work, share of one CPU: {given}", by_period),
            lambda row: Cell(share_text(row.burned_share)),
        ),
        _of_cells(
            *(result, f"median answer, µs: {given}", by_period, microseconds("median_ns")),
        ),
        _table(
            *(result, f"median over serial's: {every}, jitter {MIDDLE.jitter_percent}%, by work"),
            *(by_work, "of_serial"),
        ),
        _table(
            *(result, f"median over serial's: {MIDDLE.work_us}us of work {every}, by jitter"),
            *(by_jitter, "of_serial"),
        ),
    ]
    whole = [table for table in _whole(result) if table.lines]
    return [
        Section("Answers by period, work and jitter", [_figure(result), *tables]),
        Section("All answers", whole),
    ]


def _whole(result: Any) -> list[Table]:
    """Returns every number of every case, for the page."""
    cells: Mapping[str, Any] = {
        "median, µs": microseconds("median_ns"),
        "over serial": ratio("of_serial"),
        "p99, µs": microseconds("p99_ns"),
        "p99.9, µs": lambda row: f"{row.p999_ns / 1000:.1f}",
        "missed": lambda row: f"{row.missed / row.answers:.1%}",
        "elsewhere": lambda row: f"{row.elsewhere:.0%}",
        "CPU burned": lambda row: share_text(row.burned_share),
        "answers": lambda row: str(row.answers),
    }
    return [
        Table(
            f"{time_text(beat['work_us'])} of work every {time_text(beat['period_us'])}, "
            f"jitter {beat['jitter_percent']}%",
            ["runtime", *cells],
            [
                [name, *(result.at(cell, case=case, **fields) for cell in cells.values())]
                for name, fields in _lines(result).items()
            ],
            on_terminal=False,
        )
        for case, beat in result.settings.beats.items()
    ]


def _columns(result: Any, beats: Mapping[str, Beat]) -> Dict[str, Dict[str, str]]:
    """Returns the columns of these beats, of those that were measured."""
    return {name: {"case": it.case} for name, it in beats.items() if it.case in result.cases}


def _table(result: Any, title: str, columns: Mapping[str, Any], name: str) -> Table:
    return _of_cells(result, title, columns, ratio(name))


def _of_cells(result: Any, title: str, columns: Mapping[str, Any], cell: Any) -> Table:
    return grid(result, title, "runtime", columns, cell, _lines(result))


def _lines(result: Any) -> Dict[str, Dict[str, str]]:
    return {
        name_of(name, waits): {"runtime": name, "waits": waits}
        for name in result.runtimes
        for waits in WAITS.get(name, (DEFAULT,))
    }


def _figure(result: Any) -> Figure:
    periods_us = [us for us in PERIODS_US if middle_at(us).case in result.cases]
    strokes = {SPINNING: ":", HINTS: "--", PASSIVE: "--"}
    series = [
        Series(
            name,
            [
                Point(row.period_us, row.of_serial, *row.of_serial_ci95)
                for row in result.rows_of(
                    work_us=MIDDLE.work_us, jitter_percent=MIDDLE.jitter_percent, **fields
                )
                if row.of_serial is not None
            ],
            like=fields["runtime"],
            line=strokes.get(fields["waits"], "-"),
        )
        for name, fields in _lines(result).items()
        if fields["runtime"] != SERIAL
    ]
    return Figure(
        "answers",
        f"Median answer over that of the serial program, by period; {MIDDLE.work_us} µs of work in "
        f"two halves, jitter {MIDDLE.jitter_percent} % of the period. Below 1 the runtime pays; a "
        "half is the bound.",
        [*series, mark(SERIAL, y=1)],
        x=Axis("period, µs", "log", {period_us: f"{period_us:,}" for period_us in periods_us}),
        y=Axis("median answer over serial's", "log"),
        height_in=5.0,
        legend=2,
    )


def _compared(result: Any, row: Any) -> Compared:
    serial = result.row(case=row.case, runtime=SERIAL)
    return Compared(
        row.case,
        name_of(row.runtime, row.waits),
        is_default=(row.runtime, row.waits) == (RELIC, DEFAULT),
        over=serial,
        serial=serial,
    )


def _serial_of(row: Slot) -> Slot:
    return row.but(runtime=SERIAL, waits=DEFAULT)


PERIODIC = Experiment(
    name="periodic",
    title="what an answer costs when work comes in periods, and the CPU time burned in between",
    heading="Periodic work: what an answer costs",
    intro=(
        "A thread sleeps until a tick comes, as in an audio callback or a frame. Then half of its "
        "work is a task, it does the other half itself and waits for the task: the answer. Its "
        "time begins when the thread is awake. Relic is measured as it comes, with a wait policy "
        "that always spins, and with wake_up_hint as soon as the thread is awake and sleep_hint "
        "after the answer; OpenMP's runtimes with OMP_WAIT_POLICY=passive and active. An answer is "
        "missed if it has not ended by the next tick. CPU time that is neither half of the work is "
        "burned, the serial program's own sleeps included."
    ),
    modes=MODES,
    plan=_plan,
    sample=Sample,
    numbers={
        "median_ns": lambda sample, _row: statistics.median(sample.ns),
        "p99_ns": lambda sample, _row: quantile(sample.ns, 0.99),
        "burned_share": lambda sample, _row: sample.burned_share,
    },
    complaint=_complaint,
    is_vital=lambda slot: slot.runtime == SERIAL,
    others={"waits": str, "period_us": int, "work_us": int, "jitter_percent": int},
    ratios={
        "of_serial": Ratio("median_ns", _serial_of),
        "of_spinning": Ratio("median_ns", lambda row: row.but(runtime=RELIC, waits=SPINNING)),
        "p99_of_serial": Ratio("p99_ns", _serial_of),
    },
    facts={  # of all processes
        "p999_ns": Fact(
            int, lambda samples, _row: quantile([ns for it in samples for ns in it.ns], 0.999)
        ),
        "answers": Fact(int, lambda samples, _row: sum(len(it.ns) for it in samples)),
        "missed": Fact(int, lambda samples, _row: sum(it.missed for it in samples)),
        "elsewhere": Fact(
            float, lambda samples, _row: statistics.fmean(it.elsewhere for it in samples)
        ),
        "work_ns": Fact(
            float, lambda samples, _row: statistics.median(it.work_ns for it in samples)
        ),
    },
    settings={
        "beats": Dict[str, Dict[str, int]],
        "answers_per_process": Dict[str, int],
        "seed": int,
        "spin_steps_per_us": float,
    },
    told=lambda slot: f"{name_of(slot.runtime, slot.waits)}, {slot.case}",
    where=lambda slot: slot.case if slot.waits == DEFAULT else f"{slot.case}, {slot.waits}",
    contents={
        "periods": [time_text(period_us) for period_us in PERIODS_US],
        "work": [time_text(work_us) for work_us in WORKS_US],
        "jitter": [f"{share}%" for share in JITTERS_PERCENT],
    },
    options=frozenset({"--runtimes", "--cases"}),
    header=_header,
    sections=_sections,
    compared=_compared,
)
