# SPDX-License-Identifier: Apache-2.0
"""What a task costs when there is nothing in it: fib, a balanced tree, a flat loop."""

from __future__ import annotations

from finegrain_lab.experiments.flat import FlatCase
from finegrain_lab.experiments.spawning import Case, modes
from finegrain_lab.experiments.task_figures import bars_by_runtime
from finegrain_lab.experiments.tasking import Measure, Study

CHILDREN = 8  # of a node of the balanced tree
CASES = (
    Case("fib", ("fib",), scaling=True, check="fib: the number, after every batch"),
    Case(
        "tree",
        ("tree", "--children", CHILDREN),
        scaling=True,
        check="tree: its leaves, after every batch",
    ),
    FlatCase("flat", producers="one", scaling=True),
)
# A thread that wakes up late, 50 us, is half a percent of a quick batch. Sure is a tenth of the 5 %
# that are at stake against the ceiling.
MODES = modes(
    {"batches": 5, "batch_ms": 10}, {"batches": 9, "batch_ms": 60}, (15, 60), 90, sure=(0.005, 15)
)

SPAWN = Study(
    name="spawn",
    title="fib, a balanced tree and a flat loop of empty tasks: wall time per spawn",
    heading="Spawn: what a task costs when there is nothing in it",
    intro=(
        "Fib without cutoff: every call spawns one task for one half and calls the other half "
        f"itself. The balanced tree: every node spawns {CHILDREN} tasks and waits for them. The "
        "flat loop: one thread spawns all tasks, each of a call and no turn of a loop, and the "
        "others take them. The number is the wall time of the whole over its spawns, so that with "
        "perfect speedup two threads halve it. The ceiling is what the CPUs can do: that many "
        "serial processes, side by side, which call instead of spawning."
    ),
    paper=(),
    modes=MODES,
    cases={"quick": CASES},
    measure=Measure("wall time", "ns per spawn", "lower", lambda sample, _case: sample.mean_ns),
    figures=bars_by_runtime,
    speedup_over="itself",
).experiment()
