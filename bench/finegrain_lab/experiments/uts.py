# SPDX-License-Identifier: Apache-2.0
"""X-OpenMP's Figs. 3, 13 and 14: the Unbalanced Tree Search."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Optional

from finegrain_lab.experiments import task_figures, timelines
from finegrain_lab.experiments.spawning import CEILING, Case, TaskSample, modes
from finegrain_lab.experiments.task_figures import axis_of, bars_by_runtime, on_most
from finegrain_lab.experiments.tasking import Measure, Study
from finegrain_lab.experiments.timelines import Timeline
from finegrain_lab.run.experiment import Fact
from finegrain_lab.run.processes import WrongResult
from finegrain_lab.run.stacks import deep_stack_of
from finegrain_lab.show.figures import Axis, Figure
from finegrain_lab.show.tables import Section, Table

MOST_WORKERS = 4  # that have a column each; of more the extremes are shown


class Counts(NamedTuple):
    """What there is in a tree."""

    nodes: int
    leaves: int
    depth: int

    def __str__(self) -> str:
        return f"{self.nodes:,} nodes, {self.leaves:,} leaves, depth {self.depth:,}"


# By the authors of the benchmark, of its sample trees.
PUBLISHED = {
    "T1": Counts(4_130_071, 3_305_118, 10),
    "T3": Counts(4_112_897, 3_599_034, 1_572),
    "T3L": Counts(111_345_631, 89_076_904, 17_844),
}


@dataclass(frozen=True)
class UtsSample(TaskSample):
    """What a program prints of a search; its tasks are the tree's nodes."""

    tree: str = ""
    granularity: int = 0
    nodes: int = 0
    leaves: int = 0
    depth: int = 0
    timeline: Optional[Timeline] = None  # of one more search

    @property
    def counts(self) -> Counts:
        """What it found in the tree."""
        return Counts(self.nodes, self.leaves, self.depth)


@dataclass(frozen=True)
class UtsCase(Case):
    """Searches of a sample tree."""

    tree: str = ""
    x: int = 1  # where the plot has it: the granularity, how often each node is computed
    with_timeline: bool = False  # of one search more, on several threads

    def arguments(self, threads: int, steps_per_us: float | None) -> list[Any]:
        """Returns what the program is told on so many threads."""
        del steps_per_us
        words = ["uts", "--tree", self.tree, "--granularity", self.x]
        return [*words, "--timeline"] if self._has_timeline(threads) else words

    def environment(self, runtime: str) -> dict[str, str]:
        """Returns the variables that this runtime's process gets beside its own settings."""
        return deep_stack_of(runtime)

    def kept(self, output: Any) -> Any:
        """Returns what is recorded of a process's output."""
        return timelines.kept(output)

    def complaint(self, sample: Any) -> str:
        """Returns what a sample lacks. Raises WrongResult for a tree that is not the published."""
        if (sample.tree, sample.granularity) != (self.tree, self.x):
            return "answered with a search of something else"
        known = PUBLISHED[self.tree]
        if sample.counts != known:
            raise WrongResult(f"{self.tree} has {known}, not {sample.counts}")
        if sample.tasks != known.nodes:
            return f"had {sample.tasks} tasks, not one for each node"
        if not self._has_timeline(sample.threads):
            return ""
        if sample.timeline is None:
            return "gave no timeline"
        noted = sum(worker.tasks for worker in sample.timeline.workers)
        if noted != known.nodes:
            raise WrongResult(f"the timeline of {self.tree} has {noted} tasks, not {known.nodes}")
        return ""

    def checked(self, samples: Sequence[Any]) -> str:
        """Says what was found in every search."""
        found = sorted({str(sample.counts) for sample in samples})
        return f"{self.tree}: {' or '.join(found)} in every search, as published"

    def _has_timeline(self, threads: int) -> bool:
        return self.with_timeline and threads > 1


def _by_granularity(tree: str, *granularities: int) -> list[UtsCase]:
    return [UtsCase(f"{tree}x{each}", tree=tree, x=each) for each in granularities]


CASES = {
    "quick": [
        UtsCase("T1", tree="T1"),
        UtsCase("T3", tree="T3", with_timeline=True),
        *_by_granularity("T3", 4),
    ],
    "full": [
        UtsCase("T1", scaling=True, tree="T1"),
        UtsCase("T3", scaling=True, tree="T3", with_timeline=True),
        *_by_granularity("T3", 2, 5, 10),
    ],
    # Medium is what lies between the two that the text names.
    "paper": [UtsCase("T3L", tree="T3L", with_timeline=True), *_by_granularity("T3L", 5, 10)],
}
# A process searches once more to warm up, and once more to count by thread. Quick: 0.1 s and more,
# full: rounds of two minutes each on two CPUs; sure is a tenth of the 5 % that are at stake against
# the ceiling. Of the paper's own the text names no number.
MODES = modes({"batches": 1}, {"batches": 1}, (9, 40), 100, paper=1, sure=(0.005, 15), least=5)


