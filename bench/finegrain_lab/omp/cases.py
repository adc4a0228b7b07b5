# SPDX-License-Identifier: Apache-2.0
"""What is measured: plain OpenMP programs, and what the constructs themselves cost."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

NAME = "omp"
TITLE = "OpenMP programs on their own runtime, and with the drop-in under every policy"
HEADING = "OpenMP programs, as they are"

# Kernels make the geometric mean; loops are one thread's tasks; overheads are of one construct.
Kind: TypeAlias = Literal["kernel", "loop", "overhead"]


@dataclass(frozen=True)
class Case:
    """A case of the programs `omp-RUNTIME`."""

    name: str
    kind: Kind
    what: str
    size: int | None = None  # None: the program's own
    needs_calibration: bool = False
    is_short: bool = False  # tens of ms: a process makes more batches
    has_deep_tasks: bool = False  # as deep as the tree is, so that the threads' stacks have to be

    @property
    def has_serial(self) -> bool:
        """Says whether there is anything to do without OpenMP."""
        return self.kind != "overhead"


FLAT_EMPTY = "flat-empty"
COARSE = "coarse-100us"
UTS = "uts-T1"
FIB = "fib-nocutoff"

_ALL = (
    Case(FIB, "kernel", "fib(30), two tasks a call, no cutoff", size=30),
    Case("nqueens", "kernel", "12 queens, a task a placement, no cutoff", size=12),
    Case("sort", "kernel", "merge sort of 2^22 numbers, merges in parallel too", size=1 << 22),
    Case(
        "sparselu",
        "kernel",
        "LU of a sparse matrix of 50 x 50 blocks of 20 x 20",
        size=50,
        is_short=True,
    ),
    Case(
        UTS,
        "kernel",
        "search of UTS's sample tree T1, a task a node",
        has_deep_tasks=True,
    ),
    Case(FLAT_EMPTY, "loop", "10^6 empty tasks from one thread", size=1_000_000, is_short=True),
    Case(
        COARSE,
        "loop",
        "2,000 tasks of 100 µs from one thread",
        size=2000,
        needs_calibration=True,
        is_short=True,
    ),
    Case(
        "region-overhead",
        "overhead",
        "an empty parallel region, in the manner of EPCC",
        is_short=True,
    ),
    Case("barrier-overhead", "overhead", "a barrier, in the manner of EPCC", is_short=True),
)
CASES = {case.name: case for case in _ALL}


def of_kind(*kinds: Kind) -> list[str]:
    """Returns the cases of these kinds."""
    return [case.name for case in _ALL if case.kind in kinds]


KERNELS = of_kind("kernel")
