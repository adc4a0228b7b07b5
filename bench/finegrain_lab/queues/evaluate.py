# SPDX-License-Identifier: Apache-2.0
"""Turns samples into the result file."""

from finegrain_lab.notes import notes_of
from finegrain_lab.queues.cases import MEASURES, NAME, REFERENCE, THROUGHPUT
from finegrain_lab.queues.measure import Measured, Plan, Slot
from finegrain_lab.queues.results import Result, Row, Settings
from finegrain_lab.results import Failure, Host, Missing


def to_result(plan: Plan, measured: Measured, host: Host) -> Result:
    """Turns samples into the result file."""
    slots = [slot for group in plan.groups() for slot in group]
    names = [queue.name for queue in plan.queues]
    notes = {name: _notes(plan, measured, name) for name in names}
    return Result(
        **measured.header(NAME, plan.mode, host),
        missing=[Missing(runtime=one.name, how_to_get=one.how_to_get) for one in plan.missing],
        failed=[
            Failure(runtime=slot.queue, case=slot.measure, reason=reason)
            for slot, reason in measured.failed.items()
        ],
        notes={name: lines for name, lines in notes.items() if lines},
        settings=Settings(
            reference=REFERENCE,
            batches=plan.mode.batches,
            items={measure: plan.mode.items(measure) for measure in MEASURES},
            versions={queue.name: queue.version for queue in plan.queues},
            ticks_per_ns=measured.ticks_per_ns(),
        ),
        cases=list(MEASURES),
        runtimes=names,
        results=[_row(measured, slot) for slot in slots if slot not in measured.failed],
    )


def _notes(plan: Plan, measured: Measured, queue: str) -> list[str]:
    slots = [slot for slot in measured.samples if slot.queue == queue]
    return notes_of(measured.of(slots), plan.cpus)


def _row(measured: Measured, slot: Slot) -> Row:
    numbers = measured.numbers(slot)
    million_per_s = 1000 / numbers["ns"] if slot.measure == THROUGHPUT else None
    return Row(case=slot.measure, runtime=slot.queue, million_per_s=million_per_s, **numbers)
