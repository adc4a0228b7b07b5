# SPDX-License-Identifier: Apache-2.0
"""What a parallel loop costs by its length and by that of its elements, over a serial loop."""

from __future__ import annotations

import statistics
from dataclasses import dataclass
from typing import Any, Callable, Dict, List, Mapping, NamedTuple, Optional, Sequence, Tuple

from finegrain_lab.experiments.with_pool import RELIC, chosen_runtimes
from finegrain_lab.run.errors import LabError
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
from finegrain_lab.run.modes import FULL_BUDGET_S, LEAST_ROUNDS, SURE_ROUNDS, Mode
from finegrain_lab.run.policies import POOL
from finegrain_lab.run.processes import Processes, ProcessFailed
from finegrain_lab.run.runtimes import SERIAL, Build, Cpus, cpu_list, environment_of
from finegrain_lab.run.samples import Samples, ratios_to_best
from finegrain_lab.show.figures import Axis, Figure, Point, Series, mark
from finegrain_lab.show.tables import (
    UNSURE,
    AnyCell,
    Cell,
    Interval,
    Section,
    Table,
    grid,
    is_sure,
    number,
    ratio,
    ratio_text,
)

# From where a loop is called. The pool's on one worker is called inside as well.
DEFAULT = "default"
INSIDE, OUTSIDE, ONE_WORKER = "inside", "outside", "one-worker"
CALLS = {POOL: (INSIDE, OUTSIDE, ONE_WORKER)}
ON_TWO = (INSIDE, OUTSIDE)


class Loop(NamedTuple):
    """A loop: how many elements, and what one takes in a serial loop."""

    elements: int
    element_ns: int

    @property
    def case(self) -> str:
        """Its name in the result."""
        return f"{self.elements}x{self.element_ns}ns"


ELEMENTS = (16, 100, 1_000, 10_000, 100_000, 1_000_000)
ELEMENTS_NS = (1, 8, 20, 50, 100)
LOOPS_BY_CASE = {
    loop.case: loop for ns in ELEMENTS_NS for count in ELEMENTS for loop in [Loop(count, ns)]
}
BRIEF = (100, 1_000, 100_000)  # elements, if the run is one of many
SHORT_CASES = ("1000x1ns", "1000x8ns")  # that have targets of their own

MODES = {
    "quick": Mode(
        name="quick",
        min_rounds=LEAST_ROUNDS,
        max_rounds=5,  # more is no longer quick
        budget_s=110,
        work={"batches": 3, "batch_us": 500, "warmup_ms": 10},
    ),
    "full": Mode(
        name="full",
        min_rounds=SURE_ROUNDS,
        max_rounds=60,  # past that the host's drift sets the interval
        budget_s=FULL_BUDGET_S,
        converged_half_width=0.02,
        converged_rounds=15,
        work={"batches": 5, "batch_us": 2000, "warmup_ms": 20},
    ),
}


@dataclass(frozen=True)
class Sample:
    """What `loops-RUNTIME` prints."""

    runtime: str
    calls: str
    elements: int
    element_ns: float
    steps: int  # of an element's chain
    ns: List[float]  # of a loop, a number a batch
    elsewhere: float  # share of the elements on another CPU than the calling thread's
    cpus: List[int]
    version: str
    note: str


def name_of(runtime: str, calls: str) -> str:
    """Returns a contestant's name."""
    return runtime if calls in (DEFAULT, INSIDE) else f"{runtime} ({calls})"


def slot_of(loop: Loop, runtime: str, calls: str = DEFAULT) -> Slot:
    """Returns the process of these."""
    return Slot.of(loop.case, runtime, calls=calls, **loop._asdict())


