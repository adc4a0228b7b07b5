# SPDX-License-Identifier: Apache-2.0
"""The round trip of a task: every queue, wait policy and placement, over the floor."""

from __future__ import annotations

import re
import shutil
import statistics
import tempfile
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Tuple

from finegrain_lab.experiments.handoff_rows import (
    EMPTY,
    default_row,
    ns_cell,
    paired,
    with_half_width,
)
from finegrain_lab.experiments.handoff_values import (
    VALUE_CASES,
    result_text,
    value_section,
)
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
from finegrain_lab.run.host import choose_cpus
from finegrain_lab.run.modes import FULL_BUDGET_S, LEAST_ROUNDS, SURE_ROUNDS, Mode
from finegrain_lab.run.processes import Processes, ProcessFailed
from finegrain_lab.run.runtimes import Build, Cpus, cpu_list
from finegrain_lab.show.figures import Axis, Figure, Point, Series, bar, mark
from finegrain_lab.show.tables import (
    AnyCell,
    Cell,
    Section,
    Table,
    ratio,
    ratio_text,
    with_interval,
)

BURSTS = (2, 4, 8, 16, 32, 64, 128)  # 128: what the paper's queue holds
EMPTY_CASES = (EMPTY, *(f"burst-{size}" for size in BURSTS))  # whose tasks do nothing
CASES = (*EMPTY_CASES, *VALUE_CASES)
# One line: what every row is a multiple of.
FLOOR, FLOOR_POLICY = "floor-one-line", "spin_pause"
RELIC = "relic"
SHARE_BURST = "burst-64"  # whose task is compared with the round trip

INSTRUCTIONS = "relic's submit and wait on the main thread, instructions a task"
VALGRIND = "valgrind"
NOT_INSTALLED = "instructions were not counted: valgrind is not installed"
REPEAT = 100  # the count is exact whatever this is; a hundred hides nothing that comes once

# Nearest first, as finegrain-info has them: what the two CPUs have in common.
KINDS = (("smt_sibling", "core"), ("shared_l2", "l2"), ("shared_l3", "l3"))

MODES = {
    "quick": Mode(
        name="quick",
        min_rounds=LEAST_ROUNDS,
        max_rounds=40,  # more is no longer quick
        budget_s=110,  # 2.5 minutes with the instruction counts, the intervals and the report
        work={
            "batches": 5,  # 3 rounds of 13 cases give 195 of the floor; 50 is the rule
            "round_trips": 5_000,  # 0.8 ms a batch at 150 ns: long against the clock, many fit
        },
    ),
    "full": Mode(
        name="full",
        min_rounds=SURE_ROUNDS,
        max_rounds=100,  # past that the host's drift, not the count, sets the interval
        budget_s=FULL_BUDGET_S,
        converged_half_width=0.01,  # of the 15 % over the floor that a round trip may cost
        converged_rounds=15,
        work={"batches": 10, "round_trips": 10_000},
    ),
}


@dataclass(frozen=True)
class Candidate:
    """A runtime of `handoff --list`; without a policy it is not installed."""

    name: str
    policies: List[str]  # the first is the runtime's default
    carries_tasks: bool = False  # else empty is its only case
    version: str = ""
    note: str = ""
    how_to_get: str = ""


@dataclass(frozen=True)
class Candidates:
    """What `handoff --list` prints."""

    runtimes: List[Candidate]


@dataclass(frozen=True)
class Sample:
    """What `handoff` prints: a number a batch."""

    runtime: str
    policy: str
    case: str
    ns: List[float]
    main_cpu: int
    task_cpus: List[int]
    note: str = ""


@dataclass(frozen=True)
class InstructionCase:
    """What `handoff-instructions` prints: the functions whose instructions are counted."""

    toggle: List[str]


@dataclass(frozen=True)
class Placement:
    """Two CPUs, and how near they are."""

    kind: str
    main_cpu: int
    assistant_cpu: int


@dataclass(frozen=True)
class Info:
    """What `finegrain-info --json` prints, as far as the lab reads it."""

    cpus: List[Dict[str, Optional[int]]]  # their places; what the system does not tell is None, -1
    pair: Dict[str, Any]  # what relic would use, or why none
    placements: List[Placement]


def tasks_of(case: str) -> int:
    """Returns how many tasks are submitted before a wait."""
    return int(case.rpartition("-")[2]) if case.startswith("burst-") else 1


