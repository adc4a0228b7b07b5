# SPDX-License-Identifier: Apache-2.0
"""Turns samples into the result file."""

from finegrain_lab import statistics
from finegrain_lab.notes import notes_of
from finegrain_lab.results import Failure, Host
from finegrain_lab.waiting.cases import (
    GAPS_US,
    NAME,
    REFERENCE_HINTS,
    REFERENCE_POLICY,
    RUNTIME,
    case_of,
)
from finegrain_lab.waiting.measure import Measured, Plan, Slot, groups_of
from finegrain_lab.waiting.results import Result, Row, Settings


def to_result(plan: Plan, measured: Measured, host: Host) -> Result:
    """Turns samples into the result file."""
    slots = [slot for group in groups_of(plan.policies) for slot in group]
    notes = notes_of(measured.of(measured.samples), plan.cpus)
    return Result(
        **measured.header(NAME, plan.mode, host),
        missing=[],
        failed=[
            Failure(runtime=RUNTIME, case=slot.told, reason=reason)
            for slot, reason in measured.failed.items()
        ],
        notes={RUNTIME: notes} if notes else {},
        settings=Settings(
            policies=list(plan.policies),
            reference_policy=REFERENCE_POLICY,
            reference_hints=REFERENCE_HINTS,
            gaps_per_process={case_of(gap_us): plan.mode.gaps(gap_us) for gap_us in GAPS_US},
        ),
        cases=[case_of(gap_us) for gap_us in GAPS_US],
        runtimes=[RUNTIME],
        results=[_row(measured, slot) for slot in slots if slot not in measured.failed],
    )


def _row(measured: Measured, slot: Slot) -> Row:
    ns = list(measured.ns(slot).values())
    of_spin = measured.of_spin(slot)
    burned = list(measured.burned(slot).values())
    samples = measured.of([slot])
    return Row(
        case=case_of(slot.gap_us),
        runtime=RUNTIME,
        policy=slot.policy,
        hints=slot.hints,
        gap_us=slot.gap_us,
        first_task_ns=statistics.median(ns),
        ci95=statistics.median_ci(ns),
        of_spin=statistics.median(of_spin),
        of_spin_ci95=statistics.median_ci(of_spin),
        burned_share=statistics.median(burned),
        burned_share_ci95=statistics.median_ci(burned),
        gaps=sum(len(sample.first_task_ns) for sample in samples),
        sleeps=sum(sample.sleeps for sample in samples),
        wake_ups=sum(sample.wake_ups for sample in samples),
        samples=ns,
        burned_samples=burned,
    )
