# SPDX-License-Identifier: Apache-2.0
"""Turns samples into the result file."""

from finegrain_lab import statistics
from finegrain_lab.notes import distinct
from finegrain_lab.results import Failure, Host
from finegrain_lab.sync.cases import CASE, MECHANISMS, NAME, REFERENCE
from finegrain_lab.sync.measure import Measured, Plan, Slot
from finegrain_lab.sync.results import Result, Row, Settings
from finegrain_lab.threads import threads_text


def to_result(plan: Plan, measured: Measured, host: Host) -> Result:
    """Turns samples into the result file."""
    notes = {name: _notes(plan, measured, name) for name in MECHANISMS}
    slots = [Slot(name, threads) for name in MECHANISMS for threads in plan.threads]
    return Result(
        **measured.header(NAME, plan.mode, host),
        missing=[],
        failed=[
            Failure(runtime=slot.mechanism, case=threads_text(slot.threads), reason=reason)
            for slot, reason in measured.failed.items()
        ],
        notes={name: lines for name, lines in notes.items() if lines},
        settings=Settings(
            reference=REFERENCE,
            threads=plan.threads,
            cpus=list(plan.cpus),
            batches=plan.mode.batches,
            batch_ms=plan.mode.batch_ms,
            ticks_per_ns=measured.ticks_per_ns(),
            cycles_per_tick=statistics.median(
                [sample.cycles_per_tick for sample in measured.of(measured.samples)]
            ),
        ),
        cases=[CASE],
        runtimes=list(MECHANISMS),
        results=[_row(plan, measured, slot) for slot in slots if slot not in measured.failed],
    )


def _notes(plan: Plan, measured: Measured, mechanism: str) -> list[str]:
    samples = measured.of(slot for slot in measured.samples if slot.mechanism == mechanism)
    strays = {cpu for sample in samples for cpu in sample.cpus} - set(plan.cpus)
    stray = f"was seen on a CPU that is not its own: {sorted(strays)}" if strays else ""
    return distinct([*(sample.note for sample in samples), stray])


def _row(plan: Plan, measured: Measured, slot: Slot) -> Row:
    return Row(
        case=CASE,
        runtime=slot.mechanism,
        threads=slot.threads,
        pinned=plan.has_cpu_each(slot),
        operations=sorted({sample.operations for sample in measured.of([slot])}),
        **measured.numbers(slot),
    )
