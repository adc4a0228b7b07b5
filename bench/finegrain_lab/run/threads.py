# SPDX-License-Identifier: Apache-2.0
"""Numbers of threads that an experiment is run on."""

from __future__ import annotations


def thread_counts(cpus: int) -> list[int]:
    """Returns the powers of two below the number of CPUs, and that number."""
    counts = [1]
    while 2 * counts[-1] < cpus:
        counts.append(2 * counts[-1])
    return [*counts, cpus] if cpus > 1 else counts


def threads_text(threads: int) -> str:
    """Returns a number of threads for a reader."""
    return "1 thread" if threads == 1 else f"{threads} threads"
