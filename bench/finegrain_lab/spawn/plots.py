"""Time per spawn and speed-up, by runtime."""

from finegrain_lab.plots import TEXT, colours, figure_and_axes, svg
from finegrain_lab.spawn.cases import CEILING, threads_text
from finegrain_lab.spawn.results import Result, Row

HEIGHT_PER_BAR_IN = 0.22


def ns_figure(result: Result) -> str:
    """The wall time per spawn of every runtime; the more threads, the fainter the bar."""
    threads = result.settings.threads
    rows = [(name, count) for name in result.runtimes for count in threads]
    found = [(*key, row) for key in rows if (row := result.row(*key))]
    with figure_and_axes(1.2 + HEIGHT_PER_BAR_IN * len(found)) as (figure, axes):
        places = range(len(found))
        bars = axes.barh(
            places,
            [row.ns for *_, row in found],
            color=colours([name for name, *_ in found]),
            height=0.8,
        )
        for bar, (_, count, row) in zip(bars, found, strict=True):
            bar.set_alpha(1.0 if count == 1 else 0.6)
            axes.text(row.ns, bar.get_y() + bar.get_height() / 2, f" {row.ns:.3g}", va="center")
        axes.set_yticks(places, [f"{name}, {threads_text(count)}" for name, count, _ in found])
        axes.invert_yaxis()
        axes.set_xscale("log")
        axes.margins(x=0.15)
        axes.xaxis.set_major_formatter(lambda value, _place: f"{value:g}")
        axes.set_xlabel("wall ns per spawn")
        return svg(figure, "ns")


def speedup_figure(result: Result) -> str:
    """The speed-up on the most threads, beside the ceiling's."""
    threads = result.settings.threads[-1]
    rows = [row for name in result.runtimes if (row := result.row(name, threads))]
    bars = [(row, row.speedup) for row in rows if row.speedup is not None]
    with figure_and_axes(1.2 + HEIGHT_PER_BAR_IN * len(bars)) as (figure, axes):
        places = range(len(bars))
        axes.barh(places, [speedup for _, speedup in bars], color=_colours([r for r, _ in bars]))
        ceiling = result.row(CEILING, threads)
        if ceiling is not None and ceiling.speedup is not None:
            axes.axvline(ceiling.speedup, color=TEXT, linewidth=1, linestyle=":")
        axes.set_yticks(places, [row.runtime for row, _ in bars])
        axes.invert_yaxis()
        axes.set_xlabel(f"speed-up of {threads_text(threads)} over its own one")
        return svg(figure, "speedup")


def _colours(rows: list[Row]) -> list[str]:
    return colours([row.runtime for row in rows])
