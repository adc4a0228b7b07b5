# SPDX-License-Identifier: Apache-2.0
"""What a node costs of a graph that is built once and run again and again, over serial code."""

from __future__ import annotations

import statistics
from dataclasses import dataclass
from functools import partial
from typing import Any, Callable, Dict, List, Mapping, NamedTuple, Sequence

from finegrain_lab.experiments.with_pool import RELIC, chosen_runtimes
from finegrain_lab.run import drop_in
from finegrain_lab.run.drop_in import DropIn, base_of, policy_of, shown_name, with_policy
from finegrain_lab.run.experiment import (
    Command,
    Compared,
    Experiment,
    Fact,
    Found,
    Missing,
    Plan,
    Ratio,
    Request,
    Slot,
)
from finegrain_lab.run.host import choose_cpus
from finegrain_lab.run.instruments import spin_steps_per_us
from finegrain_lab.run.modes import FULL_BUDGET_S, LEAST_ROUNDS, SURE_ROUNDS, Mode
from finegrain_lab.run.policies import POOL, policies_of
from finegrain_lab.run.processes import ProcessFailed
from finegrain_lab.run.runtimes import OPENMP, SERIAL, Build, cpu_list, environment_of
from finegrain_lab.run.samples import Samples, ratios_to_best
from finegrain_lab.show.figures import Axis, Figure, Point, Series, mark
from finegrain_lab.show.tables import AnyCell, Section, Table, grid, number, ratio, ratio_text

# How a runtime's graph is written. By forks and joins only some can be.
DEFAULT, FORK_JOIN, LIGHTWEIGHT = "default", "fork-join", "lightweight"
FORMS = {
    RELIC: (DEFAULT, FORK_JOIN),
    POOL: (DEFAULT, FORK_JOIN),
    "onetbb": (DEFAULT, LIGHTWEIGHT),
}

# Which runs of a graph a row is of, and what a sample says of them.
STEADY, FIRST, HUNDREDTH = "steady", "first", "hundredth"
RUNS = {STEADY: "ns", FIRST: "first_ns", HUNDREDTH: "hundredth_ns"}


class Graph(NamedTuple):
    """A graph: its shape, and what a node of weight 1 takes."""

    shape: str
    node_ns: int

    @property
    def case(self) -> str:
        """Its name in the result."""
        return f"{self.shape}-{length_text(self.node_ns)}"


def length_text(node_ns: int) -> str:
    """Returns a length of nodes for a reader."""
    return f"{node_ns / 1000:g}us" if node_ns >= 1000 else f"{node_ns}ns" if node_ns else "empty"


AUDIO = Graph("audio", 1_000)  # nodes of 0.1 to 5 us: the one whose nodes have lengths of their own
SHAPES = ("chain", "diamond", "wavefront", "random", "inference", "cholesky")
FORKABLE = ("diamond", "inference", AUDIO.shape)  # by forks and joins; a chain forks nothing
NODES_NS = (0, 50, 200, 1_000)
BRIEF_NODES_NS = (0, 200)  # if the run is one of many
GRAPHS = {it.case: it for ns in NODES_NS for shape in SHAPES for it in [Graph(shape, ns)]}
GRAPHS[AUDIO.case] = AUDIO

PROBE = Graph("chain", 0)
PROBE_RUNS = 100  # a process has more: to prove the order of the nodes alone

MODES = {
    "quick": Mode(
        name="quick",
        min_rounds=LEAST_ROUNDS,
        max_rounds=5,  # more is no longer quick
        budget_s=110,
        work={"graphs": 5, "batches": 3, "batch_us": 500, "warmup_ms": 10},
    ),
    "full": Mode(
        name="full",
        min_rounds=SURE_ROUNDS,
        max_rounds=60,  # past that the host's drift sets the interval
        budget_s=FULL_BUDGET_S,
        converged_half_width=0.02,
        converged_rounds=15,
        work={"graphs": 9, "batches": 5, "batch_us": 2000, "warmup_ms": 20},
    ),
}


@dataclass(frozen=True)
class Sample:
    """What `graph-RUNTIME` prints; times of a run over its nodes."""

    runtime: str
    form: str
    shape: str
    node_ns: float
    nodes: int
    ns: List[float]  # of a run, a number a batch
    build_ns: List[float]  # a number a graph, as are the next two
    first_ns: List[float]
    hundredth_ns: List[float]
    elsewhere: float  # share of the nodes on another CPU than the calling thread's
    cpus: List[int]
    version: str
    note: str


