# SPDX-License-Identifier: Apache-2.0
"""What a token costs that passes the stages of a pipeline, over serial code."""

from __future__ import annotations

import statistics
from dataclasses import dataclass
from typing import Any, Callable, Dict, List, Mapping, NamedTuple

from finegrain_lab.experiments.graph import length_text
from finegrain_lab.experiments.with_pool import RELIC, chosen_runtimes
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
from finegrain_lab.run.modes import FULL_BUDGET_S, SURE_ROUNDS, Mode
from finegrain_lab.run.policies import POOL
from finegrain_lab.run.runtimes import SERIAL, cpu_list, environment_of
from finegrain_lab.run.samples import Samples, ratios_to_best
from finegrain_lab.show.figures import Axis, Figure, Point, Series, mark
from finegrain_lab.show.tables import AnyCell, Section, Table, grid, number, ratio, ratio_text

TWO_THREADS = "two-threads"  # written by hand: not a framework, and so no peer


class Tokens(NamedTuple):
    """What tokens pass: the stages, and what one takes in all of them."""

    line: str
    token_ns: int

    @property
    def case(self) -> str:
        """Its name in the result."""
        return f"{self.line}-{length_text(self.token_ns)}"


LINES = ("s-s", "s-p-s")
TOKENS_NS = (0, 200, 1_000, 5_000)
CASES = {it.case: it for line in LINES for ns in TOKENS_NS for it in [Tokens(line, ns)]}
SHOWN = Tokens("s-p-s", 1_000).case, Tokens("s-s", 1_000).case  # ahead of the tables

MODES = {
    "quick": Mode(
        name="quick",
        min_rounds=SURE_ROUNDS,
        max_rounds=20,  # more is no longer quick
        budget_s=60,
        work={"batches": 5, "batch_us": 1000, "warmup_ms": 20},
    ),
    "full": Mode(
        name="full",
        min_rounds=SURE_ROUNDS,
        max_rounds=60,  # past that the host's drift sets the interval
        budget_s=FULL_BUDGET_S,
        converged_half_width=0.02,
        converged_rounds=15,
        work={"batches": 5, "batch_us": 2000, "warmup_ms": 20},
    ),
}


@dataclass(frozen=True)
class Sample:
    """What `pipeline-RUNTIME` prints."""

    runtime: str
    line: str
    token_ns: float
    tokens: int  # of a run
    ns: List[float]  # of a token, a number a run
    elsewhere: float  # share of the stages' calls on another CPU than the calling thread's
    cpus: List[int]
    version: str
    note: str


def slot_of(tokens: Tokens, runtime: str) -> Slot:
    """Returns the process of these."""
    return Slot.of(tokens.case, runtime, **tokens._asdict())


def _plan(request: Request) -> Plan:
    cpus, placement = choose_cpus(request.cpus)
    build, mode = request.build, request.mode
    cases = request.chosen_cases(list(CASES))
    runtimes = chosen_runtimes(request, "pipeline")
    programs = {it: build.program(build.manifest.pipeline / f"pipeline-{it}") for it in runtimes}

    def command(slot: Slot, found: Found) -> Command:
        words = [
            *(programs[slot.runtime], "--line", slot.line, "--token-ns", slot.token_ns),
            *("--spin-steps-per-us", found["spin_steps_per_us"], "--batches", mode["batches"]),
            *("--batch-us", mode["batch_us"], "--warmup-ms", mode["warmup_ms"]),
            *("--cpus", cpu_list(cpus)),
        ]
        return Command(words, environment_of(slot.runtime, "tuned", cpus))

    def begin(run: Any) -> Found:
        return {"spin_steps_per_us": spin_steps_per_us(run.processes, build, cpus[0])}

    return Plan(
        build=build,
        mode=mode,
        cpus=cpus,
        placement=placement,
        groups=[[slot_of(CASES[case], name) for name in runtimes] for case in cases],
        command=command,
        cases=cases,
        runtimes=runtimes,
        settings={"pipelines": {case: CASES[case]._asdict() for case in cases}},
        missing=[Missing(it.name, it.how_to_get) for it in build.missing("pipeline")],
        notes={it.name: it.note for it in build.installed("pipeline") if it.name in runtimes},
        begin=begin,
    )


def _complaint(sample: Sample, slot: Slot, plan: Plan) -> str:
    asked = (slot.runtime, slot.line, slot.token_ns)
    if (sample.runtime, sample.line, sample.token_ns) != asked:
        return "answered with a sample of something else"
    if len(sample.ns) != plan.mode["batches"]:
        return f"gave other than {plan.mode['batches']} runs"
    return "" if min(sample.ns) > 0 else "gave a time that is not positive"


def is_ours(runtime: str) -> bool:
    """Says whether it is one of finegrain's two."""
    return runtime in (RELIC, POOL)


def is_peer(runtime: str) -> bool:
    """Says whether it is a framework other than ours."""
    return not is_ours(runtime) and runtime not in (SERIAL, TWO_THREADS)


def _of_best_peer(samples: Samples, row: Slot) -> Mapping[int, float]:
    """Returns its time over that of the peer whose median is the least in this case."""
    if not is_ours(row.runtime):
        return {}
    same = (it for it in samples.by_row if it.case == row.case)
    return ratios_to_best(samples, row, (it for it in same if is_peer(it.runtime)))


# ---- what is shown


