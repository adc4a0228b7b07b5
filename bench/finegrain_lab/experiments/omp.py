# SPDX-License-Identifier: Apache-2.0
"""OpenMP programs as they are: on their own runtime, and with the drop-in on finegrain's queues.

The paper's statements: P. Nookala, K. Chard, I. Raicu, "X-OpenMP - eXtreme fine-grained tasking
using lock-less work stealing", 2024, abstract and section 5.2. Nothing is read off a figure.
"""

from __future__ import annotations

import statistics
from dataclasses import replace
from functools import partial
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Tuple

from finegrain_lab.experiments.omp_programs import (
    ALONE,
    CASES,
    CLANGS_OTHER,
    CLANGS_TARGET,
    GNU,
    KERNELS,
    LOOPS,
    MODES,
    OVERHEADS,
    UTS,
    Mean,
    Sample,
    Values,
    complaint,
    discord,
    plan,
)
from finegrain_lab.run import drop_in
from finegrain_lab.run.drop_in import base_of, policy_of, with_policy
from finegrain_lab.run.experiment import (
    Compared,
    Experiment,
    Fact,
    Ratio,
    Slot,
)
from finegrain_lab.run.runtimes import SERIAL
from finegrain_lab.run.samples import joined_batches, ratios_by_round
from finegrain_lab.run.threads import threads_text
from finegrain_lab.show.figures import Axis, Figure, Point, Series, mark
from finegrain_lab.show.tables import (
    Cell,
    Part,
    Section,
    Statement,
    Statements,
    Table,
    grid,
    ratio,
    ratio_text,
)

MACHINE = "Intel Skylake, 192 cores in 8 sockets; clang 11"
ITS_POLICIES = ("xqueue_static", "xqueue_wait", "xqueue_nowait", "xqueue_nowait:2")
NOT_MEASURED = "not measured"
WIDE = 10  # from the lowest to the highest bar: then the scale is logarithmic, else it begins at 0


# ---- the rows


def _own(row: Slot) -> Optional[Slot]:
    """The program's own runtime alone, of a row with the drop-in."""
    return row.but(runtime=base_of(row.runtime)) if policy_of(row.runtime) else None


def _serial(row: Slot) -> Optional[Slot]:
    is_over = row.runtime != SERIAL and CASES[row.case].has_serial
    return row.but(runtime=SERIAL) if is_over else None


def _summary(samples: Any) -> Dict[str, Any]:
    rows = samples.by_row
    return {
        "sizes": {
            case: sorted({it.size for it in samples.of(row for row in rows if row.case == case)})
            for case in samples.settings["batches"]
        },
        "versions": {row.runtime: it.version for row in rows for it in samples.of([row])},
        "summary": _means(samples),
    }


def _means(samples: Any) -> List[Mean]:
    bases, found = samples.settings["bases"], []
    for base in bases:
        others = [CLANGS_TARGET] if base == CLANGS_OTHER and CLANGS_TARGET in bases else []
        for policy in samples.settings["policies"]:
            pairs = [(with_policy(base, policy), over) for over in (base, *others)]
            found += [mean for pair in pairs if (mean := _mean(samples, *pair))]
    return found


def _mean(samples: Any, runtime: str, over: str) -> Optional[Mean]:
    """Returns the mean of all five kernels, None where one is missing."""
    from finegrain_lab.show import statistics

    speedups = [
        ratios_by_round(*(samples.values(Slot(case, name), "ns") for name in (over, runtime)))
        for case in KERNELS
    ]
    if not all(speedups):
        return None
    values = [list(by_round.values()) for by_round in speedups]
    medians = dict(zip(KERNELS, map(statistics.median, values)))
    least_case = min(medians, key=lambda case: medians[case])
    return Mean(
        runtime=runtime,
        over=over,
        geomean=statistics.geometric_mean(medians.values()),
        ci95=statistics.geometric_mean_of_medians_ci(values),
        least=medians[least_case],
        least_case=least_case,
    )


def _compared(result: Any, row: Any) -> Compared:
    """With the drop-in over the program's own runtime alone, that over the serial program."""
    over = row.base if row.policy else SERIAL if row.base else None
    return Compared(
        f"{row.case}, {threads_text(row.threads)}",
        row.runtime,
        is_default=row.policy == result.settings.default_policy,
        over=result.row(case=row.case, runtime=over) if over else None,
        serial=result.row(case=row.case, runtime=SERIAL),
        size=", ".join(map(str, result.settings.sizes.get(row.case, ()))),
    )


