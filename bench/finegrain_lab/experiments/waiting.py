# SPDX-License-Identifier: Apache-2.0
"""The first task after an idle gap, and what waiting for it burned."""

from __future__ import annotations

import statistics
from dataclasses import dataclass
from typing import Any, Callable, Dict, List, Optional

from finegrain_lab.experiments.handoff import list_candidates
from finegrain_lab.run.errors import LabError
from finegrain_lab.run.experiment import (
    Command,
    Compared,
    Experiment,
    Fact,
    Plan,
    Ratio,
    Request,
    Slot,
)
from finegrain_lab.run.host import choose_cpus
from finegrain_lab.run.modes import FULL_BUDGET_S, LEAST_ROUNDS, SURE_ROUNDS, Mode
from finegrain_lab.run.runtimes import Build, cpu_list
from finegrain_lab.show.figures import Axis, Figure, Point, Series, mark
from finegrain_lab.show.tables import Cell, Section, grid, ratio, ratio_text

GAPS_US = (1, 10, 100, 1_000, 10_000, 100_000)
HINTS = ("none", "hints")
RUNTIME = "relic"
# Spinning without hints: what every row is a multiple of.
REFERENCE = {"policy": "spin_pause", "hints": "none"}
LEAST_PERCENT = 0.01  # a tenth of what an idle relic may burn; the clocks' noise can be below 0

# The work is the time that one process spends in gaps.
MODES = {
    "quick": Mode(
        name="quick",
        min_rounds=LEAST_ROUNDS,
        max_rounds=40,  # more is no longer quick
        budget_s=120,  # 2.5 minutes with the intervals and the report
        work={
            "gaps_ms": 50,
            "max_gaps": 200,  # more of 1 us says no more of a median
            "min_gaps": 2,  # of 100 ms: a tenth of the run already
        },
    ),
    "full": Mode(
        name="full",
        min_rounds=SURE_ROUNDS,
        max_rounds=100,  # past that the host's drift, not the count, sets the interval
        budget_s=FULL_BUDGET_S,
        work={"gaps_ms": 200, "max_gaps": 500, "min_gaps": 3},
    ),
}


@dataclass(frozen=True)
class Sample:
    """What `waiting` prints: a number a gap."""

    policy: str
    gap_us: int
    hints: str
    first_task_ns: List[float]
    burned_share: List[float]
    sleeps: int
    wake_ups: int
    main_cpu: int
    assistant_cpu: Optional[int]
    note: str = ""

    @property
    def task_cpus(self) -> list[int]:
        """Where tasks were seen."""
        return [] if self.assistant_cpu is None else [self.assistant_cpu]


def gap_text(gap_us: int) -> str:
    """Returns a gap's length for a reader."""
    return f"{gap_us / 1000:g}ms" if gap_us >= 1000 else f"{gap_us}us"


def case_of(gap_us: int) -> str:
    """Returns the gap's name in the result."""
    return f"gap-{gap_text(gap_us)}"


def gaps_of(mode: Mode, gap_us: int) -> int:
    """Returns how many gaps of this length a process measures."""
    fitting: int = mode["gaps_ms"] * 1000 // gap_us
    return max(int(mode["min_gaps"]), min(int(mode["max_gaps"]), fitting))


def slot_of(policy: str, hints: str, gap_us: int) -> Slot:
    """Returns the process of these."""
    return Slot.of(case_of(gap_us), RUNTIME, policy=policy, hints=hints, gap_us=gap_us)