def name_of(runtime: str, form: str) -> str:
    """Returns a contestant's name."""
    return runtime if form == DEFAULT else f"{runtime} ({form})"


def slot_of(graph: Graph, runtime: str, form: str = DEFAULT) -> Slot:
    """Returns the process of these."""
    return Slot.of(graph.case, runtime, form=form, **graph._asdict())


def forms_of(graph: Graph, runtime: str) -> List[str]:
    """Returns the forms in which the runtime can express the graph."""
    forms = FORMS.get(runtime, (DEFAULT,))
    return [form for form in forms if form != FORK_JOIN or graph.shape in FORKABLE]


def _plan(request: Request) -> Plan:
    cpus, placement = choose_cpus(request.cpus)
    build, mode = request.build, request.mode
    cases = request.chosen_cases(list(GRAPHS))
    if request.is_brief:
        brief = [it.case for it in GRAPHS.values() if it.node_ns in BRIEF_NODES_NS or it == AUDIO]
        cases = [case for case in cases if case in brief]
    chosen = chosen_runtimes(request, "graph")
    programs = {name: build.program(build.manifest.graph / f"graph-{name}") for name in chosen}
    served = _served(build, chosen)
    # With the drop-in after the same program alone.
    runtimes = [it for name in chosen for it in (name, *(s for s in served if base_of(s) == name))]

    def process(runtime: str, words: Sequence[Any], variables: Mapping[str, str]) -> Command:
        base = base_of(runtime)
        loaded = served[runtime].variables if runtime in served else {}
        own = environment_of(base, "tuned", cpus)
        told = [programs[base], *words, "--cpus", cpu_list(cpus)]
        return Command(told, {**own, **loaded, **variables})

    def command(slot: Slot, found: Found) -> Command:
        words = [
            *("--shape", slot.shape, "--node-ns", slot.node_ns),
            *("--spin-steps-per-us", found["spin_steps_per_us"]),
            *(("--form", slot.form) if slot.runtime in FORMS else ()),
            *("--graphs", mode["graphs"], "--batches", mode["batches"]),
            *("--batch-us", mode["batch_us"], "--warmup-ms", mode["warmup_ms"]),
        ]
        return process(slot.runtime, words, {})

    def prove(run: Any, runtime: str) -> drop_in.TakenOver:
        words = ["--shape", PROBE.shape, "--node-ns", PROBE.node_ns, "--warmup-ms", 0]
        sample, lines = run.processes.listen(process(runtime, words, drop_in.VERBOSE), Sample)
        base = base_of(runtime)
        if (sample.runtime, sample.shape) != (base, PROBE.shape):
            raise ProcessFailed("answered with a sample of something else")
        tasks = PROBE_RUNS * sample.nodes
        return drop_in.require_service(base, served[runtime], tasks, lines)

    def begin(run: Any) -> Found:
        steps = spin_steps_per_us(run.processes, build, cpus[0])
        proofs = {name: partial(prove, run, name) for name in served}
        return {"spin_steps_per_us": steps, "taken_over": drop_in.take_over(run, proofs)}

    installed = build.installed("graph")
    return Plan(
        build=build,
        mode=mode,
        cpus=cpus,
        placement=placement,
        groups=[
            [
                slot_of(GRAPHS[case], name, form)
                for name in runtimes
                for form in forms_of(GRAPHS[case], name)
            ]
            for case in cases
        ],
        command=command,
        cases=cases,
        runtimes=runtimes,
        settings={"graphs": {case: GRAPHS[case]._asdict() for case in cases}},
        missing=[Missing(it.name, it.how_to_get) for it in build.missing("graph")],
        notes={it.name: it.note for it in installed if it.name in chosen},
        begin=begin,
    )


def _served(build: Build, chosen: Sequence[str]) -> Dict[str, DropIn]:
    """Returns the OpenMP runtimes among them with the drop-in, under its default policy."""
    bases = [name for name in chosen if name in OPENMP]
    if build.manifest.drop_in is None or not bases:
        return {}
    library, policy = build.drop_in(), policies_of(build)[0]
    return {with_policy(base, policy): DropIn(library, policy) for base in bases}


def _complaint(sample: Sample, slot: Slot, plan: Plan) -> str:
    asked = (base_of(slot.runtime), slot.form, slot.shape, slot.node_ns)
    if (sample.runtime, sample.form, sample.shape, sample.node_ns) != asked:
        return "answered with a sample of something else"
    if len(sample.ns) != plan.mode["batches"]:
        return f"gave other than {plan.mode['batches']} batches"
    if {len(sample.first_ns), len(sample.hundredth_ns)} != {plan.mode["graphs"]}:
        return f"gave other than {plan.mode['graphs']} graphs"
    times = [*sample.ns, *sample.first_ns, *sample.hundredth_ns]
    return "" if min(times) > 0 else "gave a time that is not positive"


