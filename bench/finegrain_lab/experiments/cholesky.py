# SPDX-License-Identifier: Apache-2.0
"""X-OpenMP's Fig. 12: a Cholesky factorisation by tiles, a graph of tasks that narrows."""

from __future__ import annotations

from finegrain_lab.experiments.tiles import PAPER_ROWS, tile_cases, tile_study

CHOLESKY = tile_study(
    name="cholesky",
    title="Cholesky factorisation by tiles, tasks that wait for tasks: GFLOP/s by tile size",
    heading="Cholesky by tiles: a graph of tasks",
    intro=(
        "The lower Cholesky factor of a symmetric positive definite matrix, right-looking: a "
        "diagonal tile is factored, the tiles below it solved for, and what is right of them "
        "updated, by a task each, which waits for those whose tiles it uses. The tasks are calls "
        "of OpenBLAS's kernels, which have no threads of their own. What waits for what is part of "
        "the time: OpenMP's runtimes find out from depend clauses, for the others it is computed "
        "from the same list of tasks. The serial row runs that list in its order."
    ),
    paper=(
        "P. Nookala et al., X-OpenMP, 2024, section 5.2, Fig. 12 (Skylake-192; 12K matrix; "
        "PLASMA's DPOTRF)",
        "96 threads, by tile size: the highest is 911 GFLOPS at 256, of X-OpenMP without waiting",
        "LLVM OpenMP peaks at 352, OpenCilk at 160, all versions of X-OpenMP at 256",
        "X-OpenMP with static round robin is like LLVM OpenMP overall; stealing is much better",
        "tile size 256, by threads: all scale up to 96; much slower with 192 and 384",
        "GNU OpenMP: takes a long time, very low GFLOPS; left out of the plots by tile size; "
        "oneTBB: left out",
    ),
    cases={
        "quick": tile_cases("cholesky", 1024, (32, 64, 128, 256), scaling=64),
        "full": tile_cases("cholesky", 2048, (32, 64, 128, 256, 512), scaling=64),
        "paper": tile_cases("cholesky", PAPER_ROWS, (160, 256, 352), scaling=256),
    },
).experiment()