def _plan(request: Request) -> Plan:
    cpus, placement = choose_cpus(request.cpus)
    build, mode = request.build, request.mode
    cases = request.chosen_cases(list(LOOPS_BY_CASE))
    if request.is_brief:
        cases = [case for case in cases if LOOPS_BY_CASE[case].elements in BRIEF]
    runtimes = chosen_runtimes(request, "loops")
    programs = {name: _program(build, name) for name in runtimes}

    def command(slot: Slot, found: Found) -> Command:
        words = [
            *(programs[slot.runtime], "--elements", slot.elements),
            *("--element-ns", slot.element_ns, "--steps", found["steps"][str(slot.element_ns)]),
            *(("--calls", slot.calls) if slot.runtime in CALLS else ()),
            *("--batches", mode["batches"], "--batch-us", mode["batch_us"]),
            *("--warmup-ms", mode["warmup_ms"], "--cpus", cpu_list(cpus)),
        ]
        return Command(words, environment_of(slot.runtime, "tuned", cpus))

    return Plan(
        build=build,
        mode=mode,
        cpus=cpus,
        placement=placement,
        groups=[
            [
                slot_of(LOOPS_BY_CASE[case], name, calls)
                for name in runtimes
                for calls in CALLS.get(name, (DEFAULT,))
            ]
            for case in cases
        ],
        command=command,
        cases=cases,
        runtimes=runtimes,
        settings={"loops": {case: LOOPS_BY_CASE[case]._asdict() for case in cases}},
        missing=[Missing(it.name, it.how_to_get) for it in build.missing("loops")],
        notes={it.name: it.note for it in build.installed("loops") if it.name in runtimes},
        begin=lambda run: {"steps": _steps(run.processes, build, cpus, cases)},
    )


def _program(build: Build, runtime: str) -> Any:
    return build.program(build.manifest.loops / f"loops-{runtime}")


def _steps(processes: Processes, build: Build, cpus: Cpus, cases: Sequence[str]) -> Dict[str, int]:
    """Returns the steps of an element of each length, the same for all processes of a run."""
    lengths = dict.fromkeys(LOOPS_BY_CASE[case].element_ns for case in cases)
    program = _program(build, SERIAL)
    options = ("--batches", 1, "--warmup-ms", 0, "--cpus", cpu_list(cpus))
    try:
        return {
            str(ns): processes.run(Command([program, "--element-ns", ns, *options]), Sample).steps
            for ns in lengths
        }
    except ProcessFailed as error:
        raise LabError(f"the elements cannot be calibrated: {error}") from error


def _complaint(sample: Sample, slot: Slot, plan: Plan) -> str:
    asked = (slot.runtime, slot.calls, slot.elements, slot.element_ns)
    if (sample.runtime, sample.calls, sample.elements, sample.element_ns) != asked:
        return "answered with a sample of something else"
    if len(sample.ns) != plan.mode["batches"]:
        return f"gave other than {plan.mode['batches']} batches"
    return "" if min(sample.ns) > 0 else "gave a time that is not positive"


def _serial_of(row: Slot) -> Slot:
    return row.but(runtime=SERIAL, calls=DEFAULT)


def _one_worker_of(row: Slot) -> Optional[Slot]:
    return row.but(calls=ONE_WORKER) if row.calls == INSIDE else None


def _of_best_peer(samples: Samples, row: Slot) -> Mapping[int, float]:
    """Returns its time over that of the peer whose median is the least in this case."""
    if is_peer(row.runtime) or row.runtime == SERIAL:
        return {}
    same = (it for it in samples.by_row if it.case == row.case)
    return ratios_to_best(samples, row, (it for it in same if is_peer(it.runtime)))


def is_peer(runtime: str) -> bool:
    """Says whether it is neither ours nor the serial loop."""
    return runtime not in (SERIAL, RELIC, POOL)


# ---- targets


@dataclass(frozen=True)
class Target:
    """What the pool's loops are to reach, on two workers."""

    what: str
    loops: Callable[[Loop], bool]  # of which
    value: Callable[[Any, Any], Optional[Tuple[float, Interval]]]  # of a result's row
    bound: float
    is_least: bool = False  # the bound, else the most

    def verdict(self, ci95: Interval) -> str:
        """Says whether the interval is on the right side; open if it is on both."""
        within = [(end >= self.bound) if self.is_least else (end <= self.bound) for end in ci95]
        return "held" if all(within) else "open" if any(within) else "missed"


def _times(name: str) -> Callable[[Any, Any], Optional[Tuple[float, Interval]]]:
    def value(_result: Any, row: Any) -> Optional[Tuple[float, Interval]]:
        return None if row[name] is None else (row[name], row[f"{name}_ci95"])

    return value


def _speed(_result: Any, row: Any) -> Optional[Tuple[float, Interval]]:
    """Returns serial's time over its own."""
    if row.of_serial is None:
        return None
    low, high = row.of_serial_ci95
    return 1 / row.of_serial, (1 / high, 1 / low)


