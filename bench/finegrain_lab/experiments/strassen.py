# SPDX-License-Identifier: Apache-2.0
"""X-OpenMP's Fig. 10: Strassen's multiplication by threads and by the size of its base."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from finegrain_lab.experiments.applications import (
    EXECUTION_TIME,
    ApplicationCase,
    ApplicationSample,
    application_modes,
)
from finegrain_lab.experiments.task_figures import lines_over_sizes, lines_over_threads
from finegrain_lab.experiments.tasking import Study
from finegrain_lab.show.figures import Figure


def _cases(rows: int, bases: Sequence[int], scaling_base: int) -> list[ApplicationCase]:
    def case(name: str, base: int, *, scaling: bool = False) -> ApplicationCase:
        words = ("bots", "--application", "strassen", "--size", rows, "--base", base)
        size = f"{rows:,} rows" + (f", base {base}" if scaling else "")
        return ApplicationCase(name, words, scaling, size=size, base=base)

    return [
        case("scaling", scaling_base, scaling=True),
        *(case(f"base-{base}", base) for base in bases),
    ]


# Quick and full: as many levels of tasks as in the paper, or one less.
CASES = {
    "quick": _cases(512, (16, 32, 64, 128), 32),
    "full": _cases(1024, (16, 32, 64, 128), 32),
    "paper": _cases(8192, (128, 256, 512, 1024), 256),
}


def _figures(study: Study, result: Any) -> list[Figure]:
    cases = study.cases_in(result)
    by_base = {case.name: case.base for case in cases if not case.scaling}
    return [
        *lines_over_threads(study, result, [case.name for case in cases if case.scaling]),
        *([lines_over_sizes(study, result, "rows of the base", by_base)] if by_base else []),
    ]


STRASSEN = Study(
    name="strassen",
    title="Strassen's multiplication: execution time by threads and by the size of the base",
    heading="Strassen's matrix multiplication",
    intro=(
        "Two square matrices of doubles are multiplied by quarters, a task for each of the seven "
        "products, down to a base of so many rows, which is multiplied without tasks, divided and "
        "conquered by eighths. The kernel is that of the experiment bots. Smaller matrices than "
        "the paper's have smaller bases, so that there are about as many levels of tasks."
    ),
    paper=(
        "P. Nookala et al., X-OpenMP, 2024, section 5.2, Fig. 10 (Skylake-192; 8192 rows, base "
        "256)",
        "GNU OpenMP: 3.6 s on 96 threads, the fastest",
        "oneTBB: 4.5 s on 48 threads; as X-OpenMP on 96",
        "X-OpenMP with static round robin: 5.9 s on 96 threads; best with bases of 256 and 512",
        "LLVM OpenMP: about 5% slower than X-OpenMP on 96 threads",
        "OpenCilk: 6.37 s on 48 threads",
    ),
    modes=application_modes(paper=3),
    cases=CASES,
    measure=EXECUTION_TIME,
    figures=_figures,
    sample=ApplicationSample,
).experiment()
