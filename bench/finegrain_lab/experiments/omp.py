# SPDX-License-Identifier: Apache-2.0
"""OpenMP programs as they are: on their own runtime, and with the drop-in on finegrain's queues.

The paper's statements: P. Nookala, K. Chard, I. Raicu, "X-OpenMP - eXtreme fine-grained tasking
using lock-less work stealing", 2024, abstract and section 5.2. Nothing is read off a figure.
"""

from __future__ import annotations

import statistics
from dataclasses import dataclass, replace
from functools import partial
from itertools import groupby
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Tuple

from finegrain_lab.run import drop_in
from finegrain_lab.run.drop_in import DropIn, TakenOver, base_of, policy_of, with_policy
from finegrain_lab.run.errors import LabError
from finegrain_lab.run.experiment import (
    Command,
    Compared,
    Experiment,
    Fact,
    Missing,
    Plan,
    Ratio,
    Request,
    Slot,
)
from finegrain_lab.run.host import choose_all_cpus
from finegrain_lab.run.instruments import spin_steps_per_us
from finegrain_lab.run.modes import LEAST_ROUNDS, Mode, by_name
from finegrain_lab.run.policies import policies_of
from finegrain_lab.run.processes import ProcessFailed
from finegrain_lab.run.runtimes import OPENMP, SERIAL, cpu_list, environment_of, without_doubles
from finegrain_lab.run.samples import ratios_by_round
from finegrain_lab.run.stacks import DEEP_STACK
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

Values = Tuple[float, float, float]  # a number, and its interval
KERNEL, LOOP, OVERHEAD = "kernel", "loop", "overhead"


@dataclass(frozen=True)
class Case:
    """A case of the programs `omp-RUNTIME`."""

    name: str
    kind: str  # kernels make the geometric mean; loops are one thread's tasks; of one construct
    what: str
    size: Optional[int] = None  # None: the program's own
    needs_calibration: bool = False
    is_short: bool = False  # tens of ms: a process makes more batches
    has_deep_tasks: bool = False  # as deep as the tree is, so that the threads' stacks have to be

    @property
    def has_serial(self) -> bool:
        """Says whether there is anything to do without OpenMP."""
        return self.kind != OVERHEAD


FIB, UTS = "fib-nocutoff", "uts-T1"
_MERGES = "merge sort of 2^22 numbers, merges in parallel too"
_LU = "LU of a sparse matrix of 50 x 50 blocks of 20 x 20"
_COARSE = "2,000 tasks of 100 µs from one thread"
_REGION = "an empty parallel region, in the manner of EPCC"
_ALL = (
    Case(FIB, KERNEL, "fib(30), two tasks a call, no cutoff", 30),
    Case("nqueens", KERNEL, "12 queens, a task a placement, no cutoff", 12),
    Case("sort", KERNEL, _MERGES, 1 << 22),
    Case("sparselu", KERNEL, _LU, 50, is_short=True),
    Case(UTS, KERNEL, "search of UTS's sample tree T1, a task a node", has_deep_tasks=True),
    Case("flat-empty", LOOP, "10^6 empty tasks from one thread", 1_000_000, is_short=True),
    Case("coarse-100us", LOOP, _COARSE, 2000, needs_calibration=True, is_short=True),
    Case("region-overhead", OVERHEAD, _REGION, is_short=True),
    Case("barrier-overhead", OVERHEAD, "a barrier, in the manner of EPCC", is_short=True),
)
CASES = {case.name: case for case in _ALL}
KERNELS, LOOPS, OVERHEADS = (
    [case.name for case in _ALL if case.kind == kind] for kind in (KERNEL, LOOP, OVERHEAD)
)

# 21,890 tasks, 2 ms of work at 0.1 us each: the timed processes need not be verbose then.
PROBE = replace(CASES[FIB], size=20)

ALONE = "alone"  # a program without the drop-in
# LLVM's runtime built for release: the one that clang's programs are held against, whichever of
# the two they run on (llvm-openmp is Debian's, built with assertions).
CLANGS_TARGET, CLANGS_OTHER = "intel-openmp", "llvm-openmp"
GNU = "gnu-openmp"
MACHINE = "Intel Skylake, 192 cores in 8 sockets; clang 11"
ITS_POLICIES = ("xqueue_static", "xqueue_wait", "xqueue_nowait", "xqueue_nowait:2")
NOT_MEASURED = "not measured"
WIDE = 10  # from the lowest to the highest bar: then the scale is logarithmic, else it begins at 0