def _extra_ns(result: Any, row: Any) -> Optional[Tuple[float, Interval]]:
    """Returns the nanoseconds an element by which it is longer than the serial loop."""
    serial = result.row(case=row.case, runtime=SERIAL)
    if serial is None or row.of_serial is None:
        return None
    element_ns = serial.ns / row.elements
    low, high = ((of_serial - 1) * element_ns for of_serial in row.of_serial_ci95)
    return (row.of_serial - 1) * element_ns, (low, high)


TARGETS = (
    Target(
        "≥ 0.96 of serial's speed, from 50 ns",
        *(lambda loop: loop.element_ns >= 50, _speed, 0.96, True),
    ),
    Target(
        "≥ 0.90 of serial's speed, 20 ns",
        *(lambda loop: loop.element_ns == 20, _speed, 0.90, True),
    ),
    Target(
        "≤ 2 ns an element beyond serial, below 20 ns",
        *(lambda loop: loop.element_ns < 20, _extra_ns, 2.0),
    ),
    Target(
        "≤ 1 of the time on one worker, inside", lambda _loop: True, _times("of_one_worker"), 1.0
    ),
    Target(
        "≤ 1.05 of serial's time, 1000 of 1 and 8 ns",
        *(lambda loop: loop.case in SHORT_CASES, _times("of_serial"), 1.05),
    ),
    Target(
        "≤ 1 of the fastest peer's time, the same",
        *(lambda loop: loop.case in SHORT_CASES, _times("of_best_peer"), 1.0),
    ),
)


def target_line(target: Target, result: Any) -> Optional[List[AnyCell]]:
    """Returns how many loops reach it and the one that is farthest from it; None without any."""
    found = [
        (*value, f"{row.case}, {row.calls}")
        for row in result.rows_of(runtime=POOL)
        if row.calls in ON_TWO and target.loops(LOOPS_BY_CASE[row.case])
        if (value := target.value(result, row))
    ]
    if not found:
        return None
    verdicts = [target.verdict(ci95) for _value, ci95, _where in found]
    farthest, ci95, where = (min if target.is_least else max)(found, key=lambda it: it[0])
    counts = [f"{verdicts.count(it)}" for it in ("held", "open", "missed")]
    return [target.what, *counts, Cell(f"{farthest:.2f}", ci95), where]


def _targets(result: Any) -> Table:
    return Table(
        "targets of the pool on two workers, loops inside and outside of run",
        ["target", "held", "open", "missed", "farthest", "where"],
        [line for target in TARGETS if (line := target_line(target, result))],
    )


# ---- what is shown


def _lines(result: Any) -> Dict[str, Dict[str, str]]:
    return {
        name_of(name, calls): {"runtime": name, "calls": calls}
        for name in result.runtimes
        for calls in CALLS.get(name, (DEFAULT,))
    }


def _by_elements(result: Any, element_ns: int) -> Dict[str, Dict[str, str]]:
    """Returns the columns of this length of an element, of the loops that were measured."""
    return {
        f"{count:,}": {"case": case}
        for count in ELEMENTS
        if (case := Loop(count, element_ns).case) in result.cases
    }


def _sections(result: Any) -> List[Section]:
    lengths = [ns for ns in ELEMENTS_NS if _by_elements(result, ns)]
    over_serial = _tables(result, lengths, "time over serial's, paired", ratio("of_serial"))
    times = _tables(result, lengths, "ns a loop", number("ns"), on_terminal=False)
    elsewhere = _tables(
        *(result, lengths, "elements on the other CPU", lambda row: f"{row.elsewhere:.0%}"),
        on_terminal=False,
    )
    return [
        Section("Loops by length", [*(_figure(result, ns) for ns in lengths), *over_serial]),
        Section("Targets", [_targets(result)]),
        Section("All loops", [*times, *elsewhere]),
    ]


def _tables(
    result: Any,
    lengths: Sequence[int],
    what: str,
    cell: Callable[[Any], AnyCell],
    *,
    on_terminal: bool = True,
) -> List[Table]:
    """Returns a table a length of an element."""
    return [
        grid(
            result,
            f"{what}: {ns} ns an element, by elements",
            "runtime",
            _by_elements(result, ns),
            cell,
            _lines(result),
            on_terminal,
        )
        for ns in lengths
    ]