def _migrate(said: Dict[str, Any]) -> Dict[str, Any]:
    from finegrain_lab.show.old_files import renamed

    settings = {**said["settings"], "summary": said["summary"]}
    return {**renamed(said, {"ci95": "ns_ci95"}), "settings": settings}


# ---- what is shown


def _header(result: Any) -> List[str]:
    from finegrain_lab.show.ratios import flagged

    settings = result.settings
    proved = [f"{drop_in.PROVED}; alone it is not there"] if settings.taken_over else []
    means = [
        mean for mean in settings.summary if policy_of(mean.runtime) == settings.default_policy
    ]
    return [
        f"{threads_text(settings.threads)}, serial on one of them",
        *proved,
        *(flagged(f"{it.runtime} over {it.over}: {_mean_text(it)}", result) for it in means),
        *(f"{case}: {CASES[case].what}" for case in result.cases),
    ]


def _mean_text(mean: Mean) -> str:
    """Returns the geometric mean of the kernels, and the worst of them."""
    low, high = mean.ci95
    return (
        f"{ratio_text(mean.geomean, mean.ci95)} ({low:.2f} to {high:.2f}) over the "
        f"{len(KERNELS)} task kernels, the least {mean.least:.2f} on {mean.least_case}"
    )


def _sections(result: Any) -> List[Section]:
    means: List[Part] = []
    if result.settings.summary:
        means = [_means_figure(result), _means_table(result)]
    first = "Of one process each, ahead of the timed ones, in which it says what it does."
    taken_over: List[Part] = [first, _taken_over(result)] if result.settings.taken_over else []
    sections = [
        Section("The drop-in over a runtime alone", means),
        Section("Time by case", [_figure(result, case) for case in result.cases]),
        Section("Numbers by case", _tables(result)),
        Section("What the paper says", [_paper(result)]),
        Section("What the drop-in took over", taken_over),
    ]
    return [section for section in sections if section.parts]


def _names(runtime: str) -> Tuple[str, str]:
    """Returns what names a line: the program's own runtime, and who runs its tasks."""
    return base_of(runtime), policy_of(runtime) or ("" if runtime == SERIAL else ALONE)


def _means_table(result: Any) -> Table:
    lines = [
        [
            *(*_names(it.runtime), it.over, ratio_text(it.geomean, it.ci95)),
            *("{:.2f} to {:.2f}".format(*it.ci95), f"{it.least:.2f} {it.least_case}"),
        ]
        for it in result.settings.summary
    ]
    title = f"speedup, geometric mean of the {len(KERNELS)} task kernels, with its 95 % interval"
    return Table(title, ["runtime", "policy", "over", "mean", "interval", "least"], lines, names=3)


def _tables(result: Any) -> List[Table]:
    over_own, times_own = ratio("over_own"), ratio("times_own", 3)  # as 2 % count
    speedup = "speedup over its own runtime alone, paired"
    time = "time over that of its own runtime alone, paired (below 1 is faster)"
    tables = [
        _table(result, title, cases, cell, on_terminal)
        for title, cases, cell, on_terminal in (
            ("time, ms", KERNELS + LOOPS, _time, True),
            ("an overhead, ns", OVERHEADS, _time, True),
            (speedup, KERNELS, over_own, True),
            (speedup, LOOPS + OVERHEADS, over_own, False),
            (time, LOOPS + OVERHEADS, times_own, True),
            (time, KERNELS, times_own, False),
            ("speedup over serial, paired", KERNELS + LOOPS, _over_serial, True),
            ("tasks elsewhere than on the thread with most", list(CASES), _elsewhere, False),
        )
    ]
    return [table for table in tables if table.lines]


def _table(
    result: Any, title: str, cases: Sequence[str], cell: Callable[[Any], Any], on_terminal: bool
) -> Table:
    """Returns a table of the runtimes that have something to say of these cases."""
    columns = {case: {"case": case} for case in cases if case in result.cases}
    lines = {_names(name): {"runtime": name} for name in result.runtimes}
    table = grid(result, title, ("runtime", "policy"), columns, cell, lines, on_terminal)
    return replace(table, lines=[line for line in table.lines if any(line[table.names :])])


