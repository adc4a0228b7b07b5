# SPDX-License-Identifier: Apache-2.0
"""X-OpenMP's Fig. 6: what a task costs beside its own length."""

from __future__ import annotations

from functools import partial
from typing import Any

from finegrain_lab.experiments.flat import FlatCase, lines_over_x, loop_modes
from finegrain_lab.experiments.tasking import Measure, Study

LENGTHS_NS = (1, 10, 100, 1000)
PAPER_TASKS = 8_000_000  # of each worker


def _cases(tasks_each: int | None = None) -> list[FlatCase]:
    return [FlatCase(f"{ns}ns", x=ns, delay_ns=ns, tasks_each=tasks_each) for ns in LENGTHS_NS]


def _overhead(sample: Any, case: Any) -> float:
    """Returns the time of one worker per task of its own, less the ideal one."""
    return float(sample.mean_ns * sample.threads - case.delay_ns)


TASKING_OVERHEAD = Study(
    name="tasking-overhead",
    title="delay tasks spawned by every thread: the time per task beyond its length",
    heading="Tasking overhead: what a task costs beside its own length",
    intro=(
        "Every thread spawns as many tasks as the others, each of them a delay of a fixed length, "
        "and waits for its own. The overhead is the time that a thread takes per task of its own, "
        "less that length. The serial row is the loop, the call and what the delay differs from "
        "what it says: it may be below 0, because a processor begins a task while the chain of "
        "operations of the one before still runs."
    ),
    paper=(
        "P. Nookala et al., X-OpenMP, 2024, section 5.1 (192 threads, Skylake-192)",
        "X-OpenMP with static round robin: about 110 ns",
        "X-OpenMP with work stealing: about 150 to 200 ns",
        "LLVM OpenMP: about 400 ns",
        "GNU OpenMP: about 20.32 µs for 1 ns tasks, down to 1 µs for 1 µs tasks",
        "OpenCilk: 30 ns for 1 ns tasks, 110 ns for 10 ns tasks",
        "oneTBB: 30 ns for 1 ns tasks, 85 ns for 10 ns tasks",
    ),
    modes=loop_modes(paper=20),
    cases={"quick": _cases(), "paper": _cases(PAPER_TASKS)},
    measure=Measure("overhead", "ns per task", "lower", _overhead),
    figures=partial(lines_over_x, "length of a task, ns"),
).experiment()