def list_candidates(build: Build) -> list[Candidate]:
    """Returns what the build's `handoff` knows, installed or not, in its order. Raises LabError."""
    command = Command([build.program(build.manifest.handoff), "--list"])
    try:
        return Processes().run(command, Candidates).runtimes
    except ProcessFailed as error:
        raise LabError(f"handoff does not tell its runtimes: {error}") from error


def choose_candidates(known: Sequence[Candidate], asked: Sequence[str] | None) -> list[Candidate]:
    """Returns the floor and the asked runtimes (all installed ones if None). Raises LabError."""
    by_name = {candidate.name: candidate for candidate in known}
    for name in asked or ():
        if name not in by_name:
            raise LabError(f"there is no runtime '{name}'; known are {', '.join(by_name)}", 2)
        if not by_name[name].policies:
            raise LabError(f"{name} is not installed: {by_name[name].how_to_get}")
    if FLOOR not in by_name or FLOOR_POLICY not in by_name[FLOOR].policies:
        raise LabError(f"the build's handoff has no {FLOOR} to compare with: run 'make lab'")
    return [
        candidate
        for candidate in known
        if candidate.policies and (asked is None or candidate.name in (*asked, FLOOR))
    ]


def choose_placements(build: Build, asked: Cpus | None) -> dict[str, Cpus]:
    """Returns the asked pair, or one of every kind that this machine has, nearest first, by kind.

    Raises LabError if there is none, or if the asked one cannot be had.
    """
    if asked is not None:
        choose_cpus(asked)
    command = Command([build.program(build.manifest.info), "--json", "--no-measure"])
    try:
        info = Processes().run(command, Info)
    except ProcessFailed as error:
        raise LabError(f"finegrain-info gives no placement: {error}") from error
    if asked is not None:
        return {kind_of(info.cpus, asked): asked}
    if not info.placements:
        raise LabError(f"there is no pair of CPUs to measure on: {info.pair['reason']}")
    return {it.kind: (it.main_cpu, it.assistant_cpu) for it in info.placements}


def kind_of(cpus: Sequence[Mapping[str, Optional[int]]], pair: Cpus) -> str:
    """Returns how near the two CPUs are."""
    by_id = {cpu.get("id"): cpu for cpu in cpus}
    if not all(cpu in by_id for cpu in pair):
        return "unknown"
    main, assistant = (by_id[cpu] for cpu in pair)
    if main.get("package") != assistant.get("package"):
        return "other_package"
    for kind, part in KINDS:
        mine = main.get(part)
        if mine == assistant.get(part) and mine is not None and mine >= 0:
            return kind
    return "same_package"


def floor_of(slot: Slot) -> Slot:
    """Returns the floor that is measured beside it: in its group, whatever the case of that."""
    return slot.but(case=EMPTY, runtime=FLOOR, policy=FLOOR_POLICY)


def _group(candidates: Sequence[Candidate], kind: str, case: str) -> list[Slot]:
    """Returns what is compared: the slots of a case at a placement, the floor among them."""
    slots = [
        Slot.of(case, candidate.name, policy=policy, placement=kind, group=case)
        for candidate in candidates
        for policy in candidate.policies
        if case == EMPTY or candidate.carries_tasks
    ]
    floor = floor_of(Slot.of(case, FLOOR, policy="", placement=kind, group=case))
    return slots if floor in slots else [floor, *slots]


def _plan(request: Request) -> Plan:
    cases = request.chosen_cases(CASES)
    placements = choose_placements(request.build, request.cpus)
    known = list_candidates(request.build)
    candidates = choose_candidates(known, request.runtimes)
    runtimes = [candidate.name for candidate in candidates]
    program = request.build.program(request.build.manifest.handoff)
    mode, first = request.mode, next(iter(placements))

    def command(slot: Slot, _found: Any) -> Command:
        return Command(
            [
                *(program, "--runtime", slot.runtime, "--policy", slot.policy),
                *("--case", slot.case, "--cpus", cpu_list(placements[slot.placement])),
                *("--batches", mode["batches"], "--round-trips", mode["round_trips"]),
            ]
        )

    return Plan(
        build=request.build,
        mode=mode,
        cpus=placements[first],
        placement=f"{first}, {'as asked for' if request.cpus else 'as finegrain-info has it'}",
        all_cpus=[cpu for pair in placements.values() for cpu in pair],
        groups=[_group(candidates, kind, case) for kind in placements for case in cases],
        command=command,
        begin=_count_instructions if RELIC in runtimes else None,
        cases=cases,
        runtimes=runtimes,
        missing=[Missing(it.name, it.how_to_get) for it in known if not it.policies],
        notes={candidate.name: candidate.note for candidate in candidates},
        settings={
            "placements": placements,
            "policies": {candidate.name: candidate.policies for candidate in candidates},
            "versions": {candidate.name: candidate.version for candidate in candidates},
            "instructions": {},
            **mode.work,
        },
    )


