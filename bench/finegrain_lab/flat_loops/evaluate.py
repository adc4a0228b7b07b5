"""Turns samples into the result file."""

from finegrain_lab import statistics
from finegrain_lab.flat_loops.measure import Measured, Plan, Slot
from finegrain_lab.flat_loops.results import Result, Row, Settings
from finegrain_lab.notes import distinct
from finegrain_lab.results import Failure, Host
from finegrain_lab.runtimes import environment_of
from finegrain_lab.spawn.cases import REFERENCE, thread_counts
from finegrain_lab.spawn.contestants import Contestant, missing_peers


def to_result(plan: Plan, measured: Measured, host: Host) -> Result:
    """Turns samples into the result file."""
    slots = [slot for group in plan.groups() for slot in group]
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
        paper=[plan.study.paper, *plan.study.statements],
        cases=[case.name for case in plan.cases],
        runtimes=[contestant.name for contestant in plan.everyone],
        results=[_row(plan, measured, slot) for slot in slots if slot not in measured.failed],
    )


def _settings(plan: Plan, measured: Measured) -> Settings:
    environments = {c.name: environment_of(c.name, plan.peers, plan.cpus) for c in plan.everyone}
    return Settings(
        reference=REFERENCE,
        measure=plan.study.measure.name,
        unit=plan.study.measure.unit,
        threads=thread_counts(len(plan.cpus)),
        cpus=list(plan.cpus),
        batches=plan.mode.batches,
        batch_ms=plan.mode.batch_ms,
        spin_steps_per_us=measured.spin_steps_per_us,
        peers=plan.peers,
        environment={name: variables for name, variables in environments.items() if variables},
        versions={
            slot.runtime: sample.version
            for slot in measured.samples
            for sample in measured.of([slot])
        },
    )


def _notes(plan: Plan, measured: Measured, contestant: Contestant) -> list[str]:
    """Returns what a reader must know of it: its own words, and CPUs that were not asked for."""
    said: list[str] = []
    strays: set[int] = set()
    for slot in measured.samples:
        if slot.runtime == contestant.name:
            for sample in measured.of([slot]):
                said.append(sample.note)
                strays |= set(sample.cpus) - set(plan.cpus[: slot.threads])
    stray = f"was seen on a CPU that is not its own: {sorted(strays)}" if strays else ""
    return distinct([contestant.note, *said, stray])


def _row(plan: Plan, measured: Measured, slot: Slot) -> Row:
    case = plan.study.case(slot.case)
    ns = list(measured.ns(slot).values())
    values = [plan.study.measure.of(each, case, slot.threads) for each in ns]
    of_reference = measured.of_reference(slot)
    samples = measured.of([slot])
    return Row(
        case=slot.case,
        runtime=slot.runtime,
        threads=slot.threads,
        producers=case.producers_on(slot.threads),
        ns=statistics.median(ns),
        ci95=statistics.median_ci(ns),
        value=statistics.median(values),
        value_ci95=statistics.median_ci(values),
        of_reference=statistics.median(of_reference),
        of_reference_ci95=statistics.median_ci(of_reference),
        offloaded_share=statistics.median([sample.offloaded_share for sample in samples]),
        tasks=sorted({sample.tasks for sample in samples}),
        samples=ns,
    )
