# SPDX-License-Identifier: Apache-2.0
"""The report: the paper's figures and numbers, beside what is so here."""

from dataclasses import dataclass
from functools import partial

from finegrain_lab import page
from finegrain_lab.comparison import Comparison
from finegrain_lab.drawing import Figures
from finegrain_lab.page import Layout
from finegrain_lab.ratios import UNSURE, is_sure
from finegrain_lab.relic_kernels import means, paper, plots, table
from finegrain_lab.relic_kernels.cases import HEADING, KERNELS, SPIN_CASES
from finegrain_lab.relic_kernels.measurements import measurements_of
from finegrain_lab.relic_kernels.results import Result, Row
from finegrain_lab.runtimes import SERIAL
from finegrain_lab.serial import unbeaten_cases

NOT_MEASURED = "not measured"


@dataclass(frozen=True)
class KernelComparison:
    """The best peer on a kernel, and what Relic adds to it: in the paper, and here."""

    case: str
    paper_best: str
    paper_increase: str
    best: str
    increase: str


def render(result: Result, layout: Layout, figures: Figures) -> str:
    """Returns the report's HTML."""
    return page.render(
        layout,
        result,
        HEADING,
        header=table.header_lines(result),
        footer=table.footer_lines(result)[1:],  # the legend is the terminal's
        kernels=[case for case in KERNELS if case in result.cases],
        spin=[case for case in SPIN_CASES if case in result.cases],
        leads=table.leads_of(result),
        unbeaten=unbeaten_cases(measurements_of(result)),
        best={case: table.best_speedup(result, case) for case in result.cases},
        mean_speedup=partial(means.speedup, result),
        pays_from={name: table.pays_from(result, name) for name in result.runtimes},
        paper=paper,
        task_times=task_times(result),
        averages=averages(result),
        relic=relic_lines(result),
        kernel_bests=kernel_bests(result),
        increases=increases(result),
        figures=figures,
    )


def task_times(result: Result) -> list[Comparison]:
    """Section IV: one instance of each kernel, alone."""
    return [
        Comparison(
            time.case,
            f"{time.us} µs",
            f"{row.ns / 2000:.2f} µs" if (row := result.row(time.case, SERIAL)) else "",
        )
        for time in paper.TASK_TIMES
    ]


def averages(result: Result) -> list[Comparison]:
    """Section V: the peers' geometric means."""
    lines = []
    for average in paper.AVERAGES:
        for runtime in average.runtimes:
            summary = result.summary_of(runtime)
            here = _mean_gain(result, runtime) if summary else NOT_MEASURED
            lines.append(Comparison(_told(average, runtime), signed(average.percent), here))
    return lines


def relic_lines(result: Result) -> list[Comparison]:
    """Section VII: Relic alone."""
    summary = result.summary_of("relic")
    bfs = result.row("bfs", "relic")
    return [
        Comparison(
            "average",
            signed(paper.RELIC_AVERAGE_PERCENT),
            _mean_gain(result, "relic") if summary else NOT_MEASURED,
        ),
        Comparison("bfs", signed(paper.RELIC_BFS_PERCENT), _row_gain(bfs) if bfs else NOT_MEASURED),
    ]


def kernel_bests(result: Result) -> list[KernelComparison]:
    """Section VII: the best peer of each kernel, and what Relic adds to it."""
    return [
        KernelComparison(
            best.case,
            "no peer gains" if best.percent is None else f"{signed(best.percent)} {best.name}",
            _stated_increase(best),
            *_best_here(result, best.case),
        )
        for best in paper.KERNEL_BESTS
    ]


def increases(result: Result) -> list[Comparison]:
    """Figure 4: what Relic adds to each runtime's average without negative outliers."""
    relic = result.summary_of("relic")
    lines = []
    for increase in paper.INCREASES:
        for runtime in increase.runtimes:
            peer = result.summary_of(runtime)
            here = NOT_MEASURED
            if relic and peer:
                is_known = UNSURE not in (_mean_gain(result, "relic"), _mean_gain(result, runtime))
                here = (
                    _increase(relic.geomean_no_negative, peer.geomean_no_negative)
                    if is_known
                    else UNSURE
                )
            lines.append(Comparison(_told(increase, runtime), signed(increase.percent), here))
    return lines


def gain(speedup: float) -> str:
    """Returns a speedup as the paper writes it."""
    return signed(100 * (speedup - 1))


def _row_gain(row: Row) -> str:
    return gain(row.speedup) if is_sure(row.speedup, row.ci95) else UNSURE


def _mean_gain(result: Result, runtime: str) -> str:
    mean = means.speedup(result, runtime)
    return gain(mean.value) if mean and is_sure(mean.value, mean.ci95) else UNSURE


def signed(percent: float) -> str:
    """Returns a share with its sign, as it is printed."""
    return f"{percent:+.1f} %".replace("-", "\N{MINUS SIGN}")


def _told(stated: paper.Average | paper.Increase, runtime: str) -> str:
    """Returns the paper's name for a runtime, and the lab's where one stands for several."""
    return stated.name if len(stated.runtimes) == 1 else f"{stated.name}: {runtime}"


def _stated_increase(best: paper.KernelBest) -> str:
    if best.relic_increase_percent is not None:
        return signed(best.relic_increase_percent)
    return "" if best.percent is None else "less than it"


def _best_here(result: Result, case: str) -> tuple[str, str]:
    rows = [row for name in plots.peers_of(result) if (row := result.row(case, name))]
    if not rows:
        return NOT_MEASURED, ""
    best = max(rows, key=lambda row: row.speedup)
    relic = result.row(case, "relic")
    return f"{_row_gain(best)} {best.runtime}", _increase_of(relic, best)


def _increase_of(relic: Row | None, best: Row) -> str:
    if relic is None:
        return NOT_MEASURED
    if not all(is_sure(row.speedup, row.ci95) for row in (relic, best)):
        return UNSURE
    if relic.speedup <= 1:
        return "no gain over serial"  # whoever is slower still
    return _increase(relic.speedup, best.speedup)


def _increase(ours: float, theirs: float) -> str:
    """Returns both readings of 'increases by': the ratio, and percentage points."""
    return f"{gain(ours / theirs)} ({100 * (ours - theirs):+.1f})".replace("-", "\N{MINUS SIGN}")