def _scaled(row: Any) -> Values:
    """Returns the time and its interval in the unit of its case."""
    unit = 1.0 if row.case in OVERHEADS else 1e6
    low, high = row.ns_ci95
    return row.ns / unit, low / unit, high / unit


def _time(row: Any) -> Cell:
    value, low, high = _scaled(row)
    return Cell(f"{value:.{digits(value)}f}", (low, high), digits(value))


def _over_serial(row: Any) -> Any:
    """The speedup over serial, which is a hundred times as fast on fib."""
    return ratio("over_serial", digits(row.over_serial or 0.0))(row)


def _elsewhere(row: Any) -> str:
    return f"{100 * row.offloaded_share:.0f} %"


def digits(value: float) -> int:
    """Returns how many digits behind the point make three in all."""
    steps = ((1, 3), (10, 2), (100, 1))
    return next((count for below, count in steps if abs(value) < below), 0)


def _means_figure(result: Any) -> Figure:
    """The geometric means over the own runtime, a group a runtime, a bar a policy."""
    own = {it.runtime: it for it in result.settings.summary if it.over == base_of(it.runtime)}
    values = {name: (mean.geomean, *mean.ci95) for name, mean in own.items()}
    return Figure(
        "means",
        f"Geometric mean of {', '.join(KERNELS)}; higher is better.",
        [*_bars(result, values), mark(ALONE, y=1)],
        y=Axis(f"speedup over the runtime alone,\ngeometric mean of {len(KERNELS)}"),
        height_in=3.9,
        legend=3,
    )


def _figure(result: Any, case: str) -> Figure:
    """The time of a case: a group a runtime, a bar the runtime alone or a policy."""
    values = {row.runtime: _scaled(row) for row in result.rows_of(case=case)}
    series = _bars(result, values)
    if SERIAL in values:
        series.append(mark("serial, 1 thread", y=values[SERIAL][0], line=":", is_named=True))
    lowest = min((low for _, low, _ in values.values()), default=0.0)
    is_wide = 0 < WIDE * lowest < max((value for value, _, _ in values.values()), default=0.0)
    return Figure(
        case,
        f"{CASES[case].what}; lower is better. The thin lines are the intervals.",
        series,
        y=Axis(f"{case}, {'ns' if case in OVERHEADS else 'ms'}", "log" if is_wide else "linear"),
        height_in=3.9,
        legend=3,
    )


def _bars(result: Any, values: Mapping[str, Values]) -> List[Series]:
    """Returns a group a runtime with a bar for it alone and for each policy, of what there is."""
    bases = result.settings.bases
    found = {ALONE: [(base, base) for base in bases]}
    for policy in result.settings.policies:
        found[policy] = [(base, with_policy(base, policy)) for base in bases]
    return [
        Series(label, [Point(base, *values[it]) for base, it in names if it in values], "bars")
        for label, names in found.items()
    ]


def _taken_over(result: Any) -> Table:
    lines = [
        [name, it["policy"], it["library"], str(it["implicit_tasks"]), str(it["tasks"])]
        for name, it in result.settings.taken_over.items()
    ]
    heads = ["runtime", "policy", "over", "implicit tasks", "tasks"]
    return Table("what it took over", heads, lines, names=3, on_terminal=False)


def _paper(result: Any) -> Statements:
    best, tree = partial(_best_of_both, result), "tree search"
    policies = "static at 192 threads; at 96 static for fine tasks, no-wait for coarser ones"
    strassen = "GNU OpenMP 3.6 s, static 5.9 s, LLVM OpenMP 5 % slower than that"
    syrk = "static 1229 GFLOPS, no-wait stealing two 979, LLVM OpenMP 956, wait 927"
    cholesky = "no-wait 911 GFLOPS, the best; static like LLVM OpenMP"
    long = "40 times as fast on 192 threads, 10 times on 96"
    lines = [
        ("over GNU OpenMP, at best", "40 times as fast (abstract)", best(GNU, KERNELS)),
        ("over LLVM OpenMP, at best", "twice as fast (abstract)", best(CLANGS_TARGET, KERNELS)),
        (f"{tree} (the paper's is T3L) over GNU OpenMP", long, best(GNU, [UTS])),
        (f"{tree} over LLVM OpenMP", "twice as fast on 96 threads", best(CLANGS_TARGET, [UTS])),
        ("the policy that is best on the tree", policies, _best_policy(result, UTS)),
        ("Strassen, 8192 x 8192, 96 threads", strassen, NOT_MEASURED),
        ("symmetric rank-k update, 96 threads", syrk, NOT_MEASURED),
        ("Cholesky factorization, 96 threads", cholesky, NOT_MEASURED),
    ]
    title = f"Abstract and section 5.2 of X-OpenMP, 2024 ({MACHINE})"
    return Statements(title, "statement", [Statement(*line) for line in lines])


