# SPDX-License-Identifier: Apache-2.0
"""X-OpenMP's Fig. 8: how evenly the workers share what one of them has spawned."""

from __future__ import annotations

import statistics
from typing import Any

from finegrain_lab.experiments import by_thread
from finegrain_lab.experiments.flat import FlatCase
from finegrain_lab.experiments.task_figures import on_most
from finegrain_lab.experiments.tasking import Measure, Study
from finegrain_lab.run.drop_in import shown_name
from finegrain_lab.run.runtimes import SERIAL
from finegrain_lab.show.figures import Axis, Figure, Point, Series
from finegrain_lab.show.tables import Table

HEIGHT_PER_RUNTIME_IN = 0.3


def _greatest_delta(sample: Any, _case: Any) -> float:
    """Returns the delta of the worker that is farthest from the ideal."""
    if sample.runtime == SERIAL:  # also side by side: each has its own, and nothing to share
        return 0.0
    return max(by_thread.deltas_over_all(sample.tasks_by_thread))


def _case(name: str, tasks: int, delay_ns: int) -> FlatCase:
    return FlatCase(
        name, x=delay_ns, producers="one", tasks_each=tasks, delay_ns=delay_ns, by_thread=True
    )


def _shared(result: Any, case: str) -> list[tuple[Any, list[float], list[float]]]:
    """Returns the rows, the deltas of each by rank, and those of its single batches."""
    return [
        (
            row,
            by_thread.ranked_deltas(row.tasks_by_thread, result.settings.batches),
            [delta for batch in row.tasks_by_thread for delta in by_thread.deltas(batch)],
        )
        for row in result.rows_of(case=case)
        if row.runtime != SERIAL and row.tasks_by_thread
    ]


def _who(result: Any) -> str:
    alike = "; of two workers both have the same" if result.settings.threads[-1] == 2 else ""
    return f"{on_most(result)}{alike}"


def _tables(_study: Study, result: Any) -> list[Table]:
    heads = ("least", "median", "greatest", "batch, least", "greatest", "wall ns per task")
    found = []
    for case in result.cases:
        lines = []
        for row, ranked, single in _shared(result, case):
            deltas = (ranked[0], statistics.median(ranked), ranked[-1], min(single), max(single))
            lines.append([row.runtime, *(f"{at:.4f}" for at in deltas), f"{row.ns:.1f}"])
        title = f"{case}: delta of the workers, {_who(result)}"
        found.append(Table(title, ["runtime", *heads], lines))
    return found


def _figures(_study: Study, result: Any) -> list[Figure]:
    caption = (
        f"Delta on {_who(result)}. A dot a worker, by rank, over all batches of a process; thin "
        "line: from the least to the greatest of a single batch. Lower is better."
    )
    figures = []
    for case in result.cases:
        extremes, dots = [], []
        for row, ranked, single in _shared(result, case):
            name, least, greatest = shown_name(row.runtime), min(single), max(single)
            extremes += [Point(least, name), Point(greatest, name, least, greatest)]
            dots += [Point(at, name, like=row.runtime) for at in ranked]
        series = [
            Series("single batches", extremes, "dots", marker="|"),
            Series("over all batches", dots, "dots"),
        ]
        x = Axis("delta: |tasks - ideal| / ideal", low=-0.02)  # so that a dot at 0 is whole
        height = 1.2 + HEIGHT_PER_RUNTIME_IN * len(extremes) / 2
        figures.append(Figure(f"delta-{case}", f"{case}: {caption}", series, x, height_in=height))
    return figures


STEALING_EFFICIENCY = Study(
    name="stealing-efficiency",
    title="tasks spawned by one thread alone: how evenly all threads share them",
    heading="Stealing efficiency: how evenly one thread's tasks are shared",
    intro=(
        "One thread spawns all tasks, the others have to get theirs from it. The delta of a worker "
        "is |tasks - ideal| / ideal, of its tasks in all batches of a process, the ideal being an "
        "equal part; the number is the greatest delta of the workers. 65,536 tasks of 100 ns are "
        "the paper's; 64 of 1 ms are what every policy has to bring near the ceiling: that many "
        "serial processes, side by side. A delta above 0 may cost nothing, where spawning is work "
        "too: see the speedups."
    ),
    paper=(
        "P. Nookala et al., X-OpenMP, 2024, section 5.1, Fig. 8 (192 threads, Skylake-192; 65K "
        "tasks of 0.1 µs, over 20 runs)",
        "X-OpenMP, all versions: delta very close to 0",
        "LLVM OpenMP: 0.0005 to 0.99",
        "GNU OpenMP: significant variance; runs 5 to 10 times slower than LLVM and X-OpenMP",
        "OpenCilk: 0 to 2.08",
        "oneTBB: 0.001 to 5.84",
    ),
    modes=by_thread.BY_THREAD,
    cases={"quick": (_case("65536x100ns", 65_536, 100), _case("64x1ms", 64, 1_000_000))},
    measure=Measure("greatest delta", "off the ideal", "lower", _greatest_delta),
    figures=_figures,
    tables=_tables,
    speedup_over="serial",
    is_about_policies=True,
).experiment()