def _plan(request: Request) -> Plan:
    cpus, placement = choose_cpus(request.cpus)
    policies = _policies(request.build)
    mode = request.mode
    program = request.build.program(request.build.manifest.waiting)

    def command(slot: Slot, _found: Any) -> Command:
        return Command(
            [
                *(program, "--policy", slot.policy, "--gap-us", slot.gap_us),
                *("--hints", slot.hints, "--cpus", cpu_list(cpus)),
                *("--rounds", gaps_of(mode, slot.gap_us)),
            ]
        )

    return Plan(
        build=request.build,
        mode=mode,
        cpus=cpus,
        placement=placement,
        groups=[
            [slot_of(policy, hints, gap_us) for policy in policies for hints in HINTS]
            for gap_us in GAPS_US
        ],
        command=command,
        cases=[case_of(gap_us) for gap_us in GAPS_US],
        runtimes=[RUNTIME],
        settings={
            "policies": policies,
            **{f"reference_{name}": value for name, value in REFERENCE.items()},
            "gaps_per_process": {case_of(gap_us): gaps_of(mode, gap_us) for gap_us in GAPS_US},
        },
    )


def _policies(build: Build) -> list[str]:
    """Returns relic's wait policies on this machine, its default first. Raises LabError."""
    for candidate in list_candidates(build):
        if candidate.name == RUNTIME and REFERENCE["policy"] in candidate.policies:
            return candidate.policies
    raise LabError(
        f"the build's handoff has no {RUNTIME} under {REFERENCE['policy']} to compare with: run "
        "'make lab'"
    )


def _complaint(sample: Sample, slot: Slot, plan: Plan) -> str:
    if slot_of(sample.policy, sample.hints, sample.gap_us) != slot:
        return "answered with a sample of something else"
    gaps = gaps_of(plan.mode, slot.gap_us)
    if not len(sample.first_task_ns) == len(sample.burned_share) == gaps:
        return f"gave other than {gaps} gaps"
    return ""


def _told(slot: Slot) -> str:
    return f"{slot.policy} {_hints_text(slot.hints)}, {gap_text(slot.gap_us)}"


def _hints_text(hints: str) -> str:
    return "with hints" if hints == "hints" else "without hints"


def _header(result: Any) -> list[str]:
    """The default policy after the longest gap, in two lines."""
    from finegrain_lab.show.ratios import flagged

    default = result.settings.policies[0]
    rows = [result.row(policy=default, hints=hints, gap_us=GAPS_US[-1]) for hints in HINTS]
    return [
        flagged(
            f"{default} {_hints_text(row.hints)}, after {gap_text(row.gap_us)}: first task "
            f"{row.first_task_ns:,.0f} ns, {ratio_text(row.of_spin, row.of_spin_ci95)} of "
            f"spinning, {burned_text(row.burned_share)} of a CPU burned",
            result,
        )
        for row in rows
        if row
    ]


def burned_text(share: float) -> str:
    """Returns the share that was burned; what is under a hundredth of a percent is 0."""
    return f"{share:.0%}" if share >= 0.1 else f"{max(share, 0.0):.2%}"


def _sections(result: Any) -> list[Section]:
    lines = {
        (policy, hints): {"runtime": RUNTIME, "policy": policy, "hints": hints}
        for policy in result.settings.policies
        for hints in HINTS
    }
    columns = {gap_text(gap_us): {"gap_us": gap_us} for gap_us in GAPS_US}
    reference = f"{result.settings.reference_policy} without hints"
    tables = [
        grid(result, title, ("policy", "hints"), columns, cell, lines, on_terminal=on_terminal)
        for title, cell, on_terminal in (
            (
                "first task after the gap, ns",
                lambda row: Cell(f"{row.first_task_ns:,.0f}", row.first_task_ns_ci95, 0),
                True,
            ),
            (f"over {reference}, paired", ratio("of_spin"), True),
            (
                "CPU burned in the gap, share of one CPU",
                lambda row: Cell(burned_text(row.burned_share)),
                True,
            ),
            ("gaps", lambda row: str(row.gaps), False),
            ("sleeps of the assistant", lambda row: str(row.sleeps), False),
            ("wake-ups of the assistant", lambda row: str(row.wake_ups), False),
        )
    ]
    return [Section("Latency and cost by gap", [*_figures(result), *tables])]


