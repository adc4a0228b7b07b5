# SPDX-License-Identifier: Apache-2.0
"""Queues between two threads: latency and throughput of single-producer rings and of a mutex.

The paper's statements: P. Nookala, K. Chard, I. Raicu, "X-OpenMP - eXtreme fine-grained tasking
using lock-less work stealing", 2024, section 2.2.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Callable, Dict, List

from finegrain_lab.experiments import cycles
from finegrain_lab.run.errors import LabError
from finegrain_lab.run.experiment import (
    Command,
    Compared,
    Experiment,
    Missing,
    Plan,
    Ratio,
    Request,
    Slot,
)
from finegrain_lab.run.host import choose_cpus
from finegrain_lab.run.processes import Processes, ProcessFailed
from finegrain_lab.run.runtimes import Build, cpu_list
from finegrain_lab.show.figures import Axis, Figure, Series, bar
from finegrain_lab.show.tables import (
    Cell,
    Section,
    Statement,
    Statements,
    grid,
    number,
    number_text,
    ratio,
)

ONE_WAY, PUSH_POP, THROUGHPUT = "one-way", "push-pop", "throughput"
MEASURES = {
    ONE_WAY: "the way of an item to the other thread: there and back over two queues, halved",
    PUSH_POP: "a push and the pop of that item, on one thread",
    THROUGHPUT: "an item of a stream from one thread to the other",
}
REFERENCE = "finegrain-spsc"
MUTEX = "mutex-mpmc"
MACHINE = "Skylake with 192 cores"

STREAM_FACTOR = 10  # an item of a stream is done sooner than one that comes back
# 4 ms a batch at 200 ns already in the quick mode: long against the clock.
MODES = cycles.modes(
    *(40, 100),
    quick={"batches": 5, "round_trips": 20_000},
    full={"batches": 10, "round_trips": 50_000},
)


@dataclass(frozen=True)
class Queue:
    """A queue of `queues --list`."""

    name: str
    version: str
    how_to_get: str  # empty: it is installed


@dataclass(frozen=True)
class QueueList:
    """What `queues --list` prints."""

    queues: List[Queue]


@dataclass(frozen=True)
class Sample(cycles.CycleSample):
    """What `queues` prints: the time of an item, a number a batch."""

    queue: str
    measure: str
    items: int  # of a batch
    main_cpu: int
    task_cpus: List[int]
    note: str = ""


def _plan(request: Request) -> Plan:
    cpus, placement = choose_cpus(request.cpus)
    known = _known(request.build)
    installed = [queue for queue in known if not queue.how_to_get]
    mode = request.mode
    program = request.build.program(request.build.manifest.queues)

    def command(slot: Slot, _found: Any) -> Command:
        return Command(
            [
                *(program, "--queue", slot.runtime, "--measure", slot.case),
                *("--cpus", cpu_list(cpus), "--batches", mode["batches"]),
                *("--items", _items(mode, slot.case)),
            ]
        )

    return Plan(
        build=request.build,
        mode=mode,
        cpus=cpus,
        placement=placement,
        groups=[[Slot(measure, queue.name) for queue in installed] for measure in MEASURES],
        command=command,
        cases=list(MEASURES),
        runtimes=[queue.name for queue in installed],
        missing=[Missing(it.name, it.how_to_get) for it in known if it.how_to_get],
        settings={
            "reference": REFERENCE,
            "batches": mode["batches"],
            "items": {measure: _items(mode, measure) for measure in MEASURES},
            "versions": {queue.name: queue.version for queue in installed},
        },
    )


def _known(build: Build) -> list[Queue]:
    """Returns the queues of the build's program, installed or not. Raises LabError."""
    command = Command([build.program(build.manifest.queues), "--list"])
    try:
        known = Processes().run(command, QueueList).queues
    except ProcessFailed as error:
        raise LabError(f"the queues cannot be listed: {error}") from error
    if all(queue.name != REFERENCE for queue in known):
        raise LabError(f"the build has no {REFERENCE} to compare with: run 'make lab'")
    return known


def _items(mode: Any, measure: str) -> int:
    """Returns the items of a batch."""
    trips: int = mode["round_trips"]
    return trips if measure == ONE_WAY else trips * STREAM_FACTOR


