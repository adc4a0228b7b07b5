# SPDX-License-Identifier: Apache-2.0
"""The search of a sample tree as a case, and what is known of the trees."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from finegrain_lab.processes import ProcessFailed, WrongResult
from finegrain_lab.stacks import deep_stack_of
from finegrain_lab.tasking.protocol import TaskSample, UtsSample
from finegrain_lab.tasking.study import Case


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


@dataclass(frozen=True, kw_only=True)
class UtsCase(Case):
    """Searches of a sample tree."""

    words: tuple[str, ...] = ("uts",)
    tree: str
    x: int = 1  # where the plot has it: the granularity, how often each node is computed
    with_timeline: bool = False  # of one search more, on several threads

    @property
    def answer(self) -> type[TaskSample]:
        """What the program prints."""
        return UtsSample

    def arguments(self, threads: int, spin_steps_per_us: float | None) -> list[str]:
        """Returns what the program is told on so many threads."""
        del spin_steps_per_us
        return [
            *(*self.words, "--tree", self.tree, "--granularity", str(self.x)),
            *(("--timeline",) if self._has_timeline(threads) else ()),
        ]

    def environment(self, runtime: str) -> dict[str, str]:
        """Returns the variables that this runtime's process gets beside its own settings."""
        return deep_stack_of(runtime)

    def require_whole(self, sample: TaskSample) -> None:
        """Raises WrongResult for a tree that is not the published one, ProcessFailed for less."""
        assert isinstance(sample, UtsSample)
        if (sample.tree, sample.granularity) != (self.tree, self.x):
            raise ProcessFailed("answered with a search of something else")
        found, known = _counts(sample), PUBLISHED[self.tree]
        if found != known:
            raise WrongResult(f"{self.tree} has {known}, not {found}")
        if sample.tasks != known.nodes:
            raise ProcessFailed(f"had {sample.tasks} tasks, not one for each node")
        if not self._has_timeline(sample.threads):
            return
        if sample.timeline is None:
            raise ProcessFailed("gave no timeline")
        noted = sum(worker.tasks for worker in sample.timeline.workers)
        if noted != known.nodes:
            raise WrongResult(f"the timeline of {self.tree} has {noted} tasks, not {known.nodes}")

    def checked(self, samples: Sequence[TaskSample]) -> str:
        """Says what was found in every search."""
        found = {str(_counts(sample)) for sample in samples if isinstance(sample, UtsSample)}
        return f"{self.tree}: {' or '.join(sorted(found))} in every search, as published"

    def _has_timeline(self, threads: int) -> bool:
        return self.with_timeline and threads > 1


def _counts(sample: UtsSample) -> Counts:
    return Counts(sample.nodes, sample.leaves, sample.depth)