# The policies beside the default one are in the first rounds, as many as an interval takes, and
# then in every `policies_every`-th: they are most of the processes, and the least of the news.
#
# An overhead differs from one process to the next: a region took 404 to 578 ns on Intel's runtime,
# 592 to 770 with the drop-in. The medians of seven: 529 to 575, and 621 to 637 over four rounds
# (Xeon, model 207).
MODES = by_name(
    Mode(
        name="quick",
        min_rounds=LEAST_ROUNDS,
        max_rounds=15,  # more is no longer quick
        budget_s=150,  # of a few runtimes; with all, the least number of rounds takes longer
        work={
            "batches": 1,  # of 0.1 s and more; warming up and counting by thread cost two more
            "short_batches": 3,
            "overhead_processes": 7,  # in a round, for one number
            "policies_every": 4,
        },
    ),
    Mode(
        name="full",
        min_rounds=5,  # one with all policies takes 80 to 104 s on two vCPUs (EPYC)
        max_rounds=40,  # past that the host's drift, not the count, sets the interval
        budget_s=16 * 60,  # 20 minutes an experiment, less the round under way and the report
        converged_half_width=0.01,  # half of the 2 % that are at stake with coarse tasks
        converged_rounds=15,
        work={
            "batches": 1,  # the host drifts between processes, not within them: rounds say more
            "short_batches": 5,
            "overhead_processes": 7,
            "policies_every": 3,
        },
    ),
)


@dataclass(frozen=True)
class Sample:
    """What a program prints of one case."""

    runtime: str
    case: str
    size: int
    threads: int
    tasks: int  # explicit ones of a batch
    # A number a batch: wall time of the whole work; of overheads, of one construct less its
    # reference, which can be below 0 by the clock's noise.
    ns: List[float]
    offloaded_share: float  # of the tasks, on other threads than the one with most
    cpus: List[int]  # where the threads were seen
    version: str
    note: str = ""


@dataclass(frozen=True)
class Mean:
    """A runtime with the drop-in over another one alone: all five kernels."""

    runtime: str
    over: str
    geomean: float  # of the kernels' speedups
    ci95: Tuple[float, float]
    least: float  # of them
    least_case: str


# ---- the run


def _plan(request: Request) -> Plan:
    pair, placement, cpus = choose_all_cpus(request.cpus)
    build, mode, peers = request.build, request.mode, request.peers or "tuned"
    cases = [CASES[name] for name in request.chosen_cases(list(CASES))]
    policies = policies_of(build)
    installed = [runtime for runtime in build.installed("spawn") if runtime.name in OPENMP]
    missing = [it for it in build.missing("spawn") if it.name in OPENMP]
    programs = {
        base: build.program(build.manifest.omp / f"omp-{base}")
        for base in (SERIAL, *(runtime.name for runtime in installed))
    }
    library = build.drop_in()
    known = [SERIAL]
    for runtime in installed:
        known += [runtime.name, *(with_policy(runtime.name, policy) for policy in policies)]
    runtimes = _chosen(request, known, policies[0], {it.name: it.how_to_get for it in missing})

    def served(runtime: str) -> Optional[DropIn]:
        policy = policy_of(runtime)
        return DropIn(library, policy) if policy else None

    def environment(runtime: str) -> Dict[str, str]:
        """The same alone and with the drop-in."""
        loaded = served(runtime)
        own = environment_of(base_of(runtime), peers, cpus)
        return {**own, **(loaded.variables if loaded else {})}

    def words(case: Case, runtime: str, batches: int) -> List[Any]:
        threads = _threads(runtime, cpus)
        return [
            *(programs[base_of(runtime)], "--case", case.name),
            *(("--size", case.size) if case.size is not None else ()),
            *("--batches", batches, "--threads", threads, "--cpus", cpu_list(cpus)),
        ]

    def command(slot: Slot, found: Mapping[str, Any]) -> Command:
        case, variables = CASES[slot.case], environment(slot.runtime)
        if case.has_deep_tasks and slot.runtime != SERIAL:
            variables.update(DEEP_STACK)
        steps = ("--spin-steps-per-us", found["spin_steps_per_us"])
        told = words(case, slot.runtime, _batches(mode, case))
        return Command([*told, *(steps if case.needs_calibration else ())], variables)

    def prove(run: Any, runtime: str) -> Optional[TakenOver]:
        variables = {**environment(runtime), **drop_in.VERBOSE}
        sample, lines = run.processes.listen(Command(words(PROBE, runtime, 1), variables), Sample)
        if complaint := _other_answer(sample, PROBE, runtime, cpus):
            raise ProcessFailed(complaint)
        loaded = served(runtime)
        if loaded is None:
            drop_in.require_absence(lines)
            return None
        least = drop_in.LEAST_RUNS * sample.tasks
        return drop_in.require_service(base_of(runtime), loaded, least, lines)

    def begin(run: Any) -> Dict[str, Any]:
        is_needed = any(case.needs_calibration for case in cases)
        steps = spin_steps_per_us(run.processes, build, cpus[0]) if is_needed else None
        proofs = {name: partial(prove, run, name) for name in runtimes if name != SERIAL}
        return {"spin_steps_per_us": steps, "taken_over": drop_in.take_over(run, proofs)}

    def takes_part(slot: Slot, at: int) -> bool:
        has_all = at < LEAST_ROUNDS or at % mode["policies_every"] == 0
        is_asked = request.runtimes is not None
        return is_asked or has_all or policy_of(slot.runtime) in (None, policies[0])

    used = {policy_of(runtime) for runtime in runtimes}
    return Plan(
        build=build,
        mode=mode,
        cpus=pair,
        placement=placement,
        all_cpus=cpus,
        groups=_groups(cases, runtimes),
        command=command,
        begin=begin,
        takes_part=takes_part,
        processes_of=lambda slot: _processes(mode, CASES[slot.case]),
        cases=[case.name for case in cases],
        runtimes=runtimes,
        missing=[Missing(it.name, it.how_to_get) for it in missing],
        notes={it.name: it.note for it in installed if it.note},
        settings={
            "bases": [name for name in runtimes if name in OPENMP],
            "policies": [policy for policy in policies if policy in used],
            "default_policy": policies[0],
            "threads": len(cpus),
            "cpus": cpus,  # thread by thread
            "peers": peers,
            "environment": {  # without where the drop-in is
                name: drop_in.told(environment(name), served(name))
                for name in runtimes
                if name != SERIAL
            },
            # Variables of its own; then of a process, and of a round.
            "beside": {case.name: DEEP_STACK for case in cases if case.has_deep_tasks},
            "batches": {case.name: _batches(mode, case) for case in cases},
            "processes": {case.name: _processes(mode, case) for case in cases},
        },
    )


