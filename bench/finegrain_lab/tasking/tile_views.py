# SPDX-License-Identifier: Apache-2.0
"""The figures and the table of the tile algorithms."""

from finegrain_lab.drawing import Drawing
from finegrain_lab.tasking import plots
from finegrain_lab.tasking.results import Result
from finegrain_lab.tasking.study import Study, Table
from finegrain_lab.tasking.table import shown_row, value_text
from finegrain_lab.tasking.tiles import TileCase
from finegrain_lab.threads import threads_text


def figures(study: Study, result: Result) -> list[Drawing]:
    """The measure by tile size on the most threads, and by threads where that was run."""
    cases = _cases(study, result)
    by_threads = [case.name for case in cases if case.scaling]
    return [
        plots.lines_over_sizes("rows of a tile", study, result, cases),
        *plots.lines_over_threads_of(study, result, by_threads),
    ]


def best_tiles(study: Study, result: Result) -> list[Table]:
    """Of each runtime the highest value on the most threads, and where it has it."""
    del study
    threads = result.settings.threads[-1]
    rows = []
    for runtime in result.runtimes:
        shown = [shown_row(result, case, runtime, threads) for case in result.cases]
        best = max((row for row in shown if row), key=lambda row: row.value, default=None)
        if best:
            rows.append((runtime, [value_text(best), best.case]))
    settings = result.settings
    title = f"the highest {settings.measure}, {threads_text(threads)}, and with which tiles"
    return [Table(title, [settings.unit, "rows of a tile"], rows)]


def _cases(study: Study, result: Result) -> list[TileCase]:
    all_of_mode = study.cases_of(result.mode)
    cases = [case for case in all_of_mode if isinstance(case, TileCase)]
    return [case for case in cases if case.name in result.cases]