def _count_instructions(run: Any) -> dict[str, Any]:
    """Returns relic's instructions of an empty task, and what kept some from being counted.

    Raises LabError if the build lacks the program.
    """
    run.reporter.step(0.0, "instructions")
    build = run.plan.build
    program = build.program(build.manifest.handoff_instructions)
    if shutil.which(VALGRIND) is None:
        return {"notes": {RELIC: [NOT_INSTALLED]}}
    counted, notes = {}, []
    for case in _empty_cases(run.plan):
        try:
            counted[case] = _instructions_per_task(run.processes, program, case)
        except ProcessFailed as error:
            notes.append(f"instructions of {case} were not counted: {error}")
    return {"instructions": counted, "notes": {RELIC: notes}}


def _empty_cases(it: Any) -> list[str]:
    """Returns the cases of a plan or a result whose tasks do nothing."""
    return [case for case in it.cases if case in EMPTY_CASES]


def _instructions_per_task(processes: Processes, program: Path, case: str) -> float:
    """Returns the instructions of submit and wait on the main thread, by callgrind's count."""
    command: list[str | Path | float] = [program, "--case", case, "--repeat", REPEAT]
    told = processes.run(Command(command), InstructionCase)
    with tempfile.TemporaryDirectory(prefix="finegrain-lab-") as folder:
        profile = Path(folder) / "callgrind.out"
        callgrind = [
            *(VALGRIND, "--tool=callgrind", "--collect-atstart=no"),
            *(f"--toggle-collect={function}" for function in told.toggle),
            f"--callgrind-out-file={profile}",
        ]
        # No record has what it leaves: a file.
        Processes().run(Command([*callgrind, *command]), InstructionCase)
        return total_of(profile) / (REPEAT * tasks_of(case))


def total_of(profile: Path) -> int:
    """Returns the instructions that a callgrind profile collected. Raises ProcessFailed."""
    text = profile.read_text(errors="replace") if profile.exists() else ""
    found = re.search(r"^(?:totals|summary): (\d+)", text, re.MULTILINE)
    total = int(found[1]) if found else 0
    if total == 0:
        raise ProcessFailed("callgrind collected nothing")
    return total


def _complaint(sample: Sample, slot: Slot, plan: Plan) -> str:
    if (sample.runtime, sample.policy, sample.case) != (slot.runtime, slot.policy, slot.case):
        return f"answered with a sample of {_under(sample)} on {sample.case}"
    if len(sample.ns) != plan.mode["batches"]:
        return f"gave {len(sample.ns)} of {plan.mode['batches']} batches"
    return ""


def _under(row: Any) -> str:
    return f"{row.runtime} ({row.policy})"


def headlines(result: Any, kind: str) -> list[dict[str, Any]]:
    """Returns the row of each runtime's round trip under its default policy at this placement.

    With it what the round trip is beside relic's, and a task of a burst beside the round trip:
    None where one of the two was not measured, and of relic beside itself.
    """
    relic, found = default_row(result, EMPTY, RELIC, kind), []
    for runtime in result.runtimes:
        if row := default_row(result, EMPTY, runtime, kind):
            of_relic = paired(row, relic if runtime != RELIC else None)
            share = paired(default_row(result, SHARE_BURST, runtime, kind), row)
            found.append(
                {
                    **{**row, "of_relic": of_relic[0], "of_relic_ci95": of_relic[1]},
                    **{"burst_64_of_empty": share[0], "burst_64_of_empty_ci95": share[1]},
                }
            )
    return found


def _header(result: Any) -> list[str]:
    """Relic in a line each placement."""
    from finegrain_lab.show.ratios import flagged

    found = []
    for kind in result.settings.placements:
        for line in headlines(result, kind):
            if line["runtime"] == RELIC:
                text = (
                    f"relic ({line['policy']}, {kind}): a round trip of {line['ns']:.0f} ns, "
                    f"{with_interval(line['of_floor'], line['of_floor_ci95'])} of the floor"
                )
                burst = ratio_text(line["burst_64_of_empty"], line["burst_64_of_empty_ci95"])
                text += f"; a task in a burst of 64 costs {burst} of it" if burst else ""
                values = result_text(result, RELIC, kind)
                text += f"; {values}" if values else ""
                found.append(flagged(text, result))
    return found


