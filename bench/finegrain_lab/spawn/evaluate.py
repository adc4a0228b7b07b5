"""Turns samples into the result file."""

from collections.abc import Sequence

from finegrain_lab import statistics
from finegrain_lab.notes import distinct
from finegrain_lab.results import Failure, Host
from finegrain_lab.rounds import ORDER_SEED
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
        schema=1,
        experiment=NAME,
        mode=plan.mode.name,
        host=host,
        missing=missing_peers(plan.build),
        failed=[
            Failure(runtime=slot.runtime, case=threads_text(slot.threads), reason=reason)
            for slot, reason in measured.failed.items()
        ],
        notes={name: lines for name, lines in notes.items() if lines},
        floor_ns=statistics.median(measured.floor_samples),
        floor_samples=measured.floor_samples,
        rounds=measured.rounds,
        seconds=measured.seconds,
        seed=ORDER_SEED,
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
            for slot, rounds in measured.samples.items()
            for sample in rounds.values()
        },
    )


def _notes(plan: Plan, measured: Measured, contestant: Contestant) -> list[str]:
    """Returns what a reader must know of it: its own words, and CPUs that were not asked for."""
    said: list[str] = []
    strays: set[int] = set()
    for slot in plan.slots_of(contestant):
        for sample in measured.samples[slot].values():
            said.append(sample.note)
            strays |= set(sample.cpus) - set(plan.cpus[: slot.threads])
    stray = f"was seen on a CPU that is not its own: {sorted(strays)}" if strays else ""
    return distinct([contestant.note, *said, stray])


def _row(measured: Measured, slot: Slot) -> Row:
    ns = list(measured.ns(slot).values())
    samples = measured.samples[slot].values()
    speedups = list(measured.speedups(slot).values()) if slot.threads > 1 else []
    of_reference = measured.of_reference(slot)
    speedup, speedup_ci95 = _summary(speedups)
    of_ceiling, of_ceiling_ci95 = _summary(measured.of_ceiling(slot) if speedups else [])
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


def _summary(ratios: Sequence[float]) -> tuple[float, tuple[float, float]] | tuple[None, None]:
    """Returns the median and its interval, nothing of nothing."""
    if not ratios:
        return None, None
    return statistics.median(ratios), statistics.median_ci(ratios)
