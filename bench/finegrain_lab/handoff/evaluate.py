# SPDX-License-Identifier: Apache-2.0
"""Turns samples into the result file."""

from dataclasses import replace

from finegrain_lab import statistics
from finegrain_lab.handoff.cases import EMPTY, NAME, RELIC, SHARE_BURST
from finegrain_lab.handoff.measure import Measured, Plan, Slot, groups_of
from finegrain_lab.handoff.protocol import Candidate, Placement
from finegrain_lab.handoff.results import HandoffFailure, Headline, Result, Row, Settings
from finegrain_lab.notes import distinct, notes_of
from finegrain_lab.results import Host, Missing


def to_result(plan: Plan, measured: Measured, host: Host) -> Result:
    """Turns samples into the result file."""
    slots = [slot for group in groups_of(plan) for slot in group if slot.case == slot.group]
    measured = replace(measured, floor_samples=_floor_samples(plan, measured))
    return Result(
        **measured.header(NAME, plan.mode, host),
        missing=[Missing(runtime=c.name, how_to_get=c.how_to_get) for c in plan.missing],
        failed=[_failure(slot, reason) for slot, reason in measured.failed.items()],
        notes=_notes(plan, measured),
        settings=Settings(
            placements=list(plan.placements),
            policies={candidate.name: candidate.policies for candidate in plan.candidates},
            versions={candidate.name: candidate.version for candidate in plan.candidates},
            batches=plan.mode.batches,
            round_trips=plan.mode.round_trips,
        ),
        cases=list(plan.cases),
        runtimes=[candidate.name for candidate in plan.candidates],
        results=[_row(measured, slot) for slot in slots if slot not in measured.failed],
        headlines=[
            _headline(plan, measured, placement, candidate)
            for placement in plan.placements
            for candidate in plan.candidates
            if _has(measured, _default(placement, EMPTY, candidate))
        ],
        instructions=measured.instructions,
    )


def _floor_samples(plan: Plan, measured: Measured) -> list[float]:
    """Returns every batch of the floor at the first placement, the one that the host is told of."""
    floors = [
        slot
        for slot in measured.samples
        if slot == slot.floor and slot.placement == plan.placements[0]
    ]
    return [ns for sample in measured.of(floors) for ns in sample.ns]


def _row(measured: Measured, slot: Slot) -> Row:
    ns = list(measured.ns(slot).values())
    of_floor = measured.ratios(slot, slot.floor)
    seen = measured.of([slot])
    return Row(
        case=slot.case,
        runtime=slot.runtime,
        policy=slot.policy,
        placement=slot.placement.kind,
        ns=statistics.median(ns),
        ci95=statistics.median_ci(ns),
        of_floor=statistics.median(of_floor),
        of_floor_ci95=statistics.median_ci(of_floor),
        main_cpu=seen[-1].main_cpu,
        task_cpus=sorted({cpu for sample in seen for cpu in sample.task_cpus}),
        samples=ns,
    )


def _headline(
    plan: Plan, measured: Measured, placement: Placement, candidate: Candidate
) -> Headline:
    slot = _default(placement, EMPTY, candidate)
    row = _row(measured, slot)
    burst = _default(placement, SHARE_BURST, candidate)
    relics = _ratios(measured, slot, _relic(plan, placement))
    of_relic, of_relic_ci95 = statistics.median_and_ci(relics)
    share, share_ci95 = statistics.median_and_ci(_ratios(measured, burst, slot))
    return Headline(
        runtime=row.runtime,
        policy=row.policy,
        placement=row.placement,
        ns=row.ns,
        ci95=row.ci95,
        of_floor=row.of_floor,
        of_floor_ci95=row.of_floor_ci95,
        of_relic=of_relic,
        of_relic_ci95=of_relic_ci95,
        burst_64_of_empty=share,
        burst_64_of_empty_ci95=share_ci95,
    )


def _default(placement: Placement, case: str, candidate: Candidate) -> Slot:
    return Slot(placement, case, case, candidate.name, candidate.policies[0])


def _relic(plan: Plan, placement: Placement) -> Slot | None:
    relics = [candidate for candidate in plan.candidates if candidate.name == RELIC]
    return _default(placement, EMPTY, relics[0]) if relics else None


def _has(measured: Measured, slot: Slot) -> bool:
    return slot not in measured.failed and bool(measured.samples.get(slot))


def _ratios(measured: Measured, slot: Slot, other: Slot | None) -> list[float]:
    """Returns the ratios of two different slots that were both measured, else nothing."""
    if other is None or slot == other or not (_has(measured, slot) and _has(measured, other)):
        return []
    return measured.ratios(slot, other)


def _failure(slot: Slot, reason: str) -> HandoffFailure:
    return HandoffFailure(
        runtime=slot.runtime,
        case=slot.case,
        reason=reason,
        policy=slot.policy,
        placement=slot.placement.kind,
    )


def _notes(plan: Plan, measured: Measured) -> dict[str, list[str]]:
    notes = {}
    for candidate in plan.candidates:
        found = [candidate.note]
        for placement in plan.placements:
            slots = [
                slot
                for slot in measured.samples
                if (slot.runtime, slot.placement) == (candidate.name, placement)
            ]
            found += notes_of(measured.of(slots), (placement.main_cpu, placement.assistant_cpu))
        if candidate.name == RELIC:
            found += measured.instruction_notes
        notes[candidate.name] = distinct(found)
    return {name: found for name, found in notes.items() if found}
