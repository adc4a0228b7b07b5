# SPDX-License-Identifier: Apache-2.0
"""Numbers of threads that an experiment is run on."""

from __future__ import annotations

from collections.abc import Sequence

from finegrain_lab.run.errors import LabError


def thread_counts(cpus: int) -> list[int]:
    """Returns the powers of two below the number of CPUs, and that number."""
    counts = [1]
    while 2 * counts[-1] < cpus:
        counts.append(2 * counts[-1])
    return [*counts, cpus] if cpus > 1 else counts


def chosen_counts(asked: Sequence[int] | None, most: int) -> list[int]:
    """Returns the asked numbers in order, with 1, which others are held against; else the usual.

    Raises LabError where one is more than `most`.
    """
    if asked is None:
        return thread_counts(most)
    if max(asked) > most:
        raise LabError(f"--threads asks for {max(asked)}, and here are CPUs for {most}", 2)
    return sorted({1, *asked})


def cpus_of(threads: int, pair: Sequence[int], cpus: Sequence[int]) -> list[int]:
    """Returns the CPUs of so many threads, out of a run's: two have its pair, others the first."""
    return list(pair if threads == len(pair) else cpus[:threads])


def threads_text(threads: int) -> str:
    """Returns a number of threads for a reader."""
    return "1 thread" if threads == 1 else f"{threads} threads"
