# SPDX-License-Identifier: Apache-2.0
"""OMPi's Figs. 7 to 9 and Table 1: the applications of the Barcelona OpenMP Tasks Suite."""

from collections.abc import Mapping, Sequence

from finegrain_lab import statistics
from finegrain_lab.drawing import Drawing
from finegrain_lab.runtimes import SERIAL
from finegrain_lab.tasking import plots
from finegrain_lab.tasking.applications import CHECK, EXECUTION_TIME, ApplicationCase
from finegrain_lab.tasking.contestants import REFERENCE
from finegrain_lab.tasking.modes import APPLICATIONS as MODES
from finegrain_lab.tasking.results import Result
from finegrain_lab.tasking.study import Study, Table
from finegrain_lab.threads import threads_text

UNTIED = "-untied"  # what the names of such cases end on

# By mode, each application's size. Quick: 0.4 to 25 ms on one thread (Xeon, model 207), full: up to
# 200 ms; the paper's, where its text states it: fib and nqueens. Its floorplan has 20 cells; twelve
# of ours, which branch more, take seconds.
QUICK_SIZES = {
    "fib": 24,
    "nqueens": 10,
    "floorplan": 7,
    "alignment": 20,
    "fft": 1 << 17,
    "health": 5,
    "sort": 1 << 18,
    "sparselu": 40,
    "strassen": 512,
}
FULL_SIZES = {
    "fib": 27,
    "nqueens": 10,
    "floorplan": 8,
    "alignment": 30,
    "fft": 1 << 18,
    "health": 6,
    "sort": 1 << 20,
    "sparselu": 50,
    "strassen": 1024,
}
PAPER_SIZES = FULL_SIZES | {"fib": 40, "nqueens": 14, "floorplan": 12}


def _cases(sizes: Mapping[str, int]) -> tuple[ApplicationCase, ...]:
    return tuple(
        ApplicationCase(
            application + ("" if tied else UNTIED),
            ("bots", "--application", application, "--size", str(size))
            + (() if tied else ("--untied-tasks",)),
            scaling=tied,
            check=CHECK,
            size=f"size {size:,}",
            tied=tied,
        )
        for tied in (True, False)
        for application, size in sizes.items()
    )


def _figures(study: Study, result: Result) -> list[Drawing]:
    """Returns a figure an application; untied tasks are run on the most threads only."""
    return plots.lines_over_threads_of(study, result, _tied_cases(study, result))


def _tied_cases(study: Study, result: Result) -> list[str]:
    return [
        case.name
        for case in study.cases_of(result.mode)
        if isinstance(case, ApplicationCase) and case.tied and case.name in result.cases
    ]


def _tables(study: Study, result: Result) -> list[Table]:
    """Returns what the reference gains: over each runtime with the better one of its two forms."""
    applications = _tied_cases(study, result)
    rows = [
        (runtime, cells)
        for runtime in result.runtimes
        if runtime not in (SERIAL, REFERENCE)
        and (cells := _cells_of(result, runtime, applications))
    ]
    if not rows:
        return []
    on_most = threads_text(result.settings.threads[-1])
    title = (
        f"times the time of {REFERENCE} over all {len(applications)} applications, {on_most}; "
        "OpenMP: tied or untied, whichever is faster"
    )
    return [Table(title, ("geometric mean", "95 %", "least", "of"), rows)]


def _cells_of(result: Result, runtime: str, applications: Sequence[str]) -> list[str]:
    """Returns the runtime's row; nothing if it lacks an application."""
    samples: list[list[float]] = []
    for application in applications:
        forms = [
            ratios
            for case in (application, application + UNTIED)
            if (ratios := _ratios(result, case, runtime))
        ]
        if not forms:
            return []
        samples.append(min(forms, key=statistics.median))
    medians = [statistics.median(ratios) for ratios in samples]
    least = min(medians)
    low, high = (
        statistics.geometric_mean_of_medians_ci(samples)
        if all(len(ratios) > 1 for ratios in samples)
        else (float("nan"), float("nan"))
    )
    return [
        f"{statistics.geometric_mean(medians):.2f}",
        f"{low:.2f} to {high:.2f}",
        f"{least:.2f}",
        applications[medians.index(least)],
    ]


def _ratios(result: Result, case: str, runtime: str) -> list[float]:
    """Returns its times over the reference's, round by round."""
    most = result.settings.threads[-1]
    row, reference = (result.row(case, name, most) for name in (runtime, REFERENCE))
    if row is None or reference is None:
        return []
    return [own / other for own, other in zip(row.samples, reference.samples, strict=True)]


STUDY = Study(
    name="bots",
    title="the nine applications of the Barcelona OpenMP Tasks Suite: execution time by threads",
    heading="BOTS: nine applications of tasks",
    intro=(
        "fib, nqueens, floorplan, alignment, fft, health, sort, sparselu and strassen, written "
        "anew from their published descriptions, without the suite's code, on inputs of our own "
        "from fixed seeds; no cutoff but the sequential leaves that the suite has. One source for "
        "all runtimes: a task spawns tasks into a group and waits for them. OpenMP's tasks are "
        "tied, "
        f"or untied in the cases that end on '{UNTIED}'. Cilk has no group of tasks that another "
        "function could add to, and takes no part. How many tasks floorplan has depends on which "
        "branch finds a good plan first; its time is that of the whole search."
    ),
    paper=(
        "S. Agathos et al., OMPi tasking, 2012, section 4.2, Figs. 7 to 9 and Table 1 (16 cores, "
        "Opteron 6128; ICC 12.1, GCC 4.4.5, SUNCC 12.2; no cutoff; the better one of tied and "
        "untied)",
        "fib of 40: OMPi is 4 to 8 times faster than ICC",
        "nqueens of 14: OMPi is up to 3 times faster than ICC",
        "floorplan, input.20: OMPi is the fastest; GCC slows down with threads, SUNCC has no "
        "speedup",
        "alignment, fft, health, sort, sparselu, strassen: OMPi with ICC behind it is first or "
        "second",
    ),
    cases=_cases(QUICK_SIZES),
    cases_in={"full": _cases(FULL_SIZES), "paper": _cases(PAPER_SIZES)},
    measure=EXECUTION_TIME,
    figures=_figures,
    tables=_tables,
    modes=MODES,
)
