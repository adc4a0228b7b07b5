# SPDX-License-Identifier: Apache-2.0
"""X-OpenMP's Figs. 3, 13 and 14: the Unbalanced Tree Search."""

from finegrain_lab.tasking import uts_views
from finegrain_lab.tasking.modes import SEARCHES
from finegrain_lab.tasking.protocol import TaskSample
from finegrain_lab.tasking.study import Case, Measure, Study
from finegrain_lab.tasking.uts_case import UtsCase


def _seconds(sample: TaskSample, case: Case) -> float:
    del case
    return sample.mean_ns * sample.tasks / 1e9


def _by_granularity(tree: str, *granularities: int) -> list[UtsCase]:
    return [UtsCase(name=f"{tree}x{each}", tree=tree, x=each) for each in granularities]


STUDY = Study(
    name="uts",
    title="Unbalanced Tree Search, a task a node: time of a search",
    heading="Unbalanced Tree Search: balancing what nobody can foresee",
    intro=(
        "The trees of the UTS benchmark are computed while they are walked: a node is a SHA-1 of "
        "its parent's, which says how many children it has. Each node is a task that spawns a task "
        "for each child. T1 is geometric: 10 levels, nodes of 4 children on average. T3 and T3L "
        "are binomial: a node has 8, or 5, children or none, so that most of the tree hangs on few "
        "nodes. At granularity N (T3xN) every node is computed N times. The ceiling is what the "
        "CPUs can do: that many serial searches side by side."
    ),
    paper=(
        "P. Nookala et al., X-OpenMP, 2024, section 5.2 (Skylake-192; T3L; granularity 1 is fine, "
        "10 coarse)",
        "192 threads: X-OpenMP with static round robin is the fastest: 8.6 s, 9.9 s and 11.8 s for "
        "fine, medium and coarse tasks",
        "192 threads: GNU OpenMP about 40 times slower than X-OpenMP at every granularity, "
        "OpenCilk 6 times, oneTBB 5 times",
        "96 threads: X-OpenMP with static round robin is the fastest for fine tasks; without "
        "waiting, stealing one task, for medium and coarse ones: 11.9 s and 13.1 s",
        "96 threads: X-OpenMP 10 times faster than GNU OpenMP, twice as fast as LLVM OpenMP",
        "Fig. 3, GNU OpenMP: several workers are idle most of the time, others for a significant "
        "part of it; Fig. 14, X-OpenMP, 192 threads: reasonably balanced",
    ),
    cases=(
        UtsCase(name="T1", tree="T1"),
        UtsCase(name="T3", tree="T3", with_timeline=True),
        *_by_granularity("T3", 4),
    ),
    cases_in={
        "full": (
            UtsCase(name="T1", tree="T1", scaling=True),
            UtsCase(name="T3", tree="T3", scaling=True, with_timeline=True),
            *_by_granularity("T3", 2, 5, 10),
        ),
        # Medium is what lies between the two that the text names.
        "paper": (
            UtsCase(name="T3L", tree="T3L", with_timeline=True),
            *_by_granularity("T3L", 5, 10),
        ),
    },
    measure=Measure("execution time", "s", lower_is_better=True, of=_seconds),
    figures=uts_views.figures,
    tables=uts_views.busy_table,
    modes=SEARCHES,
    speedup_over="serial",
)
