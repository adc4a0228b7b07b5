# SPDX-License-Identifier: Apache-2.0
"""Turns samples into the result file."""

from collections.abc import Mapping, Sequence

from finegrain_lab import statistics
from finegrain_lab.notes import notes_of
from finegrain_lab.relic_kernels.cases import KERNELS, NAME
from finegrain_lab.relic_kernels.measure import Measured, Pair, Plan
from finegrain_lab.relic_kernels.results import Built, Lead, Result, Row, Settings, Summary
from finegrain_lab.results import Failure, Host, Missing
from finegrain_lab.runtimes import SERIAL


def to_result(plan: Plan, measured: Measured, host: Host) -> Result:
    """Turns samples into the result file."""
    names = [runtime.name for runtime in plan.runtimes]
    pairs = [Pair(case, name) for case in plan.cases for name in names]
    rows = [_row(measured, pair) for pair in pairs if pair not in measured.failed]
    serial = {row.case: row.serial_ns for row in rows if row.runtime == SERIAL}
    header = measured.header(NAME, plan.mode, host)
    bounds = {
        case: statistics.bound(serial[case], header["floor_ns"])
        for case in KERNELS
        if case in serial
    }
    return Result(
        **header,
        settings=Settings(
            peers=plan.peers, environment={name: plan.environment(name) for name in names}
        ),
        cases=list(plan.cases),
        runtimes=names,
        built={r.name: Built(compiler=r.compiler, flags=r.flags) for r in plan.runtimes},
        missing=[
            Missing(runtime=runtime.name, how_to_get=runtime.how_to_get)
            for runtime in plan.build.missing("relic-kernels")
        ],
        failed=[
            Failure(runtime=pair.runtime, case=pair.case, reason=reason)
            for pair, reason in measured.failed.items()
        ],
        notes=_notes(plan, measured),
        bound=statistics.geometric_mean(bounds.values()) if len(bounds) == len(KERNELS) else None,
        bounds=bounds,
        spin_steps_per_us=measured.spin_steps_per_us,
        results=rows,
        summary=summarise(rows, names),
        leads=[line for case in plan.cases for line in _leads(measured, rows, case)],
    )


def _row(measured: Measured, pair: Pair) -> Row:
    samples = measured.of([pair])
    ns = [sample.ns for sample in samples]
    speedups = measured.speedups(pair)
    return Row(
        case=pair.case,
        runtime=pair.runtime,
        ns=statistics.median(ns),
        ns_ci95=statistics.median_ci(ns),
        serial_ns=statistics.median(list(measured.ns(Pair(pair.case, SERIAL)).values())),
        speedup=statistics.median(speedups),
        ci95=statistics.median_ci(speedups),
        offloaded_share=sum(sample.offloaded_share for sample in samples) / len(samples),
        iterations=int(statistics.median([sample.iterations for sample in samples])),
        main_cpu=samples[-1].main_cpu,
        task_cpus=sorted({cpu for sample in samples for cpu in sample.task_cpus}),
        version=samples[-1].version,
        samples=ns,
    )


def summarise(rows: Sequence[Row], runtimes: Sequence[str]) -> list[Summary]:
    """Returns a line for each runtime that has all seven kernels; spin cases do not count."""
    by_runtime: Mapping[str, dict[str, Row]] = {name: {} for name in runtimes}
    for row in rows:
        if row.case in KERNELS:
            by_runtime[row.runtime][row.case] = row
    return [
        Summary(
            runtime=name,
            geomean=statistics.geometric_mean(row.speedup for row in kernels.values()),
            geomean_no_negative=statistics.geometric_mean_no_negative(
                row.speedup for row in kernels.values()
            ),
            offloaded_share=sum(row.offloaded_share for row in kernels.values()) / len(kernels),
        )
        for name, kernels in by_runtime.items()
        if len(kernels) == len(KERNELS)
    ]


def _leads(measured: Measured, rows: Sequence[Row], case: str) -> list[Lead]:
    """Returns the lead of the case, nothing where fewer than two runtimes ran it."""
    ranked = sorted(
        (row for row in rows if row.case == case and row.runtime != SERIAL),
        key=lambda row: row.speedup,
        reverse=True,
    )
    if len(ranked) < 2:
        return []
    first, second = (row.runtime for row in ranked[:2])
    ratios = statistics.paired_ratios(
        measured.ns(Pair(case, second)), measured.ns(Pair(case, first))
    )
    return [
        Lead(
            case=case,
            runtime=first,
            runner_up=second,
            ratio=statistics.median(ratios),
            ci95=statistics.median_ci(ratios),
        )
    ]


def _notes(plan: Plan, measured: Measured) -> dict[str, list[str]]:
    """What the build and the processes say of a runtime, and CPUs that were not asked for."""
    notes: dict[str, list[str]] = {}
    for runtime in plan.runtimes:
        samples = measured.of(Pair(case, runtime.name) for case in plan.cases)
        found = notes_of(samples, plan.cpus, runtime.note)
        if found:
            notes[runtime.name] = found
    return notes