def _figures(study: Study, result: Any) -> list[Figure]:
    """Returns the trees at granularity 1 by runtime, and each tree by granularity."""
    cases = study.cases_in(result)
    figures = bars_by_runtime(study, result, [case.name for case in cases if case.x == 1])
    for tree in dict.fromkeys(case.tree for case in cases):
        places = {case.name: case.x for case in cases if case.tree == tree}
        ticks = {x: str(x) for x in places.values()}
        x = Axis("granularity: how often each node is computed", ticks=ticks)
        caption = f"{tree} by granularity, on {on_most(result)}."
        if len(places) > 1:
            name = f"granularity-{tree}"
            figures.append(
                task_figures.lines(result, name, caption, places, x, axis_of(study, "log"))
            )
    return figures


def _busy_tables(_study: Study, result: Any) -> list[Table]:
    """Returns the share of its time that each worker was busy, of cases that have timelines."""
    tables = []
    for case in result.cases:
        found = timelines.in_result(result, case)
        if found:
            title = f"share of the time that each worker was busy, {case}, {on_most(result)}"
            workers = len(next(iter(found.values())).workers)
            heads = ["runtime", *_heads(workers), "search, ms"]
            tables.append(Table(title, heads, [[it, *_shares(at)] for it, at in found.items()]))
    return tables


def _heads(workers: int) -> list[str]:
    if workers > MOST_WORKERS:
        return ["least", "median", "most"]
    return [f"worker {at}" for at in range(workers)]


def _shares(timeline: Timeline) -> list[str]:
    busy = [worker.busy for worker in timeline.workers]
    if len(busy) > MOST_WORKERS:
        busy = [min(busy), statistics.median(busy), max(busy)]
    return [*(f"{100 * share:.0f} %" for share in busy), f"{timeline.wall_ns / 1e6:.0f}"]


def _sections(result: Any) -> list[Section]:
    text = (
        "Of one search more than the timed ones: the height of the green part is the share of the "
        "time that the worker was at work, over a small part of the search each; grey is the rest, "
        "in which it waited, looked for work, or another process had its CPU."
    )
    figures = timelines.figures(result)
    return [Section("Timelines", [text, *figures])] if figures else []


UTS = Study(
    name="uts",
    title="Unbalanced Tree Search, a task a node: time of a search",
    heading="Unbalanced Tree Search: balancing what nobody can foresee",
    intro=(
        "The trees of the UTS benchmark are computed while they are walked: a node is a SHA-1 of "
        "its parent's, which says how many children it has. Each node is a task that spawns a task "
        "for each child. T1 is geometric: 10 levels, nodes of 4 children on average. T3 and T3L "
        "are binomial: a node has 8, or 5, children or none, so that most of the tree hangs on few "
        "nodes. At granularity N (T3xN) every node is computed N times. The ceiling is what the "
        "CPUs can do: that many serial searches side by side."
    ),
    paper=(
        "P. Nookala et al., X-OpenMP, 2024, section 5.2 (Skylake-192; T3L; granularity 1 is fine, "
        "10 coarse)",
        "192 threads: X-OpenMP with static round robin is the fastest: 8.6 s, 9.9 s and 11.8 s for "
        "fine, medium and coarse tasks",
        "192 threads: GNU OpenMP about 40 times slower than X-OpenMP at every granularity, "
        "OpenCilk 6 times, oneTBB 5 times",
        "96 threads: X-OpenMP with static round robin is the fastest for fine tasks; without "
        "waiting, stealing one task, for medium and coarse ones: 11.9 s and 13.1 s",
        "96 threads: X-OpenMP 10 times faster than GNU OpenMP, twice as fast as LLVM OpenMP",
        "Fig. 3, GNU OpenMP: several workers are idle most of the time, others for a significant "
        "part of it; Fig. 14, X-OpenMP, 192 threads: reasonably balanced",
    ),
    modes=MODES,
    cases=CASES,
    measure=Measure(
        "execution time", "s", "lower", lambda sample, _case: sample.mean_ns * sample.tasks / 1e9
    ),
    figures=_figures,
    tables=_busy_tables,
    sections=_sections,
    sample=UtsSample,
    # The ceiling's would be of one of its processes.
    facts={
        "timeline": Fact(
            Optional[Timeline],
            lambda samples, row: None if row.runtime == CEILING else timelines.of_median(samples),
        )
    },
    speedup_over="serial",
).experiment()