def _rows_of(slot: Slot) -> List[Slot]:
    return [Slot(slot.case, slot.runtime, (*slot.others, ("run", run))) for run in RUNS]


def _serial_of(row: Slot) -> Slot:
    return row.but(runtime=SERIAL, form=DEFAULT)


def is_peer(runtime: str) -> bool:
    """Says whether it is neither ours, with the drop-in or without, nor serial code."""
    return runtime not in (SERIAL, RELIC, POOL) and not policy_of(runtime)


def _of_best_peer(samples: Samples, row: Slot) -> Mapping[int, float]:
    """Returns its time over that of the peer whose median is the least in this case and run."""
    if is_peer(row.runtime) or row.runtime == SERIAL:
        return {}
    same = (it for it in samples.by_row if (it.case, it.run) == (row.case, row.run))
    return ratios_to_best(samples, row, (it for it in same if is_peer(it.runtime)))


# ---- what is shown


def _lines(result: Any, run: str, is_shown: Callable[[str], bool] = lambda _: True) -> Any:
    return {
        name_of(shown_name(name), form): {"runtime": name, "form": form, "run": run}
        for name in result.runtimes
        if is_shown(name)
        for form in FORMS.get(name, (DEFAULT,))
    }


def _columns(result: Any, node_ns: int) -> Dict[str, Dict[str, str]]:
    """Returns the columns of this length of nodes, of the graphs that were measured."""
    of_length = [it for it in GRAPHS.values() if it.node_ns == node_ns]
    return {it.shape: {"case": it.case} for it in of_length if it.case in result.cases}


def _tables(
    result: Any,
    run: str,
    what: str,
    cell: Callable[[Any], AnyCell],
    *,
    is_shown: Callable[[str], bool] = lambda _: True,
    on_terminal: bool = True,
) -> List[Table]:
    """Returns a table a length of nodes."""
    return [
        grid(
            result,
            f"{what}: nodes of {length_text(node_ns)}" if node_ns else f"{what}: empty nodes",
            "runtime",
            columns,
            cell,
            _lines(result, run, is_shown),
            on_terminal,
        )
        for node_ns in NODES_NS
        if (columns := _columns(result, node_ns))
    ]


def _sections(result: Any) -> List[Section]:
    over_serial, over_peer = ratio("of_serial"), ratio("of_best_peer")
    ours = partial(_tables, result, is_shown=lambda name: not is_peer(name) and name != SERIAL)
    page = partial(_tables, result, on_terminal=False)
    return [
        Section(
            "A graph run again and again",
            [
                *(_figure(result, shape) for shape in SHAPES if _is_line(result, shape)),
                *_tables(result, STEADY, "time over serial's, paired", over_serial),
                *ours(STEADY, "time over the fastest peer's, paired", over_peer),
                *page(STEADY, "ns a node", number("ns")),
            ],
        ),
        Section(
            "The first run and the hundredth",
            [
                *_tables(result, FIRST, "first run, ns a node", number("ns")),
                *page(HUNDREDTH, "hundredth run, ns a node", number("ns")),
                *page(FIRST, "first run over serial's", over_serial),
                *page(HUNDREDTH, "hundredth run over serial's", over_serial),
                *page(FIRST, "building it, ns a node", lambda row: f"{row.build_ns:.0f}"),
            ],
        ),
        Section(
            "Where nodes ran",
            page(STEADY, "nodes on the other CPU", lambda row: f"{row.elsewhere:.0%}"),
        ),
    ]


def _serial_ns(result: Any, shape: str) -> Dict[str, float]:
    """Returns what a node takes in serial code, by case."""
    rows = result.rows_of(shape=shape, runtime=SERIAL, run=STEADY)
    return {row.case: row.ns for row in rows}


def _is_line(result: Any, shape: str) -> bool:
    return len(_serial_ns(result, shape)) > 1


