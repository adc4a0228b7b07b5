# SPDX-License-Identifier: Apache-2.0
"""OpenMP's regions: what constructs cost, and what programs of many short loops take.

The constructs are measured in the manner of EPCC: J. M. Bull, "Measuring synchronisation and
scheduling overheads in OpenMP", EWOMP 1999.
"""

from __future__ import annotations

import statistics
from dataclasses import dataclass
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Tuple

from finegrain_lab.experiments.omp_regions_programs import (
    CASES,
    CONSTRUCTS,
    MODES,
    OUR_CLANGS,
    PAIR,
    PROGRAMS,
    THREADS,
    VARIANTS,
    Sample,
    complaint,
    discord,
    plan,
)
from finegrain_lab.run.experiment import Compared, Experiment, Fact, Ratio, Slot
from finegrain_lab.run.runtimes import SERIAL
from finegrain_lab.run.samples import ByRound, Samples, joined_batches, ratios_by_round
from finegrain_lab.run.threads import threads_text
from finegrain_lab.show.figures import Axis, Figure, Point, Series, mark
from finegrain_lab.show.tables import (
    AnyCell,
    Cell,
    Section,
    Table,
    grid,
    number,
    number_text,
    ratio,
    ratio_text,
)

SHORT_US = 20.0  # in the serial program
SHORT, ALL = f"< {SHORT_US:.0f} µs", "all"  # how long loops are
BETTER, OWN = "better", "own"  # what speedups are over: of both runtimes, its compiler's


@dataclass(frozen=True)
class Mean:
    """A variant over what it is held against, on these programs."""

    runtime: str
    over: str
    programs: str  # SHORT or ALL
    count: int
    geomean: float  # of the programs' speedups
    ci95: Tuple[float, float]
    least: float  # of them
    least_case: str


# ---- the rows


def _where(slot: Slot) -> str:
    is_program = not CASES[slot.case].is_construct
    return slot.case if is_program else f"{slot.case}, {threads_text(slot.threads)}"


def _is_ours(runtime: str) -> bool:
    return runtime in VARIANTS and VARIANTS[runtime].is_ours


def _own(row: Slot) -> Optional[Slot]:
    """The same program on its own runtime."""
    return row.but(runtime=VARIANTS[row.runtime].base) if _is_ours(row.runtime) else None


def _serial(row: Slot) -> Optional[Slot]:
    is_over = row.runtime != SERIAL and not CASES[row.case].is_construct
    return row.but(runtime=SERIAL, threads=1) if is_over else None


def _better(samples: Samples, row: Slot) -> ByRound:
    """Returns the times of the native runtime whose median is the least."""
    others = [row.but(runtime=it.name) for it in VARIANTS.values() if not it.is_ours]
    times = [samples.values(it, "ns") for it in others if it not in samples.failed]
    found = [it for it in times if it]
    return min(found, key=lambda it: statistics.median(it.values())) if found else {}


def _of_better(samples: Samples, row: Slot) -> Mapping[int, float]:
    if not _is_ours(row.runtime):
        return {}
    return ratios_by_round(samples.values(row, "ns"), _better(samples, row))


def _over_better(samples: Samples, row: Slot) -> Mapping[int, float]:
    return {at: 1 / times for at, times in _of_better(samples, row).items()}


def _summary(samples: Samples) -> Dict[str, Any]:
    return {
        "means": _means(samples),
        "versions": {row.runtime: it.version for row in samples.by_row for it in samples.of([row])},
    }


def _means(samples: Samples) -> List[Mean]:
    rows = [row for row in samples.by_row if not CASES[row.case].is_construct]
    names = [name for name in VARIANTS if any(row.runtime == name for row in rows)]
    kinds = {BETTER: "over_better", OWN: "over_own", SERIAL: "over_serial"}
    found = []
    for name in names:
        for over, ratio_name in kinds.items():
            speedups = {
                row.case: list(by_round.values())
                for row in rows
                if row.runtime == name and (by_round := samples.ratios(row, ratio_name))
            }
            short = {case: it for case, it in speedups.items() if _is_short(samples, case)}
            sets = ((SHORT, short), (ALL, speedups))
            found += [_mean(name, over, *them) for them in sets if them[1]]
    return found


def _mean(name: str, over: str, programs: str, speedups: Mapping[str, Sequence[float]]) -> Mean:
    from finegrain_lab.show import statistics

    medians = {case: statistics.median(values) for case, values in speedups.items()}
    least_case = min(medians, key=lambda case: medians[case])
    return Mean(
        runtime=name,
        over=over,
        programs=programs,
        count=len(medians),
        geomean=statistics.geometric_mean(medians.values()),
        ci95=statistics.geometric_mean_of_medians_ci(list(speedups.values())),
        least=medians[least_case],
        least_case=least_case,
    )


