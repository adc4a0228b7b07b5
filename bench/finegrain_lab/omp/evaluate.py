# SPDX-License-Identifier: Apache-2.0
"""Turns samples into the result file."""

from collections.abc import Sequence

from finegrain_lab import drop_in, statistics
from finegrain_lab.notes import distinct
from finegrain_lab.omp.cases import KERNELS, NAME
from finegrain_lab.omp.contestants import Contestant, missing_runtimes
from finegrain_lab.omp.measure import Measured, Plan, Slot
from finegrain_lab.omp.results import Result, Row, Settings, Summary
from finegrain_lab.results import Failure, Host
from finegrain_lab.runtimes import SERIAL
from finegrain_lab.stacks import DEEP_STACK

# LLVM's runtime built for release: the one that clang's programs are held against, whichever of
# the two they run on (llvm-openmp is Debian's, built with assertions).
CLANGS_TARGET = "intel-openmp"
CLANGS_OTHER = "llvm-openmp"


def to_result(plan: Plan, measured: Measured, host: Host) -> Result:
    """Turns samples into the result file."""
    notes = {one.name: _notes(plan, measured, one) for one in plan.contestants}
    return Result(
        **measured.header(NAME, plan.mode, host),
        missing=missing_runtimes(plan.build),
        failed=[
            Failure(runtime=slot.runtime, case=slot.case, reason=reason)
            for slot, reason in measured.failed.items()
        ],
        notes={name: lines for name, lines in notes.items() if lines},
        settings=_settings(plan, measured),
        cases=[case.name for case in plan.cases],
        runtimes=[one.name for one in plan.contestants],
        results=[_row(plan, measured, s) for s in plan.slots() if s not in measured.failed],
        summary=_summaries(plan, measured),
    )


def _row(plan: Plan, measured: Measured, slot: Slot) -> Row:
    contestant = plan.contestant(slot.runtime)
    own, serial = Slot(slot.case, contestant.answers_as), Slot(slot.case, SERIAL)
    is_served = contestant.policy is not None
    over_own, over_own_ci95 = _ratio(measured, own, slot, is_served)
    times_own, times_own_ci95 = _ratio(measured, slot, own, is_served)
    over_serial, over_serial_ci95 = _ratio(measured, serial, slot, slot != serial)
    ns = list(measured.ns(slot).values())
    samples = measured.of([slot])
    return Row(
        case=slot.case,
        runtime=slot.runtime,
        base=contestant.base,
        policy=contestant.policy,
        threads=plan.threads(contestant),
        ns=statistics.median(ns),
        ci95=statistics.median_ci(ns),
        over_own=over_own,
        over_own_ci95=over_own_ci95,
        times_own=times_own,
        times_own_ci95=times_own_ci95,
        over_serial=over_serial,
        over_serial_ci95=over_serial_ci95,
        offloaded_share=statistics.median([sample.offloaded_share for sample in samples]),
        tasks=samples[-1].tasks,
        samples=ns,
    )


def _ratio(
    measured: Measured, of: Slot, over: Slot, wanted: bool
) -> tuple[float, tuple[float, float]] | tuple[None, None]:
    """Returns the median of the one's time over the other's, with its interval."""
    if not wanted or of in measured.failed or over in measured.failed:
        return None, None
    return statistics.median_and_ci(measured.ratios(of, over))


def _summaries(plan: Plan, measured: Measured) -> list[Summary]:
    found: list[Summary] = []
    names = [one.name for one in plan.contestants]
    for one in plan.contestants:
        if one.policy is None or one.base is None:
            continue
        others = [one.base]
        if one.base == CLANGS_OTHER and CLANGS_TARGET in names:
            others.append(CLANGS_TARGET)
        found += [line for over in others if (line := _summary(plan, measured, one.name, over))]
    return found


def _summary(plan: Plan, measured: Measured, runtime: str, over: str) -> Summary | None:
    """Returns the line of all five kernels, None where one is missing."""
    slots = [(Slot(case, over), Slot(case, runtime)) for case in KERNELS]
    chosen = [case.name for case in plan.cases]
    failed = any(slot in measured.failed for pair in slots for slot in pair)
    if failed or not set(KERNELS) <= set(chosen):
        return None
    speedups = [measured.ratios(of, over) for of, over in slots]
    medians = dict(zip(KERNELS, map(statistics.median, speedups), strict=True))
    least_case = min(medians, key=lambda case: medians[case])
    return Summary(
        runtime=runtime,
        over=over,
        geomean=statistics.geometric_mean(medians.values()),
        ci95=statistics.geometric_mean_of_medians_ci(speedups),
        least=medians[least_case],
        least_case=least_case,
    )


def _settings(plan: Plan, measured: Measured) -> Settings:
    contestants = plan.contestants
    return Settings(
        bases=[one.name for one in contestants if one.name == one.base],
        policies=[p for p in plan.policies if any(one.policy == p for one in contestants)],
        default_policy=plan.default_policy,
        threads=len(plan.cpus),
        cpus=list(plan.cpus),
        peers=plan.peers,
        environment={one.name: told for one in contestants if (told := _told(plan, one))},
        beside={case.name: dict(DEEP_STACK) for case in plan.cases if case.has_deep_tasks},
        sizes={case.name: _sizes(measured, case.name) for case in plan.cases},
        batches={case.name: plan.mode.batches_of(case) for case in plan.cases},
        processes={case.name: plan.mode.processes_of(case) for case in plan.cases},
        spin_steps_per_us=measured.spin_steps_per_us,
        taken_over=measured.taken_over,
        versions={
            slot.runtime: sample.version
            for slot in measured.samples
            for sample in measured.of([slot])
        },
    )


def _told(plan: Plan, contestant: Contestant) -> dict[str, str]:
    return drop_in.told(plan.environment(contestant), contestant.drop_in)


def _sizes(measured: Measured, case: str) -> list[int]:
    slots = [slot for slot in measured.samples if slot.case == case]
    return sorted({sample.size for sample in measured.of(slots)})


def _notes(plan: Plan, measured: Measured, contestant: Contestant) -> list[str]:
    """Returns what a reader must know of it: its own words, and CPUs that were not asked for."""
    slots: Sequence[Slot] = [s for s in measured.samples if s.runtime == contestant.name]
    samples = measured.of(slots)
    strays = {cpu for sample in samples for cpu in sample.cpus} - set(plan.cpus)
    stray = f"was seen on a CPU that is not its own: {sorted(strays)}" if strays else ""
    return distinct([contestant.note, *(sample.note for sample in samples), stray])
