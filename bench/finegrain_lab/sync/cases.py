# SPDX-License-Identifier: Apache-2.0
"""What is measured."""

from finegrain_lab.threads import thread_counts

NAME = "sync"
TITLE = "mutex, semaphore, spinlock and fetch-and-add: cycles per operation, by threads"
HEADING = "Sync: what it costs threads to take turns"
CASE = "increment"
MECHANISMS = ("mutex", "semaphore", "spinlock", "fetch-and-add")
REFERENCE = "fetch-and-add"


def crowded_counts(cpus: int) -> list[int]:
    """Returns the powers of two below twice the number of CPUs, and twice that number."""
    return thread_counts(2 * cpus)
