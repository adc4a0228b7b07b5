# SPDX-License-Identifier: Apache-2.0
"""Turns samples into the result file."""

from collections.abc import Sequence

from finegrain_lab import drop_in, statistics
from finegrain_lab.notes import distinct
from finegrain_lab.results import Failure, Host
from finegrain_lab.tasking.contestants import CEILING, REFERENCE, Contestant, missing_peers
from finegrain_lab.tasking.measure import Measured, Plan, Slot
from finegrain_lab.tasking.protocol import TaskSample, UtsSample
from finegrain_lab.tasking.results import Result, Row, Settings
from finegrain_lab.tasking.study import Case
from finegrain_lab.tasking.timeline import Timeline
from finegrain_lab.threads import thread_counts


def to_result(plan: Plan, measured: Measured, host: Host) -> Result:
    """Turns samples into the result file."""
    slots = [
        slot
        for case in plan.cases
        for contestant in plan.everyone
        for slot in plan.slots_of(case, contestant)
    ]
    notes = {c.name: _notes(plan, measured, c) for c in plan.everyone}
    return Result(
        **measured.header(plan.study.name, plan.mode, host),
        missing=missing_peers(plan.build),
        failed=[
            Failure(runtime=slot.runtime, case=slot.where, reason=reason)
            for slot, reason in measured.failed.items()
        ],
        notes={name: lines for name, lines in notes.items() if lines},
        settings=_settings(plan, measured),
        checked=distinct(_checked(measured, case, slots) for case in plan.cases),
        paper=list(plan.study.paper),
        cases=[case.name for case in plan.cases],
        runtimes=[contestant.name for contestant in plan.everyone],
        results=[_row(plan, measured, slot) for slot in slots if slot not in measured.failed],
    )


def _checked(measured: Measured, case: Case, slots: Sequence[Slot]) -> str:
    return case.checked(measured.of([slot for slot in slots if slot.case == case.name]))


def _settings(plan: Plan, measured: Measured) -> Settings:
    environments = {
        c.name: drop_in.told(plan.environment(c, plan.cpus), c.drop_in) for c in plan.everyone
    }
    return Settings(
        reference=REFERENCE,
        measure=plan.study.measure.name,
        unit=plan.study.measure.unit,
        speedup_over=plan.study.speedup_over,
        threads=thread_counts(len(plan.cpus)),
        cpus=list(plan.cpus),
        batches=plan.mode.batches,
        batch_ms=plan.mode.batch_ms,
        spin_steps_per_us=measured.spin_steps_per_us,
        peers=plan.peers,
        allocator=plan.allocator,
        numa_binding=plan.numa_binding,
        environment={name: variables for name, variables in environments.items() if variables},
        sizes={case.name: case.size for case in plan.cases if case.size},
        beside={case.name: beside for case in plan.cases if (beside := _beside(plan, case))},
        taken_over=measured.taken_over,
        versions={
            slot.runtime: sample.version
            for slot in measured.samples
            for sample in measured.of([slot])
        },
    )


def _beside(plan: Plan, case: Case) -> dict[str, str]:
    """Returns what the case tells some runtimes beside what it tells all."""
    words = {
        name: [*case.options(name), *(f"{key}={at}" for key, at in case.environment(name).items())]
        for contestant in plan.everyone
        if plan.slots_of(case, contestant) and (name := contestant.name)
    }
    return {name: " ".join(told) for name, told in words.items() if told}


def _notes(plan: Plan, measured: Measured, contestant: Contestant) -> list[str]:
    """Returns what a reader must know of it: its own words, and CPUs that were not asked for."""
    said: list[str] = []
    strays: set[int] = set()
    for slot in measured.samples:
        if slot.runtime == contestant.name:
            for sample in measured.of([slot]):
                said.append(sample.note)
                if plan.is_tied:
                    strays |= set(sample.cpus) - set(plan.cpus[: slot.threads])
    stray = f"was seen on a CPU that is not its own: {sorted(strays)}" if strays else ""
    return distinct([contestant.note, *said, stray])


def _row(plan: Plan, measured: Measured, slot: Slot) -> Row:
    study, case = plan.study, plan.case(slot.case)
    ns = list(measured.ns(slot).values())
    values = list(measured.by_round(slot, lambda sample: study.measure.of(sample, case)).values())
    of_reference = measured.of_reference(slot)
    speedup, speedup_ci95 = statistics.median_and_ci(list(measured.speedups(slot, study).values()))
    of_ceiling, of_ceiling_ci95 = statistics.median_and_ci(measured.of_ceiling(slot, study))
    samples = measured.of([slot])
    return Row(
        case=slot.case,
        runtime=slot.runtime,
        threads=slot.threads,
        ns=statistics.median(ns),
        ci95=statistics.median_ci(ns),
        value=statistics.median(values),
        value_ci95=statistics.median_ci(values),
        of_reference=statistics.median(of_reference),
        of_reference_ci95=statistics.median_ci(of_reference),
        speedup=speedup,
        speedup_ci95=speedup_ci95,
        of_ceiling=of_ceiling,
        of_ceiling_ci95=of_ceiling_ci95,
        offloaded_share=statistics.median([sample.offloaded_share for sample in samples]),
        tasks=sorted({sample.tasks for sample in samples}),
        tasks_by_thread=_tasks_by_thread(slot, samples),
        timeline=_timeline(plan, slot, samples),
        samples=ns,
    )


def _tasks_by_thread(slot: Slot, samples: Sequence[TaskSample]) -> list[list[int]] | None:
    if slot.runtime == CEILING:
        return None
    return [counts for sample in samples for counts in sample.tasks_by_thread]


def _timeline(plan: Plan, slot: Slot, samples: Sequence[TaskSample]) -> Timeline | None:
    """Returns that of the search of median time; the ceiling has one of one process only."""
    found = [sample.timeline for sample in samples if isinstance(sample, UtsSample)]
    noted = sorted((it for it in found if it is not None), key=lambda it: it.wall_ns)
    if not noted or slot.runtime == CEILING:
        return None
    return noted[(len(noted) - 1) // 2].of_all(plan.cpus[: slot.threads])
