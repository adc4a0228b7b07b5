# SPDX-License-Identifier: Apache-2.0
"""The Relic paper's experiment: two tasks of a microsecond, one handed over, on every runtime."""

from __future__ import annotations

from dataclasses import replace
from statistics import median
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence

from finegrain_lab.experiments import relic_paper as paper
from finegrain_lab.experiments.relic_cases import (
    KERNELS,
    MODES,
    SPIN,
    SPIN_CASES,
    Sample,
    complaint,
    plan,
)
from finegrain_lab.experiments.relic_statements import (
    averages,
    best_table,
    increases,
    relic_lines,
    statements,
    task_times,
)
from finegrain_lab.experiments.relic_summaries import (
    Summary,
    among,
    bound_of,
    bounds_of,
    kernel_rows,
    leads_of,
    of_bound,
    over,
    pays_from,
    peers_of,
    summaries_of,
)
from finegrain_lab.run.beside import disturbance
from finegrain_lab.run.experiment import (
    Compared,
    Experiment,
    Fact,
    Ratio,
)
from finegrain_lab.run.runtimes import OURS, SERIAL
from finegrain_lab.show.figures import Axis, Figure, Point, Series, bar, mark, speedup_by_length
from finegrain_lab.show.tables import (
    UNSURE,
    AnyCell,
    Cell,
    Part,
    Section,
    Table,
    grid,
    is_sure,
    ratio_text,
)


def _migrate(said: Dict[str, Any]) -> Dict[str, Any]:
    from finegrain_lab.show.old_files import renamed

    found = {name: said.get(name) for name in ("built", "spin_steps_per_us")}
    return renamed({**said, "settings": {**found, **said["settings"]}}, {"ci95": "speedup_ci95"})


def _header(result: Any) -> List[str]:
    from finegrain_lab.show.ratios import flagged

    share = of_bound(result, "relic")
    if share is None:
        return []
    of_paper = over(result, "relic", "relic-paper")
    beside = f", {of_paper.told} of relic-paper" if of_paper else ""
    return [flagged(f"relic, pair by pair: {share.told} of the bound{beside}", result)]


def _footer(result: Any) -> List[str]:
    """Returns the words for the kernels' table, who leads, and how the peers are set up."""
    lines = []
    if among(KERNELS, result):
        lines.append(
            "bound: 2t/(t+floor), t: a task; geomean, no neg.: over the kernels, with slowdowns "
            "as 1; shared: share of the tasks that the other thread ran"
        )
    if leads := leads_of(RELIC_KERNELS, result):
        told = (f"{case} {first} {ratio} of {other}" for case, first, other, ratio in leads)
        lines.append(f"fastest runtime over the next, pair by pair: {'; '.join(told)}")
    by_settings: Dict[str, List[str]] = {}
    for runtime, environment in result.settings.environment.items():
        if environment:
            text = " ".join(f"{name}={value}" for name, value in environment.items())
            by_settings.setdefault(text, []).append(runtime)
    return lines + [f"{', '.join(names)}: {text}" for text, names in by_settings.items()]


def _sections(result: Any) -> List[Section]:
    kernels, spin = among(KERNELS, result), among(SPIN_CASES, result)
    sections = _kernel_sections(result, kernels) if kernels else []
    if spin:
        of_length: List[Part] = [_grain_figure(result, spin), _spin_table(result, spin)]
        sections.append(Section("From which length on it pays", of_length))
    alone = statements(f"Section IV; {paper.MACHINE}", "kernel", task_times(result))
    built = Table(
        "compiler and flags",
        ["runtime", "compiler", "flags"],
        [[name, it["compiler"], it["flags"]] for name, it in result.settings.built.items()],
        names=3,
        on_terminal=False,
    )
    return [
        *sections,
        Section("One task alone", [alone]),
        Section("How the runtimes were built and set up", [built]),
    ]


