"""What the paper plots, by what the study varies."""

from matplotlib.axes import Axes

from finegrain_lab.flat_loops.results import Result
from finegrain_lab.flat_loops.study import Producers, Study
from finegrain_lab.flat_loops.table import shown_row
from finegrain_lab.plots import COLOURS, OTHER_COLOUR, figure_and_axes, svg

LEAST_SHOWN_NS = 0.1  # an overhead can be below 0 by the clock's noise


def value_figure(study: Study, result: Result, producers: Producers) -> str:
    """The measure on the most threads; a line a runtime."""
    with figure_and_axes(5.6) as (figure, axes):
        _lines(axes, study, result, producers)
        axes.set_xscale("symlog", linthresh=1)
        axes.set_yscale("log")
        axes.yaxis.set_major_formatter(lambda value, _place: f"{value:g}")
        xs = [case.x for case in study.cases if case.producers == producers]
        axes.set_xticks(xs, [f"{x:g}" for x in xs])
        axes.set_xlabel(study.x_label)
        axes.set_ylabel(f"{study.measure.name}, {study.measure.unit}")
        figure.legend(loc="outside upper left", ncols=2)
        return svg(figure, f"value-{producers}")


def _lines(axes: Axes, study: Study, result: Result, producers: Producers) -> None:
    cases = [study.case(name) for name in result.cases]
    for runtime in result.runtimes:
        points = [
            (case.x, max(row.value, LEAST_SHOWN_NS))
            for case in cases
            if case.producers == producers
            and (row := shown_row(result, case.name, runtime, result.settings.threads[-1]))
        ]
        if points:
            axes.plot(
                [x for x, _ in points],
                [value for _, value in points],
                color=COLOURS.get(runtime, OTHER_COLOUR),
                linestyle="-" if runtime in COLOURS else "--",
                marker="o",
                markersize=4,
                label=runtime,
            )