def _tables(
    result: Any,
    what: str,
    cell: Callable[[Any], AnyCell],
    *,
    is_shown: Callable[[str], bool] = lambda _: True,
    on_terminal: bool = True,
) -> List[Table]:
    """Returns a table a line of stages, by what a token takes."""
    runtimes = {name: {"runtime": name} for name in result.runtimes if is_shown(name)}
    return [
        grid(result, f"{what}: {line}", "runtime", columns, cell, runtimes, on_terminal)
        for line in LINES
        if (columns := _columns(result, line))
    ]


def _columns(result: Any, line: str) -> Dict[str, Dict[str, str]]:
    """Returns the columns of this line, of the cases that were measured."""
    return {
        length_text(it.token_ns): {"case": it.case}
        for it in CASES.values()
        if it.line == line and it.case in result.cases
    }


def _sections(result: Any) -> List[Section]:
    over_peer, over_threads = ratio("of_best_peer"), ratio("of_two_threads")
    return [
        Section(
            "Tokens by what they take",
            [
                *(_figure(result, line) for line in LINES if _columns(result, line)),
                *_tables(result, "ns a token", number("ns")),
                *_tables(result, "time over serial's, paired", ratio("of_serial")),
                *_tables(
                    result, "time over the fastest peer's, paired", over_peer, is_shown=is_ours
                ),
                *_tables(result, "time over two threads', paired", over_threads, is_shown=is_ours),
            ],
        ),
        Section(
            "Where stages ran",
            _tables(
                *(result, "calls on the other CPU", lambda row: f"{row.elsewhere:.0%}"),
                on_terminal=False,
            ),
        ),
    ]


def _figure(result: Any, line: str) -> Figure:
    serial = {row.case: row.ns for row in result.rows_of(line=line, runtime=SERIAL)}
    series = [
        Series(
            name,
            [
                Point(serial[row.case], 1 / row.of_serial, 1 / high, 1 / low)
                for row in result.rows_of(line=line, runtime=name)
                if row.of_serial is not None and row.case in serial
                for low, high in [row.of_serial_ci95]
            ],
            like=name,
        )
        for name in result.runtimes
        if name != SERIAL
    ]
    return Figure(
        f"speed-{line}",
        f"Speed of the pipeline {line} over serial code, by what a token takes there. Above 1 the "
        "runtime pays; 2 is the bound.",
        [*series, mark(SERIAL, y=1)],
        x=Axis("ns a token in serial code", "log"),
        y=Axis("speed over serial's", "log"),
        height_in=5.0,
        legend=2,
    )


def _header(result: Any) -> List[str]:
    """Returns how ours stand in two cases."""
    from finegrain_lab.show.ratios import flagged

    lines = []
    for case in SHOWN:
        for runtime in (RELIC, POOL):
            if row := result.row(case=case, runtime=runtime):
                text = f"{runtime}, {case}: {row.ns:,.0f} ns a token"
                for ratio_name, of in (
                    ("of_serial", "serial"),
                    ("of_best_peer", "the fastest peer"),
                    ("of_two_threads", "two threads"),
                ):
                    if row[ratio_name] is not None:
                        text += (
                            f", {ratio_text(row[ratio_name], row[f'{ratio_name}_ci95'])} of {of}"
                        )
                lines.append(flagged(text, result))
    return lines


def _compared(result: Any, row: Any) -> Compared:
    serial = result.row(case=row.case, runtime=SERIAL)
    return Compared(
        row.case, row.runtime, is_default=is_ours(row.runtime), over=serial, serial=serial
    )


PIPELINE = Experiment(
    name="pipeline",
    title="a token that passes the stages of a pipeline, over serial code",
    heading="Pipelines: tokens through two or three stages",
    intro=(
        "One pipeline over and over on two CPUs: two serial stages (s-s), each half of what a "
        "token takes, or a parallel one between two serial ones (s-p-s), 0.8 of it between 0.1 "
        "and 0.1. A stage is a chain of dependent steps, or nothing. Serial code passes a token "
        "through all stages before it makes the next one. finegrain's pipeline runs on a relic "
        "and on a pool of two workers; Taskflow's tf::Pipeline, whose values are in the program's "
        "own lines, and oneTBB's parallel_pipeline run on two threads each; all have 16 tokens at "
        "once. two-threads is what one writes without a framework: two threads that poll the "
        "queue between them, the first with the first stage and the second with the last, and a "
        "parallel stage by turns. The number of the tokens, their order and their results are "
        "checked in each run."
    ),
    modes=MODES,
    plan=_plan,
    sample=Sample,
    numbers={"ns": lambda sample, _row: statistics.median(sample.ns)},
    complaint=_complaint,
    is_vital=lambda slot: slot.runtime == SERIAL,
    others={"line": str, "token_ns": int},
    ratios={
        "of_serial": Ratio("ns", lambda row: row.but(runtime=SERIAL)),
        "of_best_peer": Ratio(of=_of_best_peer),
        "of_two_threads": Ratio(
            "ns", lambda row: row.but(runtime=TWO_THREADS) if is_ours(row.runtime) else None
        ),
    },
    facts={
        "elsewhere": Fact(
            float, lambda samples, _row: statistics.median(it.elsewhere for it in samples)
        ),
    },
    told=lambda slot: f"{slot.runtime}, {slot.case}",
    where=lambda slot: slot.case,
    decides=lambda row, _settings: is_ours(row.runtime),
    deciding="of_serial",
    contents={"stages": list(LINES), "token": [length_text(ns) for ns in TOKENS_NS]},
    options=frozenset({"--runtimes", "--cases"}),
    header=_header,
    sections=_sections,
    compared=_compared,
)
