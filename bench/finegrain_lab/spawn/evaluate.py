"""Turns samples into the result file."""

from finegrain_lab import statistics
from finegrain_lab.notes import distinct
from finegrain_lab.results import Failure, Host
from finegrain_lab.runtimes import environment_of
from finegrain_lab.spawn.cases import CASE, NAME, REFERENCE, threads_text
from finegrain_lab.spawn.contestants import Contestant, missing_peers
from finegrain_lab.spawn.measure import Measured, Plan, Slot
from finegrain_lab.spawn.results import Result, Row, Settings


def to_result(plan: Plan, measured: Measured, host: Host) -> Result:
    """Turns samples into the result file."""
    slots = [slot for contestant in plan.everyone for slot in plan.slots_of(contestant)]
    notes = {c.name: _notes(plan, measured, c) for c in plan.everyone}
    return Result(
        **measured.header(NAME, plan.mode, host),
        missing=missing_peers(plan.build),
        failed=[
            Failure(runtime=slot.runtime, case=threads_text(slot.threads), reason=reason)
            for slot, reason in measured.failed.items()
        ],
        notes={name: lines for name, lines in notes.items() if lines},
        settings=_settings(plan, measured),
        cases=[CASE],
        runtimes=[contestant.name for contestant in plan.everyone],
        results=[_row(measured, slot) for slot in slots if slot not in measured.failed],
    )


def _settings(plan: Plan, measured: Measured) -> Settings:
    environments = {c.name: environment_of(c.name, plan.peers, plan.cpus) for c in plan.everyone}
    return Settings(
        reference=REFERENCE,
        threads=plan.threads,
        cpus=list(plan.cpus),
        batches=plan.mode.batches,
        batch_ms=plan.mode.batch_ms,
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
    for slot in plan.slots_of(contestant):
        for sample in measured.of([slot]):
            said.append(sample.note)
            strays |= set(sample.cpus) - set(plan.cpus[: slot.threads])
    stray = f"was seen on a CPU that is not its own: {sorted(strays)}" if strays else ""
    return distinct([contestant.note, *said, stray])


def _row(measured: Measured, slot: Slot) -> Row:
    ns = list(measured.ns(slot).values())
    samples = measured.of([slot])
    speedups = list(measured.speedups(slot).values()) if slot.threads > 1 else []
    of_reference = measured.of_reference(slot)
    of_ceilings = measured.of_ceiling(slot) if speedups else []
    speedup, speedup_ci95 = statistics.median_and_ci(speedups)
    of_ceiling, of_ceiling_ci95 = statistics.median_and_ci(of_ceilings)
    return Row(
        case=CASE,
        runtime=slot.runtime,
        threads=slot.threads,
        ns=statistics.median(ns),
        ci95=statistics.median_ci(ns),
        of_reference=statistics.median(of_reference),
        of_reference_ci95=statistics.median_ci(of_reference),
        speedup=speedup,
        speedup_ci95=speedup_ci95,
        of_ceiling=of_ceiling,
        of_ceiling_ci95=of_ceiling_ci95,
        offloaded_share=statistics.median([sample.offloaded_share for sample in samples]),
        n=sorted({sample.n for sample in samples}),
        samples=ns,
    )
