"""The paper's Fig. 2: cycles per operation, by threads."""

from finegrain_lab.plots import COLOURS, TEXT, figure_and_axes, svg
from finegrain_lab.sync.results import Result


def cycles_figure(result: Result) -> str:
    """A line a mechanism; right of the dotted line threads share CPUs."""
    threads = result.settings.threads
    with figure_and_axes(4.6) as (figure, axes):
        for mechanism in result.runtimes:
            rows = [row for count in threads if (row := result.row(mechanism, count))]
            axes.errorbar(
                [row.threads for row in rows],
                [row.cycles for row in rows],
                yerr=(
                    [row.cycles - row.cycles_ci95[0] for row in rows],
                    [row.cycles_ci95[1] - row.cycles for row in rows],
                ),
                color=COLOURS[mechanism],
                marker="o",
                markersize=4,
                linewidth=1.5,
                capsize=3,
                label=mechanism,
            )
        axes.axvline(len(result.settings.cpus) * 2**0.1, color=TEXT, linewidth=1, linestyle=":")
        axes.set_xscale("log", base=2)
        axes.set_xticks(threads, [str(count) for count in threads])
        axes.set_yscale("log")
        axes.yaxis.set_major_formatter(lambda value, _place: f"{value:,g}")
        axes.set_xlabel("threads")
        axes.set_ylabel("cycles per operation")
        figure.legend(loc="outside upper left", ncols=4)
        return svg(figure, "cycles")
