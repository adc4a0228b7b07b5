"""The figures and the table of the tile algorithms."""

from collections.abc import Sequence

from finegrain_lab.plots import figure_and_axes, svg
from finegrain_lab.tasking import plots
from finegrain_lab.tasking.results import Result
from finegrain_lab.tasking.study import Figure, Study, Table
from finegrain_lab.tasking.table import shown_row, value_text
from finegrain_lab.tasking.tiles import TileCase
from finegrain_lab.threads import threads_text


def figures(study: Study, result: Result) -> list[Figure]:
    """The measure by tile size on the most threads, and by threads where that was run."""
    cases = _cases(study, result)
    on_most = threads_text(result.settings.threads[-1])
    by_threads = [case.name for case in cases if case.scaling]
    return [
        Figure(_tiles_figure(study, result, cases), f"On {on_most}; higher is better."),
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


def _tiles_figure(study: Study, result: Result, cases: Sequence[TileCase]) -> str:
    with figure_and_axes(5.6) as (figure, axes):
        plots.plot_lines(axes, result, cases)
        axes.set_xscale("log", base=2)
        axes.set_xticks([case.x for case in cases], [case.name for case in cases])
        axes.minorticks_off()
        axes.set_ylim(bottom=0)
        axes.set_xlabel("rows of a tile")
        axes.set_ylabel(f"{study.measure.name}, {study.measure.unit}")
        figure.legend(loc="outside upper left", ncols=2)
        return svg(figure, "tiles")