def _complaint(sample: Sample, slot: Slot, plan: Plan) -> str:
    asked = (slot.case, slot.runtime, _items(plan.mode, slot.case))
    is_asked = (sample.measure, sample.queue, sample.items) == asked
    return cycles.complaint(sample, slot, plan, is_asked=is_asked)


def _header(result: Any) -> list[str]:
    return [
        f"the counter ticks at {result.settings.ticks_per_ns:.3f} GHz; queues of 128 items of two "
        "words",
        *(f"{measure}: {what}" for measure, what in MEASURES.items()),
    ]


def _sections(result: Any) -> list[Section]:
    columns = {measure: {"case": measure} for measure in result.cases}
    tables = [
        grid(result, title, "queue", columns, cell)
        for title, cell in (
            ("ns an item", _ns_cell),
            ("cycles an item", number("cycles")),
            (f"times {REFERENCE}, paired", ratio("of_reference")),
        )
    ]
    figures = [_figure(result, measure) for measure in MEASURES]
    return [Section("What it costs an item", [*figures, *tables, _paper(result)])]


def _ns_cell(row: Any) -> Cell:
    """The time of an item, and how many a second that is in a stream."""
    text = "  ".join(filter(None, (number_text(row.ns), _stream_text(row))))
    return Cell(text, row.ns_ci95, 1)


def _figure(result: Any, measure: str) -> Figure:
    bars = [
        bar(row.runtime, row.cycles, row.cycles_ci95, number_text(row.cycles))
        for row in result.rows_of(case=measure)
    ]
    return Figure(
        measure,
        f"{MEASURES[measure]}; lower is better.",
        [Series(measure, bars, "bars")],
        x=Axis(f"{measure}: cycles an item", "log"),
        height_in=1.2 + 0.35 * len(bars),
    )


def _paper(result: Any) -> Statements:
    rings = [queue for queue in result.runtimes if queue != MUTEX]
    return Statements(
        "Section 2.2 of X-OpenMP, 2024",
        "statement",
        [
            Statement(
                "an operation of a single-producer ring",
                "29 to 68 cycles, by machine",
                _of_each(result, PUSH_POP, rings, _pair_text),
            ),
            Statement(
                "throughput of a single-producer ring",
                f"270 million operations a second ({MACHINE})",
                _of_each(result, THROUGHPUT, rings, _stream_text),
            ),
            Statement(
                "throughput of a mutex queue",
                f"5 million operations a second at best, 810 a thread on 384 threads ({MACHINE})",
                _of_each(result, THROUGHPUT, [MUTEX], _stream_text),
            ),
        ],
    )


def _of_each(result: Any, measure: str, queues: list[str], text: Callable[[Any], str]) -> str:
    rows = [row for queue in queues if (row := result.row(case=measure, runtime=queue))]
    return "; ".join(f"{row.runtime} {text(row)}" for row in rows) or "not measured"


def _pair_text(row: Any) -> str:
    return f"{number_text(row.cycles)} cycles for two"


def _stream_text(row: Any) -> str:
    """Returns the throughput."""
    if row.case != THROUGHPUT:
        return ""
    return f"{number_text(1000 / row.ns)} million items a second"


QUEUES = Experiment(
    name="queues",
    title="latency and throughput of single-producer rings, and of a ring behind a mutex",
    heading="Queues: what it costs an item to go through",
    intro=(
        "Numbered items of two words through a queue of 128; every item has to arrive once and in "
        "order, in every batch. A thread that finds the queue full or empty spins."
    ),
    modes=MODES,
    plan=_plan,
    sample=Sample,
    numbers=cycles.NUMBERS,
    complaint=_complaint,
    is_vital=lambda slot: slot.runtime == REFERENCE,
    ratios={"of_reference": Ratio("cycles", lambda row: row.but(runtime=REFERENCE))},
    settings={"items": Dict[str, int], "versions": Dict[str, str], "ticks_per_ns": float},
    summary=cycles.rates,
    told=lambda slot: f"{slot.runtime}, {slot.case}",
    decides=lambda row, _settings: row.runtime != REFERENCE,
    deciding="of_reference",
    contents={"cases": list(MEASURES)},  # which queues there are, the build decides
    header=_header,
    sections=_sections,
    compared=lambda result, row: Compared(
        row.case,
        row.runtime,
        is_default=row.runtime == REFERENCE,
        over=result.row(case=row.case, runtime=REFERENCE),
        times_of=cycles.samples_ns,
    ),
)