def _chosen(
    request: Request, known: Sequence[str], default: str, missing: Mapping[str, str]
) -> List[str]:
    """Returns serial and the asked ones, or all, each with its own runtime alone.

    Of a name without a policy the default one. Raises LabError for a name that there is not or that
    is not installed.
    """
    wanted = {drop_in.whole_name(name, default) for name in request.runtimes or known}
    for name in sorted(wanted):
        base = base_of(name)
        if base in missing:
            raise LabError(f"{base} is not installed: {missing[base]}")
        if name not in known:
            raise LabError(f"there is no runtime '{name}'; known are {', '.join(known)}", 2)
    wanted |= {SERIAL, *map(base_of, wanted)}
    chosen = [name for name in known if name in wanted]
    if not request.is_brief:
        return chosen
    once = without_doubles({base_of(name) for name in chosen})
    return [it for it in chosen if base_of(it) in once and policy_of(it) in (None, default)]


def _groups(cases: Sequence[Case], runtimes: Sequence[str]) -> List[List[Slot]]:
    """Returns a group for each case and runtime, serial with the first.

    What the drop-in is held against, its own runtime alone, is to be as near as possible.
    """
    first = next((name for name in runtimes if name != SERIAL), SERIAL)
    groups: List[List[Slot]] = []
    for case in cases:
        slots = [Slot(case.name, it) for it in runtimes if it != SERIAL or case.has_serial]
        bases = groupby(slots, lambda it: base_of(first if it.runtime == SERIAL else it.runtime))
        groups += [list(of_base) for _, of_base in bases]
    return groups


def _threads(runtime: str, cpus: Sequence[int]) -> int:
    return 1 if runtime == SERIAL else len(cpus)


def _batches(mode: Mode, case: Case) -> int:
    """Returns the batches of one process."""
    batches: int = mode["short_batches" if case.is_short else "batches"]
    return batches


def _processes(mode: Mode, case: Case) -> int:
    """Returns how many processes of a runtime a round has."""
    return mode["overhead_processes"] if case.kind == OVERHEAD else 1


def _other_answer(sample: Sample, case: Case, runtime: str, cpus: Sequence[int]) -> str:
    asked = (base_of(runtime), case.name, _threads(runtime, cpus))
    is_size = case.size is None or sample.size == case.size
    if (sample.runtime, sample.case, sample.threads) != asked or not is_size:
        return "answered with a sample of something else"
    return ""


def _complaint(sample: Sample, slot: Slot, plan: Plan) -> str:
    case = CASES[slot.case]
    batches = _batches(plan.mode, case)
    if text := _other_answer(sample, case, slot.runtime, plan.all_cpus):
        return text
    if len(sample.ns) != batches:
        return f"gave other than {batches} batches"
    if case.kind != OVERHEAD and not (sample.tasks > 0 and min(sample.ns) > 0):
        return "gave a time that no task took"
    if sample.tasks < 0 or not 0 <= sample.offloaded_share <= 1:
        return f"printed no valid sample: {sample.tasks} tasks, {sample.offloaded_share} elsewhere"
    if (sample.threads == 1) is not (sample.offloaded_share == 0):
        share = f"{sample.offloaded_share:.0%}"
        return f"ran {share} of the tasks on other threads than the one with most"
    return ""


def _discord(sample: Sample, slot: Slot, samples: Any) -> str:
    """Every process of a case does the same work."""
    others = samples.of(row for row in samples.by_row if row.case == slot.case)
    if others and sample.tasks != others[0].tasks:
        return f"made {sample.tasks} tasks, where others made {others[0].tasks}"
    return ""


def _joined(samples: Sequence[Sample]) -> Sample:
    """Returns the samples as one, with the batches of all. The last one's share and CPUs stand."""
    return replace(samples[-1], ns=[ns for sample in samples for ns in sample.ns])


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
    plan=_plan,
    sample=Sample,
    numbers={"ns": lambda sample, _row: statistics.median(sample.ns)},
    complaint=_complaint,
    discord=_discord,
    joined=_joined,
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