def _kernel_sections(result: Any, kernels: Sequence[str]) -> List[Section]:
    bound = (
        "Bound: 2t/(t+floor), with t the time of one task and the floor that of one cache line "
        "there and back between the two CPUs, measured in the same run."
    )
    title, heads = "the fastest runtime over the next, pair by pair", ["kernel", "fastest", "next"]
    leads = Table(
        title, [*heads, "ratio"], leads_of(RELIC_KERNELS, result), names=3, on_terminal=False
    )
    parts: List[Part] = [_kernel_table(result, kernels), bound, leads]
    sections = [Section("Speedup over serial", parts)]
    if peers := peers_of(result):
        caption = "Each peer on each kernel; the thin lines are the intervals."
        parts = [
            _kernel_figure(result, "peers", caption, peers),
            statements("Section V of the paper", "geometric mean", averages(result)),
            *paper.STATEMENTS,
        ]
        sections.append(Section("Figure 1: the peers", parts))
    if relics := [name for name in OURS if name in result.runtimes]:
        caption = "relic is ours, relic-paper the paper's design to the letter."
        parts = [
            _kernel_figure(result, "relic", caption, relics),
            statements("Section VII of the paper", "Relic", relic_lines(result)),
            best_table(result),
        ]
        sections.append(Section("Figure 3: Relic", parts))
    if averaged := {name: it for name, it in summaries_of(result).items() if name != SERIAL}:
        title = "Abstract and section VII of the paper"
        parts = [
            _average_figure(averaged),
            statements(title, "Relic\u2019s increase over", increases(result)),
        ]
        sections.append(Section("Figure 4: without negative outliers", parts))
    doubt = (
        "The paper's text does not say whether its increases are ratios of speedups or percentage "
        "points: for this machine the ratio is given, and the points in brackets."
    )
    return [*sections, Section("", [doubt])]


def _kernel_table(result: Any, kernels: Sequence[str]) -> Table:
    title = "speedup over serial, median of pairs"
    columns = {case: {"case": case} for case in kernels}
    shown = grid(result, title, "runtime", columns, _speedup_cell(result))
    bounds = [bounds_of(result).get(case) for case in kernels]
    heads, lines = list(shown.heads), [list(line) for line in shown.lines]
    lines.append(["bound", *("" if bound is None else f"{bound:.2f}" for bound in bounds)])
    if len(kernels) == len(KERNELS):
        heads += ["geomean", "no neg.", "shared"]
        bound = bound_of(result)
        means = _mean_cells(result)
        means.append(["" if bound is None else f"{bound:.3f}", "", ""])
        lines = [line + cells for line, cells in zip(lines, means)]
    for missing in result.missing:
        lines.append([f"{missing.runtime}\nnot installed", *["-"] * (len(heads) - 1)])
    return replace(shown, heads=heads, lines=lines, is_dense=True)


def _mean_cells(result: Any) -> List[List[AnyCell]]:
    """Returns a line of the means of each runtime."""
    summaries = summaries_of(result)
    sure = [it for it in summaries.values() if it.speedup.is_sure]
    best = _most(result, [it.speedup.value for it in sure])
    best_no_negative = _most(result, [it.no_negative for it in sure])

    def cells(it: Summary) -> List[AnyCell]:
        value, ci95, is_known = it.speedup.value, it.speedup.ci95, it.speedup.is_sure
        no_negative = f"{it.no_negative:.3f}" if is_known else UNSURE
        return [
            Cell(ratio_text(value, ci95, 3), ci95, 3, is_best=value == best),
            Cell(no_negative, is_best=is_known and it.no_negative == best_no_negative),
            f"{it.offloaded_share:.0%}",
        ]

    lines = map(summaries.get, result.runtimes)
    return [cells(summary) if summary else ["", "", ""] for summary in lines]


def _spin_table(result: Any, spin: Sequence[str]) -> Table:
    columns = {case[len(SPIN) :]: {"case": case} for case in spin}
    title = "speedup over serial of tasks of one length"
    shown = grid(result, title, "runtime", columns, _speedup_cell(result))
    lines = [[*line, pays_from(result, name)] for name, line in zip(result.runtimes, shown.lines)]
    return replace(shown, heads=[*shown.heads, "pays\nfrom"], lines=lines, is_dense=True)


def _speedup_cell(result: Any) -> Callable[[Any], AnyCell]:
    """Returns what makes a row's cell; the best of a case is that of what is known."""
    sure = [row for row in result.rows if is_sure(row.speedup, row.speedup_ci95)]
    best = {
        case: _most(result, [row.speedup for row in sure if row.case == case])
        for case in result.cases
    }

    def cell(row: Any) -> AnyCell:
        text = ratio_text(row.speedup, row.speedup_ci95)
        is_best = text != UNSURE and row.speedup == best[row.case]
        return Cell(text, row.speedup_ci95, is_best=is_best)

    return cell


def _most(result: Any, values: Sequence[float]) -> Optional[float]:
    """Returns the largest value of a column; where something else ran, none is the best."""
    return None if disturbance(result.beside) else max(values, default=None)


