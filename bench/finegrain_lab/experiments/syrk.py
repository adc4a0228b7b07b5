# SPDX-License-Identifier: Apache-2.0
"""X-OpenMP's Fig. 11: a symmetric matrix updated by tiles, tasks in chains."""

from __future__ import annotations

from finegrain_lab.experiments.tiles import PAPER_ROWS, tile_cases, tile_study

SYRK = tile_study(
    name="syrk",
    title="symmetric rank-n update by tiles, tasks that wait for tasks: GFLOP/s by tile size",
    heading="SYRK by tiles: chains of tasks",
    intro=(
        "C := C - A A^T of square matrices, the lower triangle: every tile of C is updated once "
        "for each column of tiles of A, one update after the other, by a task each. The tasks are "
        "calls of OpenBLAS's kernels, which have no threads of their own. What waits for what is "
        "part of the time: OpenMP's runtimes find out from depend clauses, for the others it is "
        "computed from the same list of tasks. The serial row runs that list in its order."
    ),
    paper=(
        "P. Nookala et al., X-OpenMP, 2024, section 5.2, Fig. 11 (Skylake-192, 96 threads; 12K "
        "matrix; PLASMA's DSYRK)",
        "X-OpenMP with static round robin: the highest of all, 1229 GFLOPS at tile size 976",
        "X-OpenMP with wait-based stealing: 927 GFLOPS at 848; without waiting, stealing two "
        "tasks: 979 GFLOPS at 736",
        "LLVM OpenMP: 956 GFLOPS at 1024, about 50 % slower with smaller tiles",
        "OpenCilk: much slower at every tile size",
        "GNU OpenMP: takes a long time, very low GFLOPS; left out, as is oneTBB",
    ),
    cases={
        "quick": tile_cases("syrk", 1024, (32, 64, 128, 256)),
        "full": tile_cases("syrk", 2048, (32, 64, 128, 256, 512)),
        "paper": tile_cases("syrk", PAPER_ROWS, (736, 848, 976, 1024)),
    },
).experiment()