def _footer(result: Any) -> list[str]:
    counts = result.settings.instructions
    text = "; ".join(f"{case} {count:.1f}" for case, count in counts.items())
    return [f"{INSTRUCTIONS}: {text}"] if counts else []


def _sections(result: Any) -> list[Section]:
    found = []
    for kind, (main, assistant) in result.settings.placements.items():
        place = f"{kind}, CPUs {main} and {assistant}"
        figures = [_round_trips(result, kind, place), _bursts(result, kind, place)]
        shown = [figure for figure in figures if figure]
        tables = _policy_tables(result, kind, place)
        found.append(Section(place, [_default_table(result, kind), *shown, *tables]))
        if values := value_section(result, kind, place):
            found.append(values)
    if counts := result.settings.instructions:
        table = Table(
            INSTRUCTIONS,
            ["case", *counts],
            [["instructions", *(f"{count:.1f}" for count in counts.values())]],
            on_terminal=False,
        )
        how = "The completion is there already; callgrind's exact count, of a burst a task's share."
        found.append(Section("Instructions of submit and wait", [table, how]))
    return found


def _default_table(result: Any, kind: str) -> Table:
    cells = [ratio(name) for name in ("of_floor", "of_relic", "burst_64_of_empty")]
    return Table(
        "round trips under each runtime's default policy",
        [
            *("runtime", "policy", "ns", "of the floor", "of relic's"),
            "a task of 64,\nof a round trip",
        ],
        [
            [line["runtime"], line["policy"], ns_cell(line), *(cell(line) for cell in cells)]
            for line in headlines(result, kind)
        ],
        names=2,
        on_terminal=False,
    )


def _policy_tables(result: Any, kind: str, place: str) -> list[Table]:
    """Returns one for the page, and one for the terminal, which has no figure of the floors."""
    columns = [(case, case, ns_cell) for case in _empty_cases(result)]
    on_page = f"{place}: ns of a round trip, and of a task in a burst"
    on_terminal = (
        f"{place}: ns of a round trip, its ratio to the floor ± half of ci95, ns of a task in a "
        "burst of so many"
    )
    with_floor = [(head.replace("burst-", ""), case, cell) for head, case, cell in columns]
    if not columns:
        return []
    if EMPTY in result.cases:
        with_floor.insert(1, ("of floor", EMPTY, _of_floor))
    return [
        replace(_policy_table(result, kind, on_page, columns), on_terminal=False),
        replace(_policy_table(result, kind, on_terminal, with_floor), on_page=False),
    ]


def _policy_table(
    result: Any, kind: str, title: str, columns: Sequence[tuple[str, str, Callable[[Any], Cell]]]
) -> Table:
    lines: list[list[AnyCell]] = []
    for runtime in result.runtimes:
        for policy in result.settings.policies[runtime]:
            at = {"runtime": runtime, "policy": policy, "placement": kind}
            cells = [result.at(cell, case=case, **at) for _, case, cell in columns]
            lines.append([runtime, policy, *cells])
    return Table(title, ["runtime", "policy", *(head for head, _, _ in columns)], lines, names=2)


def _of_floor(row: Any) -> Cell:
    return with_half_width(row.of_floor, row.of_floor_ci95)


def _round_trips(result: Any, kind: str, place: str) -> Figure | None:
    """Bars of every runtime and policy, in floors."""
    rows = result.rows_of(case=EMPTY, placement=kind)
    bars = [
        bar(
            *(f"{row.runtime} {row.policy}", row.of_floor, row.of_floor_ci95),
            *(f"{row.of_floor:.2f}", row.runtime),
        )
        for row in rows
    ]
    if not bars:
        return None
    return Figure(
        f"round-trip-{kind}",
        f"{place}: round trip of an empty task over the floor, by wait policy; the thin lines are "
        "the intervals.",
        [Series("round trip", bars, "bars"), mark("floor", x=1)],
        x=Axis(
            "round trip of an empty task, over the floor",
            low=0,
            high=max([1.1, *(row.of_floor_ci95[1] for row in rows)]) * 1.15,
        ),
        height_in=1.0 + 0.3 * len(bars),
    )


