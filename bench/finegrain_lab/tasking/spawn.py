# SPDX-License-Identifier: Apache-2.0
"""What a task costs when there is nothing in it: fib, a balanced tree, a flat loop."""

from finegrain_lab.tasking import plots
from finegrain_lab.tasking.flat import FlatCase
from finegrain_lab.tasking.modes import TREES
from finegrain_lab.tasking.protocol import TaskSample
from finegrain_lab.tasking.study import Case, Measure, Study

CHILDREN = 8  # of a node of the balanced tree


def _ns_per_spawn(sample: TaskSample, case: Case) -> float:
    del case
    return sample.mean_ns


STUDY = Study(
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
    cases=(
        Case("fib", ("fib",), scaling=True, check="fib: the number, after every batch"),
        Case(
            "tree",
            ("tree", "--children", str(CHILDREN)),
            scaling=True,
            check="tree: its leaves, after every batch",
        ),
        FlatCase("flat", x=0, producers="one", scaling=True),
    ),
    measure=Measure("wall time", "ns per spawn", lower_is_better=True, of=_ns_per_spawn),
    figures=plots.bars_by_runtime,
    modes=TREES,
    speedup_over="itself",
)