def _is_short(samples: Samples, case: str) -> bool:
    serial = Slot.of(case, SERIAL, threads=1)
    loops = samples.of([serial])[-1].loops
    times = samples.values(serial, "ns").values()
    return bool(statistics.median(times) / loops < 1000 * SHORT_US)


def _compared(result: Any, row: Any) -> Compared:
    """Ours over the same program on its own runtime."""
    own = VARIANTS[row.runtime].base if _is_ours(row.runtime) else None
    is_program = not CASES[row.case].is_construct
    serial = result.row(case=row.case, runtime=SERIAL) if is_program else None
    return Compared(
        # The programs' serial row stands beside those on all threads.
        row.case if is_program else f"{row.case}, {threads_text(row.threads)}",
        row.runtime,
        is_default=own is not None and not VARIANTS[row.runtime].variables,
        over=result.row(case=row.case, runtime=own, threads=row.threads) if own else serial,
        serial=serial,
    )


# ---- what is shown


def _header(result: Any) -> List[str]:
    from finegrain_lab.show.ratios import flagged

    means = [it for it in result.settings.means if it.over == BETTER]
    served = ", ".join(result.settings.served)
    return [
        f"programs on {threads_text(result.settings.threads)}, serial on one of them; with more "
        "threads than CPUs the runtimes wait as they come",
        *([f"proved ahead: the regions of {served} are finegrain's own"] if served else []),
        *(
            flagged(f"{it.runtime} over the better runtime: {_mean_text(it)}", result)
            for it in means
        ),
    ]


def _mean_text(mean: Mean) -> str:
    low, high = mean.ci95
    return (
        f"{ratio_text(mean.geomean, mean.ci95)} ({low:.2f} to {high:.2f}) on {mean.count} "
        f"programs (loops {mean.programs}), the least {mean.least:.2f} on {mean.least_case}"
    )


def _sections(result: Any) -> List[Section]:
    ours = [name for name in result.runtimes if _is_ours(name)]
    others = [name for name in result.runtimes if name != SERIAL]
    everyone = list(result.runtimes)
    better, own = ratio("times_better"), ratio("times_own")
    sections = [
        Section(
            "Programs of short loops",
            [
                *([_programs_figure(result, ours)] if ours else []),
                _means_table(result),
                _programs(
                    result, "speedup over the better runtime, paired", ours, ratio("over_better")
                ),
                _programs(
                    result,
                    "speedup over its compiler's runtime, paired",
                    ours,
                    ratio("over_own"),
                    False,
                ),
                _programs(result, "speedup over serial, paired", others, ratio("over_serial")),
                _programs(result, "µs a loop", everyone, _us_a_loop),
            ],
        ),
        Section(
            "Constructs",
            [
                *([_constructs_figure(result, others)] if others else []),
                *(_constructs(result, threads, "ns", others, number("ns")) for threads in THREADS),
                _constructs(result, PAIR, "times the floor", others, _times_floor(result)),
                *(
                    _constructs(
                        result, threads, "time over the better runtime's, paired", ours, better
                    )
                    for threads in THREADS
                ),
                *(
                    _constructs(
                        result,
                        threads,
                        "time over its compiler's runtime's, paired",
                        ours,
                        own,
                        False,
                    )
                    for threads in THREADS
                ),
            ],
        ),
    ]
    kept = (Section(it.heading, [part for part in it.parts if _says(part)]) for it in sections)
    return [section for section in kept if section.parts]


def _says(part: Any) -> bool:
    return bool(part.lines) if isinstance(part, Table) else bool(part.shown)


def _programs(
    result: Any,
    title: str,
    runtimes: Sequence[str],
    cell: Callable[[Any], AnyCell],
    on_terminal: bool = True,
) -> Table:
    lines = {case: {"case": case} for case in PROGRAMS if case in result.cases}
    columns = {name: {"runtime": name} for name in runtimes}
    return grid(result, title, "program", columns, cell, lines if columns else {}, on_terminal)


def _constructs(
    result: Any,
    threads: int,
    title: str,
    runtimes: Sequence[str],
    cell: Callable[[Any], AnyCell],
    on_terminal: bool = True,
) -> Table:
    is_there = result.rows_of(threads=threads)
    lines = {
        CASES[case].what: {"case": case, "threads": threads}
        for case in CONSTRUCTS
        if case in result.cases and is_there and runtimes
    }
    columns = {name: {"runtime": name} for name in runtimes}
    whole = f"{threads_text(threads)}, {title}"
    return grid(result, whole, "construct", columns, cell, lines, on_terminal)