def _figure(result: Any, element_ns: int) -> Figure:
    strokes = {OUTSIDE: "--", ONE_WORKER: ":"}
    series = []
    for name, fields in _lines(result).items():
        points = [
            Point(row.elements, speed, *ends)
            for row in result.rows_of(element_ns=element_ns, **fields)
            if (found := _speed(result, row))
            for speed, ends in [found]
        ]
        like, line = fields["runtime"], strokes.get(fields["calls"], "-")
        series += [Series(name, points, like=like, line=line)] if like != SERIAL else []
    return Figure(
        f"speed-{element_ns}ns",
        f"Speed of a loop over the serial one by its elements, {element_ns} ns each. Above 1 the "
        "runtime pays; 2 is the bound.",
        [*series, mark(SERIAL, y=1)],
        x=Axis("elements", "log", {count: f"{count:,}" for count in ELEMENTS}),
        y=Axis("speed over serial's", "log"),
        height_in=5.0,
        legend=2,
    )


def _header(result: Any) -> List[str]:
    """Returns how the pool's shortest loops stand, a line each."""
    from finegrain_lab.show.ratios import flagged

    return [
        flagged(
            f"{name_of(POOL, calls)}, {row.elements:,} elements of {row.element_ns} ns: "
            f"{row.ns:,.0f} ns, {ratio_text(row.of_serial, row.of_serial_ci95)} of serial"
            f"{_beside_peer(row)}",
            result,
        )
        for case in SHORT_CASES
        for calls in ON_TWO
        if (row := result.row(case=case, runtime=POOL, calls=calls))
    ]


def _beside_peer(row: Any) -> str:
    if row.of_best_peer is None:
        return ""
    text = ratio_text(row.of_best_peer, row.of_best_peer_ci95)
    is_known = is_sure(row.of_best_peer, row.of_best_peer_ci95)
    return f", {text if is_known else UNSURE} of the fastest peer"


def _compared(result: Any, row: Any) -> Compared:
    serial = result.row(case=row.case, runtime=SERIAL)
    return Compared(
        row.case,
        name_of(row.runtime, row.calls),
        is_default=row.runtime == POOL and row.calls in ON_TWO,
        over=serial,
        serial=serial,
    )


LOOPS = Experiment(
    name="loops",
    title="a parallel loop of 16 to a million elements of 1 to 100 ns, over a serial one",
    heading="Loops: from which length sharing pays",
    intro=(
        "One loop over and over on two CPUs. An element is a chain of dependent steps that ends in "
        "a result of its own; its steps are chosen so that it takes that long in a serial loop, "
        "and are the same on every runtime. The pool's loops are called inside of one run, each "
        "from outside, and inside on a pool of one worker. OpenMP's runtimes open a region for "
        "each loop, with a static schedule and threads that wait actively; oneTBB has its static "
        "partitioner, Taskflow a graph that is built once and run on a worker, rayon a parallel "
        "iterator over the range. The last loop of each batch is checked, element by element."
    ),
    modes=MODES,
    plan=_plan,
    sample=Sample,
    numbers={"ns": lambda sample, _row: statistics.median(sample.ns)},
    complaint=_complaint,
    is_vital=lambda slot: slot.runtime == SERIAL,
    others={"calls": str, "elements": int, "element_ns": int},
    ratios={
        "of_serial": Ratio("ns", _serial_of),
        "of_one_worker": Ratio("ns", _one_worker_of),
        "of_best_peer": Ratio(of=_of_best_peer),
    },
    facts={
        "elsewhere": Fact(
            float, lambda samples, _row: statistics.median(it.elsewhere for it in samples)
        ),
    },
    settings={"loops": Dict[str, Dict[str, int]], "steps": Dict[str, int]},
    told=lambda slot: f"{name_of(slot.runtime, slot.calls)}, {slot.case}",
    where=lambda slot: (
        slot.case if slot.calls in (DEFAULT, INSIDE) else f"{slot.case}, {slot.calls}"
    ),
    decides=lambda slot, _settings: slot.runtime == POOL and slot.calls in ON_TWO,
    deciding="of_serial",
    contents={
        "length": [f"{count:,}" for count in ELEMENTS],
        "element": [f"{ns}ns" for ns in ELEMENTS_NS],
    },
    options=frozenset({"--runtimes", "--cases"}),
    header=_header,
    sections=_sections,
    compared=_compared,
)