def _kernel_figure(result: Any, name: str, caption: str, runtimes: Sequence[str]) -> Figure:
    series = [
        Series(
            runtime,
            [Point(it.case, it.speedup, *it.speedup_ci95) for it in kernel_rows(result, runtime)],
            "bars",
        )
        for runtime in runtimes
    ]
    return Figure(
        *(name, caption, [*series, mark("serial", y=1)]),
        y=Axis("speedup over serial"),
        height_in=3.9,
        legend=3,
    )


def _average_figure(summaries: Mapping[str, Summary]) -> Figure:
    fastest_first = sorted(summaries.items(), key=lambda item: -item[1].no_negative)
    values = {name: it.no_negative for name, it in fastest_first}
    bars = [bar(name, value, text=f"{value:.2f}") for name, value in values.items()]
    label = "speedup over serial, geometric mean, slowdowns as 1"
    return Figure(
        "average",
        "A slowdown counts as serial: who profiles would not keep it.",
        [Series("geometric mean", bars, "bars"), mark("serial", x=1)],
        x=Axis(label, low=1, high=max(1.1, *values.values()) * 1.06),
        height_in=0.8 + 0.36 * len(bars),
    )


def _grain_figure(result: Any, spin: Sequence[str]) -> Figure:
    from finegrain_lab.show.statistics import bound

    tasks = {row.case: row.ns / 2 for row in result.rows_of(runtime=SERIAL) if row.case in spin}
    lines = [
        Series(
            runtime,
            [
                Point(tasks[row.case], row.speedup)
                for row in result.rows_of(runtime=runtime)
                if row.case in spin
            ],
        )
        for runtime in result.runtimes
        if runtime != SERIAL
    ]
    limits = [Point(task, bound(2 * task, result.floor_ns)) for task in tasks.values()]
    return Figure(
        "break-even",
        "A synthetic task of a chosen length instead of a kernel; above 1 it pays.",
        [
            *lines,
            Series("bound 2t/(t+floor)", limits, line=":", has_markers=False),
            mark("serial", y=1),
        ],
        **speedup_by_length("one task alone, ns"),
        height_in=4.4,
        legend=3,
    )


def _compared(result: Any, row: Any) -> Compared:
    """Each over the serial process. relic is the headline; our others are the papers' designs."""
    serial = result.row(case=row.case, runtime=SERIAL)
    return Compared(
        *(row.case, row.runtime),
        is_default=row.runtime == OURS[0],
        over=serial if row.runtime != SERIAL else None,
        over_name=SERIAL if row.runtime != SERIAL else "",
        serial=serial,
    )


RELIC_KERNELS = Experiment(
    name="relic-kernels",
    title="the Relic paper's seven kernels, and tasks of a chosen length, on every runtime",
    heading="Two tasks of a microsecond, one handed over",
    intro=(
        "The experiment of the Relic paper (Los and Petushkov, 2024): one instance of a kernel is "
        "submitted as a task, the other runs on the main thread, then it waits."
    ),
    modes=MODES,
    plan=plan,
    sample=Sample,
    numbers={"ns": lambda sample, _row: sample.ns},
    complaint=complaint,
    is_vital=lambda slot: slot.runtime == SERIAL,
    ratios={"speedup": Ratio("ns", lambda row: row.but(runtime=SERIAL), is_inverse=True)},
    facts={
        "offloaded_share": Fact(
            float, lambda them, _row: sum(it.offloaded_share for it in them) / len(them)
        ),
        "iterations": Fact(int, lambda them, _row: int(median(it.iterations for it in them))),
        "main_cpu": Fact(int, lambda them, _row: them[-1].main_cpu),
        "task_cpus": Fact(
            List[int], lambda them, _row: sorted({cpu for it in them for cpu in it.task_cpus})
        ),
        "version": Fact(str, lambda them, _row: them[-1].version),
    },
    settings={
        "peers": str,
        "environment": Dict[str, Dict[str, str]],
        "built": Dict[str, Dict[str, str]],
        "spin_steps_per_us": Optional[float],
    },
    decides=lambda row, settings: row.case in KERNELS or not settings["has_kernels"],
    deciding="speedup",
    contents={"kernels": KERNELS, "spin": SPIN_CASES},
    options=frozenset({"--runtimes", "--cases", "--peers"}),
    header=_header,
    footer=_footer,
    sections=_sections,
    compared=_compared,
    migrate=_migrate,
)