def _us_a_loop(row: Any) -> Cell:
    low, high = row.ns_ci95
    us, *ends = (ns / row.loops / 1000 for ns in (row.ns, low, high))
    return Cell(number_text(us), (ends[0], ends[1]))


def _times_floor(result: Any) -> Callable[[Any], AnyCell]:
    def cell(row: Any) -> AnyCell:
        low, high = row.ns_ci95
        floor = result.floor_ns
        return Cell(f"{row.ns / floor:.2f}", (low / floor, high / floor))

    return cell


def _means_table(result: Any) -> Table:
    lines = [
        [
            *(it.runtime, it.over, it.programs, str(it.count), ratio_text(it.geomean, it.ci95)),
            *("{:.2f} to {:.2f}".format(*it.ci95), f"{it.least:.2f} {it.least_case}"),
        ]
        for it in result.settings.means
    ]
    heads = ["runtime", "over", "loops", "count", "mean", "interval", "least"]
    title = "speedup over the better runtime, the compiler's own and serial, geometric mean"
    return Table(title, heads, lines, names=3)


def _programs_figure(result: Any, ours: Sequence[str]) -> Figure:
    series = [
        Series(
            name,
            [
                Point(row.over_better, row.case, *row.over_better_ci95)
                for case in PROGRAMS
                for row in result.rows_of(case=case, runtime=name)
                if row.over_better is not None
            ],
            "bars",
        )
        for name in ours
    ]
    shown = {point.y for each in series for point in each.points}
    return Figure(
        "programs",
        "Speedup of each program over the better runtime, by size; higher is better. The thin "
        "lines are the intervals.",
        [*series, mark("the better runtime", x=1)],
        x=Axis("speedup over the better runtime", low=0),
        height_in=1.2 + 0.2 * len(ours) * max(1, len(shown)),
        legend=2,
    )


def _constructs_figure(result: Any, runtimes: Sequence[str]) -> Figure:
    series = [
        Series(
            name,
            [
                Point(row.ns, case, *row.ns_ci95)
                for case in CONSTRUCTS
                for row in result.rows_of(case=case, runtime=name, threads=PAIR)
            ],
            "bars",
        )
        for name in runtimes
    ]
    shown = {point.y for each in series for point in each.points}
    return Figure(
        "constructs",
        f"A construct on {threads_text(PAIR)}, beyond the same work without it; lower is better.",
        [*series, mark("floor", x=result.floor_ns, line=":", is_named=True)],
        x=Axis("ns", low=0),
        height_in=1.2 + 0.18 * len(runtimes) * max(1, len(shown)),
        legend=2,
    )


OMP_REGIONS = Experiment(
    name="omp-regions",
    title="OpenMP's constructs and programs of short loops, on regions of finegrain's own",
    heading="OpenMP's regions and loops",
    intro=(
        "The same plain OpenMP programs, built by clang for Intel's runtime and by gcc for GNU's, "
        "each run on that runtime and on the drop-in with threads and regions of its own "
        "(libfinegrain-omp-all.so). First programs of many short loops, in sizes whose loops last "
        "from one to about a hundred microseconds, each checked against the same program without "
        "OpenMP; then the constructs, each with a delay of 0.1 µs in it, minus the delays."
    ),
    modes=MODES,
    plan=plan,
    sample=Sample,
    numbers={"ns": lambda sample, _row: statistics.median(sample.ns)},
    complaint=complaint,
    discord=discord,
    joined=joined_batches,
    is_vital=lambda slot: slot.runtime == SERIAL,
    others={"threads": int},
    ratios={
        "times_own": Ratio("ns", _own),
        "times_better": Ratio(of=_of_better),
        "over_own": Ratio("ns", _own, is_inverse=True),  # a speedup, as are the next two
        "over_better": Ratio(of=_over_better),
        "over_serial": Ratio("ns", _serial, is_inverse=True),
    },
    facts={
        "loops": Fact(int, lambda samples, _row: samples[-1].loops),
        "offloaded_share": Fact(
            float, lambda samples, _row: statistics.median(it.offloaded_share for it in samples)
        ),
    },
    settings={
        "threads": int,
        "peers": str,
        "served": Dict[str, int],  # by runtime, implicit tasks ahead of the timed processes
        "means": List[Mean],
    },
    summary=_summary,
    own_cpus=lambda _row, settings: settings["cpus"],
    told=lambda slot: f"{slot.runtime} on {_where(slot)}",
    where=_where,
    decides=lambda row, _settings: row.runtime == OUR_CLANGS and not CASES[row.case].is_construct,
    deciding="times_better",
    contents={"cases": list(CASES)},
    options=frozenset({"--runtimes", "--cases", "--peers"}),
    header=_header,
    sections=_sections,
    compared=_compared,
)
