# SPDX-License-Identifier: Apache-2.0
"""OMPi's Figs. 7 to 9 and Table 1: the applications of the Barcelona OpenMP Tasks Suite."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from finegrain_lab.experiments.applications import (
    EXECUTION_TIME,
    ApplicationCase,
    ApplicationSample,
    application_modes,
)
from finegrain_lab.experiments.spawning import REFERENCE
from finegrain_lab.experiments.task_figures import lines_over_threads, on_most
from finegrain_lab.experiments.tasking import Study
from finegrain_lab.run.runtimes import SERIAL
from finegrain_lab.show.figures import Figure
from finegrain_lab.show.tables import Table

UNTIED = "-untied"  # what the names of such cases end on

# Each application's size. Quick: 0.4 to 25 ms on one thread (Xeon, model 207), full: up to 200 ms;
# the paper's, where its text states it: fib and nqueens. Its floorplan has 20 cells; twelve
# of ours, which branch more, take seconds.
SIZES = {
    "fib": (24, 27),
    "nqueens": (10, 10),
    "floorplan": (7, 8),
    "alignment": (20, 30),
    "fft": (1 << 17, 1 << 18),
    "health": (5, 6),
    "sort": (1 << 18, 1 << 20),
    "sparselu": (40, 50),
    "strassen": (512, 1024),
}
QUICK_SIZES, FULL_SIZES = ({name: them[at] for name, them in SIZES.items()} for at in (0, 1))
PAPER_SIZES = {**FULL_SIZES, "fib": 40, "nqueens": 14, "floorplan": 12}


def _cases(sizes: Mapping[str, int]) -> list[ApplicationCase]:
    """Returns each twice; untied tasks are run on the most threads only."""
    return [
        ApplicationCase(
            application + ("" if tied else UNTIED),
            [
                *("bots", "--application", application, "--size", size),
                *(() if tied else ("--untied-tasks",)),
            ],
            scaling=tied,
            size=f"size {size:,}",
            tied=tied,
        )
        for tied in (True, False)
        for application, size in sizes.items()
    ]


CASES = {"quick": _cases(QUICK_SIZES), "full": _cases(FULL_SIZES), "paper": _cases(PAPER_SIZES)}


def _tied(study: Study, result: Any) -> list[str]:
    return [case.name for case in study.cases_in(result) if case.tied]


def _figures(study: Study, result: Any) -> list[Figure]:
    return lines_over_threads(study, result, _tied(study, result))


def _tables(study: Study, result: Any) -> list[Table]:
    """Returns what the reference gains: over each runtime with the better one of its two forms."""
    applications = _tied(study, result)
    lines = [
        [runtime, *cells]
        for runtime in result.runtimes
        if runtime not in (SERIAL, REFERENCE) and (cells := _means(result, runtime, applications))
    ]
    title = (
        f"times the time of {REFERENCE} over all {len(applications)} applications, "
        f"{on_most(result)}; OpenMP: tied or untied, whichever is faster"
    )
    heads = ["runtime", "geometric mean", "95 %", "least", "of"]
    return [Table(title, heads, lines)] if lines else []


def _means(result: Any, runtime: str, applications: Sequence[str]) -> list[str]:
    """Returns the runtime's row; nothing if it lacks an application."""
    from finegrain_lab.show.statistics import (
        geometric_mean,
        geometric_mean_of_medians_ci,
        median,
    )

    samples: list[list[float]] = []
    for application in applications:
        both = (_ratios(result, case, runtime) for case in (application, application + UNTIED))
        forms = [ratios for ratios in both if ratios]
        if not forms:
            return []
        samples.append(min(forms, key=median))
    medians = [median(ratios) for ratios in samples]
    least = min(medians)
    is_enough = samples and all(len(ratios) > 1 for ratios in samples)
    low, high = geometric_mean_of_medians_ci(samples) if is_enough else (float("nan"),) * 2
    return [
        f"{geometric_mean(medians):.2f}",
        f"{low:.2f} to {high:.2f}",
        f"{least:.2f}",
        applications[medians.index(least)],
    ]


def _ratios(result: Any, case: str, runtime: str) -> list[float]:
    """Returns its times over the reference's, round by round."""
    row, reference = (
        result.row(case=case, runtime=name, threads=result.settings.threads[-1])
        for name in (runtime, REFERENCE)
    )
    if row is None or reference is None:
        return []
    return [own / other for own, other in zip(row.samples, reference.samples)]


BOTS = Study(
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
    modes=application_modes(paper=12),
    cases=CASES,
    measure=EXECUTION_TIME,
    figures=_figures,
    tables=_tables,
    sample=ApplicationSample,
).experiment()
