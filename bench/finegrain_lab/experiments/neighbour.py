# SPDX-License-Identifier: Apache-2.0
"""What an idle worker costs its neighbour: a thread of somebody else on the same CPU."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Dict, List

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
from finegrain_lab.run.runtimes import OPENMP, SERIAL, PeerSettings, cpu_list, environment_of
from finegrain_lab.show.figures import Axis, Figure, Point, Series, mark
from finegrain_lab.show.tables import Cell, Section, grid, number, ratio

# How often the main thread hands over a task of a microsecond; 0: once, at the beginning.
PERIODS_US = {"idle": 0, "every-10ms": 10_000, "every-1ms": 1_000, "every-100us": 100}
KERNEL = "spin-1us"
# OpenMP's threads wait as the runtime comes, and as the lab sets peers up elsewhere.
DEFAULT, ACTIVE = "default", "active"

MODES = {
    "quick": Mode(
        name="quick",
        min_rounds=LEAST_ROUNDS,
        max_rounds=15,  # more is no longer quick
        budget_s=90,
        # A process lasts longer than Intel's and LLVM's threads spin by default, 200 ms.
        work={"max_ms": 400},
    ),
    "full": Mode(
        name="full",
        min_rounds=SURE_ROUNDS,
        max_rounds=40,  # past that the host's drift, not the count, sets the interval
        budget_s=FULL_BUDGET_S,
        converged_half_width=0.02,
        converged_rounds=15,
        work={"max_ms": 1000},
    ),
}


@dataclass(frozen=True)
class Sample:
    """What `relic-kernels-RUNTIME` prints of a neighbour."""

    runtime: str
    case: str
    ns: float  # the neighbour's time for a microsecond of work
    offloaded_share: float
    main_cpu: int
    task_cpus: List[int]
    version: str
    note: str


def _plan(request: Request) -> Plan:
    cpus, placement = choose_cpus(request.cpus)
    build, mode = request.build, request.mode
    runtimes = {runtime.name: runtime for runtime in build.choose(request.runtimes)}
    cases = request.chosen_cases(list(PERIODS_US))

    def command(slot: Slot, found: Found) -> Command:
        words = [
            *(build.command(runtimes[slot.runtime]), "--case", KERNEL, "--cpus", cpu_list(cpus)),
            *("--iterations", 10**9, "--max-ms", mode["max_ms"]),  # it ends by time
            *("--spin-steps-per-us", found["spin_steps_per_us"]),
            *("--task-every-us", PERIODS_US[slot.case]),
        ]
        settings: PeerSettings = "tuned" if slot.waits == ACTIVE else "default"
        return Command(words, environment_of(slot.runtime, settings, cpus))

    return Plan(
        build=build,
        mode=mode,
        cpus=cpus,
        placement=placement,
        groups=[
            [
                Slot.of(case, name, waits=waits)
                for name in runtimes
                for waits in ((DEFAULT, ACTIVE) if name in OPENMP else (DEFAULT,))
            ]
            for case in cases
        ],
        command=command,
        cases=cases,
        runtimes=list(runtimes),
        settings={"max_ms": mode["max_ms"]},
        missing=[Missing(it.name, it.how_to_get) for it in build.missing("relic-kernels")],
        notes={name: it.note for name, it in runtimes.items()},
        begin=lambda run: {"spin_steps_per_us": spin_steps_per_us(run.processes, build, cpus[0])},
    )


def _complaint(sample: Sample, slot: Slot, _plan: Plan) -> str:
    if (sample.runtime, sample.case) != (slot.runtime, KERNEL):
        return "answered with a sample of something else"
    return "" if sample.ns > 0 else "gave a time that is not positive"


def _lines(result: Any) -> Dict[str, Dict[str, str]]:
    rows = {(row.runtime, row.waits) for row in result.rows}
    keys = [(name, waits) for name in result.runtimes for waits in (DEFAULT, ACTIVE)]
    return {_name(*key): {"runtime": key[0], "waits": key[1]} for key in keys if key in rows}


def _name(runtime: str, waits: str) -> str:
    return runtime if waits == DEFAULT else f"{runtime} ({waits})"


def _sections(result: Any) -> List[Section]:
    columns = {case: {"case": case} for case in result.cases}
    lines = _lines(result)
    slower = grid(
        result,
        "the neighbour's time over that beside the serial program, paired",
        *("idle beside it", columns, ratio("of_alone"), lines),
    )
    times = grid(
        *(result, "ns of a microsecond of the neighbour's work", "idle beside it", columns),
        *(number("ns"), lines),
    )
    share = grid(
        *(result, "share of the tasks that the idle thread ran", "runtime", columns),
        *(lambda row: Cell(f"{row.offloaded_share:.0%}"), lines),
    )
    return [Section("How much slower the neighbour is", [_figure(result), slower, times, share])]


def _figure(result: Any) -> Figure:
    series = [
        Series(
            case,
            [
                Point(row.of_alone, _name(row.runtime, row.waits), *row.of_alone_ci95)
                for row in result.rows_of(case=case)
                if row.runtime != SERIAL
            ],
            "bars",
        )
        for case in result.cases
    ]
    return Figure(
        "slower",
        "How many times as long the neighbour takes as beside the serial program, by how often a "
        "task comes; 1 is free, 2 is half of the CPU.",
        [*series, mark("alone", x=1)],
        x=Axis("the neighbour's time over that alone", low=0),
        height_in=1.2 + 0.4 * len(_lines(result)),
        legend=4,
    )


NEIGHBOUR = Experiment(
    name="neighbour",
    title="what an idle worker costs another thread on its CPU, by how often a task comes",
    heading="The neighbour: what an idle worker costs",
    intro=(
        "A runtime's second thread has nothing to do, or a task of a microsecond now and then, "
        "while a thread that is not the runtime's computes on the same CPU. What the idle thread "
        "uses of that CPU, its neighbour lacks. All runtimes wait as they do by default, OpenMP's "
        "also as with OMP_WAIT_POLICY=active, which the lab sets elsewhere."
    ),
    modes=MODES,
    plan=_plan,
    sample=Sample,
    numbers={"ns": lambda sample, _row: sample.ns},
    complaint=_complaint,
    is_vital=lambda slot: slot.runtime == SERIAL,
    others={"waits": str},
    ratios={
        "of_alone": Ratio("ns", lambda row: row.but(runtime=SERIAL, waits=DEFAULT)),
    },
    facts={
        "offloaded_share": Fact(
            float, lambda samples, _row: sum(it.offloaded_share for it in samples) / len(samples)
        )
    },
    told=lambda slot: f"{_name(slot.runtime, slot.waits)}, {slot.case}",
    where=lambda slot: slot.case if slot.waits == DEFAULT else f"{slot.case}, {slot.waits}",
    decides=lambda row, _settings: row.runtime != SERIAL,
    deciding="of_alone",
    contents={"cases": list(PERIODS_US)},
    options=frozenset({"--runtimes", "--cases"}),
    sections=_sections,
    compared=lambda result, row: Compared(
        row.case,
        _name(row.runtime, row.waits),
        is_default=row.runtime == "relic",
        over=result.row(case=row.case, runtime=SERIAL),
    ),
)
