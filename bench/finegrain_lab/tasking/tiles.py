# SPDX-License-Identifier: Apache-2.0
"""Tile algorithms as cases: a matrix, and how large its tiles are."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from finegrain_lab.notes import distinct
from finegrain_lab.processes import ProcessFailed
from finegrain_lab.tasking.protocol import TaskSample, TileSample
from finegrain_lab.tasking.study import Case, Measure

Algorithm = Literal["cholesky", "syrk"]

# "12K": the same paper calls 8192 rows 8K.
PAPER_ROWS = 12_288

WHOLE = {"cholesky": "LAPACK's dpotrf", "syrk": "BLAS's dsyrk"}


@dataclass(frozen=True, kw_only=True)
class TileCase(Case):
    """Runs of a tile algorithm, a task a call of a kernel."""

    words: tuple[str, ...] = ()
    algorithm: Algorithm
    rows: int  # of the matrix
    x: int  # where the plot has it: rows of a tile

    @property
    def answer(self) -> type[TaskSample]:
        """What the program prints."""
        return TileSample

    def arguments(self, threads: int, spin_steps_per_us: float | None) -> list[str]:
        """Returns what the program is told on so many threads."""
        del threads, spin_steps_per_us
        return [self.algorithm, "--n", str(self.rows), "--tile", str(self.x)]

    @property
    def tasks(self) -> int:
        """The calls of a run."""
        side = math.ceil(self.rows / self.x)
        if self.algorithm == "cholesky":
            return side * (side + 1) * (side + 2) // 6
        return side * side * (side + 1) // 2

    @property
    def flops(self) -> int:
        """The operations of a run without tiles, by LAPACK Working Note 41."""
        n = self.rows
        if self.algorithm == "cholesky":
            return n * (n + 1) * (2 * n + 1) // 6
        return n * n * (n + 1)

    def require_whole(self, sample: TaskSample) -> None:
        """Raises ProcessFailed for a run of something else."""
        assert isinstance(sample, TileSample)
        if (sample.n, sample.tile) != (self.rows, self.x):
            raise ProcessFailed("answered with a run of something else")
        if sample.tasks != self.tasks:
            raise ProcessFailed(f"had {sample.tasks} tasks, not {self.tasks}")

    def checked(self, samples: Sequence[TaskSample]) -> str:
        """Says what every result was held against, and whose kernels ran."""
        kernels = distinct(sample.blas for sample in samples if isinstance(sample, TileSample))
        return (
            f"{self.algorithm}: the result, after every run, against {WHOLE[self.algorithm]} of "
            f"the whole matrix; kernels of {' and of '.join(kernels)}"
        )


def tile_cases(
    algorithm: Algorithm, rows: int, tiles: Sequence[int], scaling: int | None = None
) -> tuple[TileCase, ...]:
    """Returns a case a tile size; that of `scaling` is run on every number of threads."""
    of_paper = "as in the paper" if rows == PAPER_ROWS else f"the paper's has {PAPER_ROWS:,}"
    return tuple(
        TileCase(
            name=str(tile),
            algorithm=algorithm,
            rows=rows,
            x=tile,
            scaling=tile == scaling,
            size=f"rows of a tile, of a matrix of {rows:,} rows, {of_paper}",
        )
        for tile in tiles
    )


def _gflops(sample: TaskSample, case: Case) -> float:
    assert isinstance(case, TileCase)
    return case.flops / (sample.mean_ns * sample.tasks)


GFLOPS = Measure("throughput", "GFLOP/s", lower_is_better=False, of=_gflops)
