# SPDX-License-Identifier: Apache-2.0
"""X-OpenMP's Fig. 8: how evenly the workers share what one of them has spawned."""

import statistics

from finegrain_lab.drawing import Drawing, drawing
from finegrain_lab.drop_in import shown_name
from finegrain_lab.plots import colours, figure_and_axes
from finegrain_lab.runtimes import SERIAL
from finegrain_lab.tasking import distribution
from finegrain_lab.tasking.contestants import CEILING
from finegrain_lab.tasking.flat import FlatCase
from finegrain_lab.tasking.modes import BY_THREAD
from finegrain_lab.tasking.protocol import TaskSample
from finegrain_lab.tasking.results import Result, Row
from finegrain_lab.tasking.study import Case, Measure, Study, Table
from finegrain_lab.threads import threads_text

HEIGHT_PER_RUNTIME_IN = 0.3
SPREAD_COLOUR = "#999999"


def _greatest_delta(sample: TaskSample, case: Case) -> float:
    """Returns the delta of the worker that is farthest from the ideal."""
    del case
    if sample.runtime == SERIAL:  # also side by side: each has its own, and nothing to share
        return 0.0
    return max(distribution.deltas_over_all(sample.tasks_by_thread))


def _case(name: str, tasks: int, delay_ns: int) -> FlatCase:
    return FlatCase(
        name, x=delay_ns, producers="one", tasks_each=tasks, delay_ns=delay_ns, by_thread=True
    )


def _rows(result: Result, case: str) -> list[Row]:
    return [
        row
        for row in result.results
        if row.case == case and row.runtime not in (SERIAL, CEILING) and row.tasks_by_thread
    ]


def _ranked(row: Row, result: Result) -> list[float]:
    return distribution.ranked_deltas(row.tasks_by_thread or (), result.settings.batches)


def _of_single_batches(row: Row) -> list[float]:
    return [delta for batch in row.tasks_by_thread or () for delta in distribution.deltas(batch)]


def _who(result: Result) -> str:
    threads = result.settings.threads[-1]
    alike = "; of two workers both have the same" if threads == 2 else ""
    return f"{threads_text(threads)}{alike}"


def _tables(study: Study, result: Result) -> list[Table]:
    del study
    return [_table(result, case) for case in result.cases]


def _table(result: Result, case: str) -> Table:
    rows = []
    for row in _rows(result, case):
        ranked, single = _ranked(row, result), _of_single_batches(row)
        numbers = (ranked[0], statistics.median(ranked), ranked[-1], min(single), max(single))
        rows.append((row.runtime, [*(f"{at:.4f}" for at in numbers), f"{row.ns:.1f}"]))
    return Table(
        f"{case}: delta of the workers, {_who(result)}",
        ("least", "median", "greatest", "batch, least", "greatest", "wall ns per task"),
        rows,
    )


def _figures(study: Study, result: Result) -> list[Drawing]:
    del study
    caption = (
        f"Delta on {_who(result)}. A dot a worker, by rank, over all batches of a process; grey: "
        "from the least to the greatest of a single batch. Lower is better."
    )
    return [_deltas(result, case, f"{case}: {caption}") for case in result.cases]


def _deltas(result: Result, case: str, caption: str) -> Drawing:
    rows = _rows(result, case)
    names = [row.runtime for row in rows]
    with figure_and_axes(1.2 + HEIGHT_PER_RUNTIME_IN * len(rows)) as (figure, axes):
        for at, (row, colour) in enumerate(zip(rows, colours(names), strict=True)):
            single, ranked = _of_single_batches(row), _ranked(row, result)
            extremes = [min(single), max(single)]
            axes.plot(extremes, [at, at], color=SPREAD_COLOUR, linewidth=1, label="single batches")
            axes.plot(
                ranked,
                [at] * len(ranked),
                color=colour,
                linestyle="",
                marker="o",
                label="over all batches",
            )
        axes.set_yticks(range(len(names)), [shown_name(name) for name in names])
        axes.set_xlim(left=-0.02)  # so that a dot at 0 is whole
        axes.set_xlabel("delta: |tasks - ideal| / ideal")
        axes.invert_yaxis()
        return drawing(figure, f"delta-{case}", caption)


STUDY = Study(
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
    cases=(_case("65536x100ns", 65_536, 100), _case("64x1ms", 64, 1_000_000)),
    measure=Measure("greatest delta", "off the ideal", lower_is_better=True, of=_greatest_delta),
    figures=_figures,
    tables=_tables,
    modes=BY_THREAD,
    speedup_over="serial",
    is_about_policies=True,
)
