# SPDX-License-Identifier: Apache-2.0
"""X-OpenMP's Fig. 10: Strassen's multiplication by threads and by the size of its base."""

from dataclasses import dataclass

from finegrain_lab.drawing import Drawing
from finegrain_lab.tasking import plots
from finegrain_lab.tasking.applications import CHECK, EXECUTION_TIME, ApplicationCase
from finegrain_lab.tasking.modes import APPLICATIONS, paper_mode
from finegrain_lab.tasking.results import Result
from finegrain_lab.tasking.study import Study

PAPER_ROWS = 8192
PAPER_RUNS = 3


@dataclass(frozen=True)
class Sizes:
    """Of the matrices, in rows."""

    rows: int
    bases: tuple[int, ...]
    scaling_base: int  # of the case by threads


# Quick and full: as many levels of tasks as in the paper, or one less.
QUICK = Sizes(rows=512, bases=(16, 32, 64, 128), scaling_base=32)
FULL = Sizes(rows=1024, bases=(16, 32, 64, 128), scaling_base=32)
PAPER = Sizes(rows=PAPER_ROWS, bases=(128, 256, 512, 1024), scaling_base=256)


@dataclass(frozen=True, kw_only=True)
class StrassenCase(ApplicationCase):
    """A product, down to a base of so many rows."""

    base: int

    @property
    def x(self) -> float:
        """Its place on a plot's axis."""
        return self.base


def _cases(sizes: Sizes) -> tuple[StrassenCase, ...]:
    def case(name: str, base: int, scaling: bool) -> StrassenCase:
        words = ("bots", "--application", "strassen", "--size", str(sizes.rows))
        return StrassenCase(
            name,
            (*words, "--base", str(base)),
            scaling=scaling,
            check=CHECK,
            size=f"{sizes.rows:,} rows" + (f", base {base}" if scaling else ""),
            tied=True,
            base=base,
        )

    return (
        case("scaling", sizes.scaling_base, scaling=True),
        *(case(f"base-{base}", base, scaling=False) for base in sizes.bases),
    )


def _figures(study: Study, result: Result) -> list[Drawing]:
    chosen = [case for case in study.cases_of(result.mode) if case.name in result.cases]
    by_base = [case for case in chosen if isinstance(case, StrassenCase) and not case.scaling]
    scaled = [case.name for case in chosen if case.scaling]
    figures = plots.lines_over_threads_of(study, result, scaled)
    if by_base:
        figures.append(plots.lines_over_sizes("rows of the base", study, result, by_base))
    return figures


STUDY = Study(
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
    cases=_cases(QUICK),
    cases_in={"full": _cases(FULL), "paper": _cases(PAPER)},
    measure=EXECUTION_TIME,
    figures=_figures,
    modes=APPLICATIONS | {"paper": paper_mode(PAPER_RUNS)},
)
