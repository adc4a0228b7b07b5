# SPDX-License-Identifier: Apache-2.0
"""How evenly tasks were dealt out: what is made of a batch's tasks by thread."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence

from finegrain_lab.experiments.spawning import modes

# Of interest is how tasks are dealt out. What X-OpenMP's authors ran 20 times is a process here, as
# only within one it is known which thread is which. Quick has half of theirs.
BY_THREAD = modes({"batches": 10}, {"batches": 20}, (9, 40), 45, paper=20)


def shares(batches: Sequence[Sequence[int]]) -> list[float]:
    """Returns the tasks of each thread in each batch over those of an even deal: 1 is ideal."""
    return [count * len(batch) / sum(batch) for batch in batches for count in batch]


def deviation(batches: Sequence[Sequence[int]]) -> float:
    """Returns the standard deviation of the shares from the ideal one."""
    return math.sqrt(statistics.fmean((share - 1) ** 2 for share in shares(batches)))


def deltas(counts: Sequence[int]) -> list[float]:
    """Returns |tasks - ideal| / ideal of each thread (X-OpenMP, section 5.1, of Fig. 8)."""
    ideal = sum(counts) / len(counts)
    return [abs(count - ideal) / ideal for count in counts]


def deltas_over_all(batches: Sequence[Sequence[int]]) -> list[float]:
    """Returns the delta of each thread's tasks in all batches together, as X-OpenMP has it."""
    return deltas([sum(of_thread) for of_thread in zip(*batches)])


def by_process(batches: Sequence[Sequence[int]], each: int) -> list[Sequence[Sequence[int]]]:
    """Returns the batches of each process: only within one a thread keeps its place."""
    return [batches[start : start + each] for start in range(0, len(batches), each)]


def ranked_deltas(batches: Sequence[Sequence[int]], batches_each: int) -> list[float]:
    """Returns the deltas over all batches of a process, the least first: of each rank the median.

    Which thread is which differs from process to process, so that threads are told apart by rank.
    """
    ranked = (sorted(deltas_over_all(own)) for own in by_process(batches, batches_each))
    return [statistics.median(of_rank) for of_rank in zip(*ranked)]