def _figure(result: Any, shape: str) -> Figure:
    lengths = _serial_ns(result, shape)
    series = []
    for name, fields in _lines(result, STEADY).items():
        points = [
            Point(lengths[row.case], 1 / row.of_serial, 1 / high, 1 / low)
            for row in result.rows_of(shape=shape, **fields)
            if row.of_serial is not None and row.case in lengths
            for low, high in [row.of_serial_ci95]
        ]
        like, line = fields["runtime"], "-" if fields["form"] == DEFAULT else ":"
        if like != SERIAL:
            series.append(Series(name, points, like=like, line=line if not policy_of(like) else ""))
    return Figure(
        f"speed-{shape}",
        f"Speed of the graph {shape} over serial code, by what a node takes there. Above 1 the "
        "runtime pays; 2 is the bound.",
        [*series, mark(SERIAL, y=1)],
        x=Axis("ns a node in serial code", "log"),
        y=Axis("speed over serial's", "log"),
        height_in=5.0,
        legend=2,
    )


def _header(result: Any) -> List[str]:
    """Returns how ours stand in two graphs, and what the drop-in has proved."""
    from finegrain_lab.show.ratios import flagged

    lines = [drop_in.PROVED] if result.settings.taken_over else []
    for case in (Graph("wavefront", 200).case, AUDIO.case):
        for runtime in (RELIC, POOL):
            if row := result.row(case=case, runtime=runtime, form=DEFAULT, run=STEADY):
                of_peer = ratio_text(row.of_best_peer, row.of_best_peer_ci95)
                text = (
                    f"{runtime}, {case}: {row.ns:,.0f} ns a node, "
                    f"{ratio_text(row.of_serial, row.of_serial_ci95)} of serial"
                )
                text += f", {of_peer} of the fastest peer" if of_peer else ""
                lines.append(flagged(text, result))
    return lines


def _compared(result: Any, row: Any) -> Compared:
    serial = result.row(case=row.case, runtime=SERIAL, run=row.run)
    return Compared(
        f"{row.case}, {row.run}",
        name_of(row.runtime, row.form),
        is_default=row.runtime in (RELIC, POOL) and (row.form, row.run) == (DEFAULT, STEADY),
        over=serial,
        serial=serial,
    )


GRAPH = Experiment(
    name="graph",
    title="a graph that is built once and run again and again, over serial code",
    heading="Graphs: built once, run again and again",
    intro=(
        "One graph over and over on two CPUs: a chain of 64 nodes, a diamond of 4, a wavefront of "
        "8 by 8, a random graph of 64, eight layers of 7 with a join each, as in inference, the "
        "dependences of a Cholesky factorisation of 6 by 6 tiles, and 8 chains of 7 nodes with a "
        "tree that mixes them, as in audio, whose nodes take 0.1 to 5 µs. A node is a chain of "
        "dependent steps, or empty; those of the factorisation take as long as its kernels do, in "
        "units of a trsm. Times are those of a run, over its nodes. Serial code calls the nodes in "
        "an order that the edges allow. finegrain's graph runs on a relic and on a pool of two "
        "workers; fork_join is what these have without graphs, where forks and joins can express "
        "one. Taskflow and oneTBB keep a graph, too, the latter also with nodes that may call the "
        "next ones (lightweight); OpenMP makes tasks with depend clauses in each run, its threads "
        "wait actively. First and hundredth runs are those of several graphs of a process whose "
        "threads have run others before. The order of the nodes is proved ahead, with nodes of "
        "random lengths, and each run is counted."
    ),
    modes=MODES,
    plan=_plan,
    sample=Sample,
    numbers={"ns": lambda sample, row: statistics.median(getattr(sample, RUNS[row.run]))},
    complaint=_complaint,
    is_vital=lambda slot: slot.runtime == SERIAL,
    rows_of=_rows_of,
    others={"form": str, "shape": str, "node_ns": int, "run": str},
    ratios={
        "of_serial": Ratio("ns", _serial_of),
        "of_best_peer": Ratio(of=_of_best_peer),
    },
    facts={
        "elsewhere": Fact(
            float, lambda samples, _row: statistics.median(it.elsewhere for it in samples)
        ),
        "build_ns": Fact(
            float,
            lambda samples, _row: statistics.median(
                statistics.median(it.build_ns) for it in samples
            ),
        ),
    },
    told=lambda slot: f"{name_of(slot.runtime, slot.form)}, {slot.case}",
    where=lambda slot: slot.case if slot.form == DEFAULT else f"{slot.case}, {slot.form}",
    decides=lambda row, _settings: row.runtime in (RELIC, POOL) and row.run == STEADY,
    deciding="of_serial",
    contents={"graph": [*SHAPES, AUDIO.shape], "node": [length_text(ns) for ns in NODES_NS]},
    options=frozenset({"--runtimes", "--cases"}),
    header=_header,
    sections=_sections,
    compared=_compared,
)