def _figures(result: Any) -> list[Figure]:
    x = Axis("idle gap before it, µs", "log", {gap_us: f"{gap_us:,}" for gap_us in GAPS_US})
    floor = f"floor {result.floor_ns:.0f} ns"
    latencies = [
        *_lines(result, lambda row: row.first_task_ns),
        mark(floor, y=result.floor_ns, line=":", is_named=True),
    ]
    percents = _lines(result, lambda row: max(100 * row.burned_share, LEAST_PERCENT))
    burned = f"CPU burned in the gap, % (least shown {LEAST_PERCENT})"
    return [
        Figure(name, caption, series, x, y, height_in=4.6, legend=2)
        for name, caption, series, y in (
            (
                "latency",
                "The first task after the gap; dashed with hints.",
                latencies,
                Axis("first task after the gap, ns", "log"),
            ),
            (
                "burned",
                "CPU time of the assistant in the gap, in percent of the gap; dashed with hints.",
                percents,
                Axis(burned, "log", low=LEAST_PERCENT / 2, high=200),
            ),
        )
    ]


def _lines(result: Any, value: Callable[[Any], float]) -> list[Series]:
    return [
        Series(
            f"{policy}, hints" if hints == "hints" else policy,
            [Point(row.gap_us, value(row)) for row in result.rows_of(policy=policy, hints=hints)],
            like=policy,
            line="--" if hints == "hints" else "",
        )
        for policy in result.settings.policies
        for hints in HINTS
    ]


def _compared(result: Any, row: Any) -> Compared:
    """Each over spinning without hints after the same gap."""
    is_reference = (row.policy, row.hints) == tuple(REFERENCE.values())
    return Compared(
        row.case if row.hints == "none" else f"{row.case}, {row.hints}",
        f"{row.runtime} ({row.policy})",
        is_default=row.policy == result.settings.policies[0] and row.hints == "none",
        over=None if is_reference else result.row(**REFERENCE, gap_us=row.gap_us),
        over_name="" if is_reference else f"{row.runtime} ({REFERENCE['policy']})",
    )


def _migrated(said: dict[str, Any]) -> dict[str, Any]:
    """Returns what an older file says, as newer ones say it."""
    from finegrain_lab.show import old_files

    return old_files.renamed(said, {"ci95": "first_task_ns_ci95"})


WAITING = Experiment(
    name="waiting",
    title="the first task after an idle gap, and the CPU time burned in the gap, by wait policy",
    heading="Waiting: what it costs, and what it delays",
    intro=(
        "A burst of tasks, then a gap in which the main thread computes alone, then one task: how "
        "long does that task take, and how much of a CPU did the assistant burn in the gap? With "
        "hints, the main thread says sleep_hint right after the burst and wake_up_hint 300 µs "
        f"before the end of the gap. Ratios are to {REFERENCE['policy']} without hints after the "
        "same gap."
    ),
    modes=MODES,
    plan=_plan,
    sample=Sample,
    numbers={
        "first_task_ns": lambda sample, _row: statistics.median(sample.first_task_ns),
        # CPU time of the assistant in the gap over the gap.
        "burned_share": lambda sample, _row: statistics.median(sample.burned_share),
    },
    complaint=_complaint,
    is_vital=lambda slot: slot == slot.but(**REFERENCE),
    others={"policy": str, "hints": str, "gap_us": int},
    ratios={"of_spin": Ratio("first_task_ns", lambda row: row.but(**REFERENCE))},
    facts={  # of all processes that measured them
        "gaps": Fact(int, lambda samples, _row: sum(len(it.first_task_ns) for it in samples)),
        "sleeps": Fact(int, lambda samples, _row: sum(it.sleeps for it in samples)),
        "wake_ups": Fact(int, lambda samples, _row: sum(it.wake_ups for it in samples)),
    },
    settings={
        "policies": List[str],  # the first is relic's default
        "reference_policy": str,
        "reference_hints": str,
        "gaps_per_process": Dict[str, int],
    },
    told=_told,
    where=_told,
    # Which policies there are, the machine decides.
    contents={"gaps": [gap_text(gap_us) for gap_us in GAPS_US], "hints": HINTS},
    header=_header,
    sections=_sections,
    compared=_compared,
    migrate=_migrated,
)
