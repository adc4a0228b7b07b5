# SPDX-License-Identifier: Apache-2.0
"""Stacks of the threads that an OpenMP runtime starts."""

from __future__ import annotations

from finegrain_lab.run.drop_in import base_of
from finegrain_lab.run.runtimes import OPENMP

# For searches of trees: waiting tasks lie on the stack, one on the other, as deep as the tree:
# 17,844 levels in T3L, for which 8 MiB were too little with GNU's runtime and 4 MiB with Intel's
# (x86-64, 2 threads; 16 and 8 were enough). As much as the programs let the main thread have; only
# what is used takes memory.
DEEP_STACK = {"OMP_STACKSIZE": "96M"}


def deep_stack_of(runtime: str) -> dict[str, str]:
    """Returns the variables that give this runtime's threads such a stack; also below the drop-in.

    None where it is not OpenMP: the programs see to it themselves.
    """
    return dict(DEEP_STACK) if base_of(runtime) in OPENMP else {}
