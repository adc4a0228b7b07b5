# SPDX-License-Identifier: Apache-2.0
"""Tile algorithms as cases: a matrix, and how large its tiles are; figures and table of both."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from finegrain_lab.experiments.spawning import Case, TaskSample, modes
from finegrain_lab.experiments.task_figures import lines_over_sizes, lines_over_threads, on_most
from finegrain_lab.experiments.tasking import Measure, Study, shown_row, value_text
from finegrain_lab.show.figures import Figure
from finegrain_lab.show.tables import Table

# "12K": the same paper calls 8192 rows 8K.
PAPER_ROWS = 12_288
# A task of these does not depend on another one.
WITHOUT_DEPENDENCES = ("rayon", "chili")
WHOLE = {"cholesky": "LAPACK's dpotrf", "syrk": "BLAS's dsyrk"}


@dataclass(frozen=True)
class TileSample(TaskSample):
    """What a program prints of a tile algorithm."""

    n: int = 0  # rows of the matrix
    tile: int = 0  # rows of a tile
    blas: str = ""  # whose kernels


@dataclass(frozen=True)
class TileCase(Case):
    """Runs of a tile algorithm, a task a call of a kernel."""

    algorithm: str = ""
    rows: int = 0  # of the matrix
    x: int = 1  # where the plot has it: rows of a tile

    def is_for(self, runtime: str) -> bool:
        """Says whether the runtime can be told the order of tasks, or of waves of them."""
        return runtime not in WITHOUT_DEPENDENCES

    def arguments(self, threads: int, steps_per_us: float | None) -> list[Any]:
        """Returns what the program is told on so many threads."""
        del threads, steps_per_us
        return [self.algorithm, "--n", self.rows, "--tile", self.x]

    @property
    def tasks(self) -> int:
        """The calls of a run."""
        side = math.ceil(self.rows / self.x)
        if self.algorithm == "cholesky":
            return side * (side + 1) * (side + 2) // 6
        return side * side * (side + 1) // 2

    def complaint(self, sample: Any) -> str:
        """Returns that it was a run of something else."""
        if (sample.n, sample.tile) != (self.rows, self.x):
            return "answered with a run of something else"
        return "" if sample.tasks == self.tasks else f"had {sample.tasks} tasks, not {self.tasks}"

    def checked(self, samples: Sequence[Any]) -> str:
        """Says what every result was held against, and whose kernels ran."""
        kernels = sorted({sample.blas for sample in samples})
        return (
            f"{self.algorithm}: the result, after every run, against {WHOLE[self.algorithm]} of "
            f"the whole matrix; kernels of {' and of '.join(kernels)}"
        )


def tile_cases(
    algorithm: str, rows: int, tiles: Sequence[int], scaling: int | None = None
) -> list[TileCase]:
    """Returns a case a tile size; that of `scaling` is run on every number of threads."""
    of_paper = "as in the paper" if rows == PAPER_ROWS else f"the paper's has {PAPER_ROWS:,}"
    size = f"rows of a tile, of a matrix of {rows:,} rows, {of_paper}"
    return [
        TileCase(str(tile), (), tile == scaling, size=size, algorithm=algorithm, rows=rows, x=tile)
        for tile in tiles
    ]


def flops(algorithm: str, n: int) -> int:
    """Returns the operations of a run without tiles, by LAPACK Working Note 41."""
    return n * (n + 1) * (2 * n + 1) // 6 if algorithm == "cholesky" else n * n * (n + 1)


def gflops(sample: Any, case: Any) -> float:
    """Returns those of a run a nanosecond."""
    return float(flops(case.algorithm, sample.n) / (sample.mean_ns * sample.tasks))


def _figures(study: Study, result: Any) -> list[Figure]:
    cases = study.cases_in(result)
    return [
        lines_over_sizes(study, result, "rows of a tile", {case.name: case.x for case in cases}),
        *lines_over_threads(study, result, [case.name for case in cases if case.scaling]),
    ]


def _best_tiles(_study: Study, result: Any) -> list[Table]:
    """Returns of each runtime the highest value on the most threads, and where it has it."""
    lines = []
    for runtime in result.runtimes:
        rows = [row for case in result.cases if (row := shown_row(result, case, runtime))]
        if rows:
            best = max(rows, key=lambda row: row.value)
            lines.append([runtime, value_text(best.value), best.case])
    settings = result.settings
    title = f"the highest {settings.measure}, {on_most(result)}, and with which tiles"
    return [Table(title, ["runtime", settings.unit, "rows of a tile"], lines)]


# What two studies have in common. A process computes the result by one call for the whole matrix as
# well, and runs once more to warm up, and once more to count by thread. Batches of some 10 ms; of
# the paper's own sizes the text names no number, of another plot it says three.
tile_study = partial(
    Study,
    modes=modes({"batches": 5}, {"batches": 5}, (9, 20), 80, paper=3, sure=(0.02, 10)),
    measure=Measure("throughput", "GFLOP/s", "higher", gflops),
    figures=_figures,
    tables=_best_tiles,
    sample=TileSample,
)
