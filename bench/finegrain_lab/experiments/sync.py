# SPDX-License-Identifier: Apache-2.0
"""Four ways to let threads take turns at an integer: cycles per operation, by threads.

The paper's statements: P. Nookala, K. Chard, I. Raicu, "X-OpenMP - eXtreme fine-grained tasking
using lock-less work stealing", 2024, section 2.2.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, List

from finegrain_lab.experiments import cycles
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
from finegrain_lab.run.host import choose_all_cpus
from finegrain_lab.run.runtimes import cpu_list
from finegrain_lab.run.threads import chosen_counts, threads_text
from finegrain_lab.show.figures import Axis, Figure, Point, Series, mark
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

CASE = "increment"
MECHANISMS = ("mutex", "semaphore", "spinlock", "fetch-and-add")
REFERENCE = "fetch-and-add"
MACHINE = "Skylake with 192 cores and 384 hardware threads"

# A batch of several of the scheduler's turns, where threads share a CPU; the number of operations
# doubles until it takes so long.
MODES = cycles.modes(
    *(15, 60), quick={"batches": 5, "batch_ms": 20}, full={"batches": 9, "batch_ms": 50}
)


@dataclass(frozen=True)
class Sample(cycles.CycleSample):
    """What `sync` prints: the time of an operation, mean over the threads, a number a batch."""

    mechanism: str
    threads: int
    pinned: bool  # a CPU for each thread
    operations: int  # of a thread in a batch
    cpus: List[int]  # where threads were seen
    note: str = ""


def _plan(request: Request) -> Plan:
    pair, placement, cpus = choose_all_cpus(request.cpus)
    threads = chosen_counts(request.threads, 2 * len(cpus))  # up to twice as many as there are CPUs
    mode = request.mode
    program = request.build.program(request.build.manifest.sync)

    def command(slot: Slot, _found: Any) -> Command:
        return Command(
            [
                *(program, "--mechanism", slot.runtime, "--threads", slot.threads),
                *("--cpus", cpu_list(cpus), "--batches", mode["batches"]),
                *("--batch-ms", mode["batch_ms"]),
            ]
        )

    return Plan(
        build=request.build,
        mode=mode,
        cpus=pair,
        placement=placement,
        all_cpus=cpus,
        groups=[[Slot.of(CASE, it, threads=count) for it in MECHANISMS] for count in threads],
        command=command,
        cases=[CASE],
        runtimes=MECHANISMS,
        settings={"reference": REFERENCE, "threads": threads, "cpus": cpus, **mode.work},
    )


def _complaint(sample: Sample, slot: Slot, plan: Plan) -> str:
    is_asked = (sample.mechanism, sample.threads) == (slot.runtime, slot.threads)
    if text := cycles.complaint(sample, slot, plan, is_asked=is_asked):
        return text
    has_cpu_each = slot.threads <= len(plan.all_cpus)
    own = sorted(plan.all_cpus[: slot.threads])
    if sample.pinned is not has_cpu_each or (has_cpu_each and sorted(sample.cpus) != own):
        return f"ran on CPUs {cpu_list(sample.cpus)}"
    return ""


def _header(result: Any) -> list[str]:
    settings = result.settings
    rate = f"a cycle is a tick of the time-stamp counter, {settings.ticks_per_ns:.3f} GHz"
    if settings.cycles_per_tick != 1:
        rate = f"{settings.cycles_per_tick:.1f} cycles a tick of the counter, as measured"
    return [f"{rate}; more threads than {len(settings.cpus)} share the CPUs as the system likes"]


def _sections(result: Any) -> list[Section]:
    columns = {threads_text(count): {"threads": count} for count in result.settings.threads}
    tables = [
        grid(result, title, "mechanism", columns, cell)
        for title, cell in (
            ("cycles per operation, mean over the threads", number("cycles")),
            ("ns per operation", number("ns")),
            (f"times {REFERENCE} on as many threads, paired", ratio("of_reference")),
        )
    ]
    operations = grid(
        *(result, "operations of a thread in a batch", "mechanism", columns),
        lambda row: Cell(", ".join(map(str, row.operations))),
        on_terminal=False,
    )
    return [Section("Cycles per operation", [_figure(result), _paper(result), *tables, operations])]


def _figure(result: Any) -> Figure:
    settings = result.settings
    lines = [
        Series(
            mechanism,
            [
                Point(it.threads, it.cycles, *it.cycles_ci95)
                for it in result.rows_of(runtime=mechanism)
            ],
        )
        for mechanism in result.runtimes
    ]
    return Figure(
        "cycles",
        "As the paper's Fig. 2 has it; right of the dotted line threads share CPUs. The thin "
        "lines are the intervals.",
        [*lines, mark("threads share CPUs", x=len(settings.cpus) * 2**0.1, line=":")],
        x=Axis("threads", "log2", {count: str(count) for count in settings.threads}),
        y=Axis("cycles per operation", "log"),
        height_in=4.6,
        legend=4,
    )


def _paper(result: Any) -> Statements:
    cpus = len(result.settings.cpus)
    row = result.row(runtime=REFERENCE, threads=cpus)
    highest = highest_up_to(result)
    return Statements(
        "Section 2.2 of X-OpenMP, 2024",
        "statement",
        [
            Statement(
                f"{REFERENCE} on as many threads as the machine has",
                f"33,592 cycles ({MACHINE}), 3,868 (Xeon Phi, 64 cores, 256 threads)",
                f"{number_text(row.cycles)} ({threads_text(cpus)})" if row else "not measured",
            ),
            Statement(
                f"{REFERENCE} costs more than each of the others",
                f"up to 12 threads ({MACHINE})",
                f"up to {threads_text(highest)}" if highest else "not even on 1 thread",
            ),
        ],
    )


def highest_up_to(result: Any) -> int:
    """Returns the number of threads up to which the reference costs the most; 0: on none."""
    highest = 0
    for threads in result.settings.threads:
        rows = {row.runtime: row.cycles for row in result.rows_of(threads=threads)}
        own = rows.pop(REFERENCE)
        if not rows or own <= max(rows.values()):
            break
        highest = threads
    return highest


def _compared(result: Any, row: Any) -> Compared:
    """Each over fetch-and-add on as many threads. None is ours: these are the machine's."""
    return Compared(
        f"{row.case}, {threads_text(row.threads)}",
        row.runtime,
        over=result.row(runtime=REFERENCE, threads=row.threads),
        times_of=cycles.samples_ns,
    )


