# SPDX-License-Identifier: Apache-2.0
"""How evenly tasks were dealt out: what is made of a batch's tasks by thread."""

import math
import statistics
from collections.abc import Sequence

Counts = Sequence[Sequence[int]]  # of each batch, the tasks of each thread


def shares(batches: Counts) -> list[float]:
    """Returns the tasks of each thread in each batch over those of an even deal: 1 is ideal."""
    return [count * len(batch) / sum(batch) for batch in batches for count in batch]


def deviation(batches: Counts) -> float:
    """Returns the standard deviation of the shares from the ideal one."""
    return math.sqrt(statistics.fmean((share - 1) ** 2 for share in shares(batches)))


def deltas(counts: Sequence[int]) -> list[float]:
    """Returns |tasks - ideal| / ideal of each thread (X-OpenMP, section 5.1, of Fig. 8)."""
    ideal = sum(counts) / len(counts)
    return [abs(count - ideal) / ideal for count in counts]


def deltas_over_all(batches: Counts) -> list[float]:
    """Returns the delta of each thread's tasks in all batches together, as X-OpenMP has it."""
    return deltas([sum(of_thread) for of_thread in zip(*batches, strict=True)])


def by_process(batches: Counts, batches_each: int) -> list[Counts]:
    """Returns the batches of each process: only within one a thread keeps its place."""
    starts = range(0, len(batches), batches_each)
    return [batches[start : start + batches_each] for start in starts]


def ranked_deltas(batches: Counts, batches_each: int) -> list[float]:
    """Returns the deltas over all batches of a process, the least first: of each rank the median.

    Which thread is which differs from process to process, so that threads are told apart by rank.
    """
    ranked = (sorted(deltas_over_all(own)) for own in by_process(batches, batches_each))
    return [statistics.median(of_rank) for of_rank in zip(*ranked, strict=True)]