def _served(result: Any, base: str, case: str, policies: Sequence[str]) -> List[Any]:
    rows = [result.row(case=case, runtime=with_policy(base, policy)) for policy in policies]
    return [row for row in rows if row and row.over_own is not None]


def _best_of_both(result: Any, base: str, cases: Sequence[str]) -> str:
    """Returns the greatest speedup over this runtime: of the paper's policies, of our default."""
    default, found = result.settings.default_policy, []
    for kind, policies in (("its policies", ITS_POLICIES), ("our default", [default])):
        rows = [row for case in cases for row in _served(result, base, case, policies)]
        if rows:
            best = max(rows, key=lambda row: row.over_own)
            found.append(f"{kind} {best.over_own:.2f} times ({best.policy} on {best.case})")
    return f"over {base}: {'; '.join(found)}" if found else NOT_MEASURED


def _best_policy(result: Any, case: str) -> str:
    found = []
    for base in result.settings.bases:
        if rows := _served(result, base, case, ITS_POLICIES):
            best = min(rows, key=lambda row: row.ns)
            found.append(f"{best.policy} (over {base})")
    return "; ".join(found) or NOT_MEASURED


OMP = Experiment(
    name="omp",
    title="OpenMP programs on their own runtime, and with the drop-in under every policy",
    heading="OpenMP programs, as they are",
    intro=(
        "The same plain OpenMP programs, built by gcc for GNU's runtime and by clang for LLVM's "
        "and Intel's (the same runtime, built with assertions by Debian, and for release), each "
        "run alone and with the drop-in loaded, which runs its tasks on finegrain's queues under "
        "one of the policies. The settings of the runtime below are the same for both."
    ),
    modes=MODES,
    plan=plan,
    sample=Sample,
    numbers={"ns": lambda sample, _row: statistics.median(sample.ns)},
    complaint=complaint,
    discord=discord,
    joined=joined_batches,
    is_vital=lambda slot: slot.runtime == SERIAL,
    ratios={
        "over_own": Ratio("ns", _own, is_inverse=True),  # a speedup
        "times_own": Ratio("ns", _own),  # the same ratio turned over
        "over_serial": Ratio("ns", _serial, is_inverse=True),
    },
    facts={
        "base": Fact(  # the program's own runtime; None: serial
            Optional[str],
            lambda _, row: None if row.runtime == SERIAL else base_of(row.runtime),
        ),
        "policy": Fact(Optional[str], lambda _, row: policy_of(row.runtime)),  # None: alone
        "threads": Fact(int, lambda samples, _row: samples[-1].threads),
        "offloaded_share": Fact(
            float, lambda samples, _row: statistics.median(it.offloaded_share for it in samples)
        ),
        "tasks": Fact(int, lambda samples, _row: samples[-1].tasks),
    },
    settings={
        "bases": List[str],
        "policies": List[str],
        "default_policy": str,
        "threads": int,
        "peers": str,
        "sizes": Dict[str, List[int]],  # by case, as the programs told
        "taken_over": Dict[str, Dict[str, Any]],  # by runtime, ahead of the timed processes
        "summary": List[Mean],
    },
    summary=_summary,
    own_cpus=lambda _row, settings: settings["cpus"],
    decides=lambda row, settings: (
        policy_of(row.runtime) == settings["default_policy"] and CASES[row.case].has_serial
    ),
    deciding="times_own",
    contents={"cases": list(CASES)},  # which runtimes and policies there are, the build decides
    options=frozenset({"--runtimes", "--cases", "--peers"}),
    header=_header,
    sections=_sections,
    compared=_compared,
    migrate=_migrate,
)