def _bursts(result: Any, kind: str, place: str) -> Figure | None:
    """Lines of the runtimes that take bursts, each under its default policy."""
    lines = []
    for runtime in result.runtimes:
        rows = [default_row(result, case, runtime, kind) for case in _empty_cases(result)]
        points = [Point(tasks_of(row.case), row.ns) for row in rows if row]
        lines.append(Series(runtime, points if len(points) > 1 else []))
    if not any(line.points for line in lines):
        return None
    if kind == next(iter(result.settings.placements)):
        lines.append(mark("floor", y=result.floor_ns, line=":", is_named=True))
    return Figure(
        f"burst-{kind}",
        f"{place}: cost of one task by the size of its burst, default policies.",
        lines,
        x=Axis("tasks submitted before a wait", "log2", {size: str(size) for size in (1, *BURSTS)}),
        y=Axis("ns a task", low=0),
        legend=3,
    )


def _compared(result: Any, row: Any) -> Compared:
    """Each over the floor at its placement. A burst's floor, beside it, is no row."""
    is_floor = (row.runtime, row.policy) == (FLOOR, FLOOR_POLICY)
    floor = {"runtime": FLOOR, "policy": FLOOR_POLICY, "placement": row.placement}
    is_default = row.policy == result.settings.policies.get(row.runtime, [""])[0]
    return Compared(
        f"{row.case}, {row.placement}",
        _under(row),
        is_default=row.runtime == RELIC and is_default,
        over=result.row(case=EMPTY, **floor) if row.case == EMPTY and not is_floor else None,
        over_name="" if is_floor else f"{FLOOR} ({FLOOR_POLICY})",
    )


def _migrated(said: dict[str, Any]) -> dict[str, Any]:
    """Returns what an older file says, as newer ones say it."""
    from finegrain_lab.show import old_files

    placements, counts = said["settings"]["placements"], said["instructions"]
    found = old_files.renamed(said, {"ci95": "ns_ci95"})
    found["settings"] = {
        **said["settings"],
        "placements": {it["kind"]: (it["main_cpu"], it["assistant_cpu"]) for it in placements},
        "instructions": {it["case"]: it["instructions_per_task"] for it in counts},
    }
    found["failed"] = [{**it, "case": _where(Slot.of(**it))} for it in said["failed"]]
    return found


def _where(slot: Slot) -> str:
    return f"{slot.case} ({slot.policy}, {slot.placement})"


HANDOFF = Experiment(
    name="handoff",
    title="the round trip of a task, empty or with values, and the cost of one in a burst",
    heading="The way of a task to the other thread and back",
    intro=(
        "One thread submits an empty task and waits for it: that round trip, that of a task which "
        "carries a value or has a result, or the cost of one task in a burst. The floor is one "
        "cache line there and back between the same two CPUs, with nothing else; it is measured "
        "beside each sample."
    ),
    modes=MODES,
    plan=_plan,
    sample=Sample,
    numbers={"ns": lambda sample, _row: statistics.median(sample.ns)},
    complaint=_complaint,
    is_vital=lambda slot: slot == floor_of(slot),
    # At the first placement, the one that the host is told of.
    is_floor=lambda slot, settings: (
        slot == floor_of(slot) and slot.placement == next(iter(settings["placements"]))
    ),
    others={"policy": str, "placement": str},
    ratios={"of_floor": Ratio("ns", floor_of)},
    facts={
        "main_cpu": Fact(int, lambda samples, _row: samples[-1].main_cpu),
        "task_cpus": Fact(
            List[int], lambda them, _row: sorted({cpu for it in them for cpu in it.task_cpus})
        ),
    },
    # The floor beside a burst is no row of its own.
    add_rows=lambda _samples, rows: [row for row in rows if row.case == row.group],
    settings={
        "placements": Dict[str, Tuple[int, int]],  # main and assistant, by kind
        "policies": Dict[str, List[str]],  # by runtime; the first is its default
        "versions": Dict[str, str],
        "instructions": Dict[str, float],  # of a task, by case: submit and wait on relic's main
        "batches": int,
        "round_trips": int,
    },
    own_cpus=lambda row, settings: settings["placements"][row.placement],
    told=lambda slot: f"{slot.runtime} ({slot.policy}, {slot.placement}) on {slot.case}",
    where=_where,
    decides=lambda row, settings: row.policy == settings["policies"][row.runtime][0],
    deciding="of_floor",
    contents={"cases": CASES},
    options=frozenset({"--runtimes", "--cases"}),
    header=_header,
    footer=_footer,
    sections=_sections,
    compared=_compared,
    migrate=_migrated,
)