SYNC = Experiment(
    name="sync",
    title="mutex, semaphore, spinlock and fetch-and-add: cycles per operation, by threads",
    heading="Sync: what it costs threads to take turns",
    intro=(
        "Every thread in a tight loop: acquire, add one to a shared integer, release; with "
        "fetch-and-add the addition is all. The number is the time of a thread's loop over its "
        "operations, the mean over the threads; after every batch the integer is the number of "
        "operations."
    ),
    modes=MODES,
    plan=_plan,
    sample=Sample,
    numbers=cycles.NUMBERS,
    complaint=_complaint,
    is_vital=lambda slot: slot.runtime == REFERENCE,
    others={"threads": int},
    ratios={"of_reference": Ratio("cycles", lambda row: row.but(runtime=REFERENCE))},
    facts={
        "pinned": Fact(bool, lambda samples, _row: samples[-1].pinned),
        "operations": Fact(List[int], lambda them, _row: sorted({it.operations for it in them})),
    },
    settings={"threads": List[int], "cpus": List[int], **cycles.RATES},
    summary=cycles.rates,
    own_cpus=lambda _row, settings: settings["cpus"],
    told=lambda slot: f"{slot.runtime} on {threads_text(slot.threads)}",
    where=lambda slot: threads_text(slot.threads),
    # Threads that share a CPU take turns as the scheduler likes: no run would ever be sure.
    decides=lambda row, settings: row.threads <= len(settings["cpus"]) and row.runtime != REFERENCE,
    deciding="of_reference",
    options=frozenset({"--threads"}),
    contents={"by": MECHANISMS},  # how many threads, the machine decides unless asked
    header=_header,
    sections=_sections,
    compared=_compared,
)
