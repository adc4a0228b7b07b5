"""Stacks of the threads that an OpenMP runtime starts."""

# For searches of trees: waiting tasks lie on the stack, one on the other, as deep as the tree:
# 17,844 levels in T3L, for which 8 MiB were too little with GNU's runtime and 4 MiB with Intel's
# (x86-64, 2 threads; 16 and 8 were enough). As much as the programs let the main thread have; only
# what is used takes memory.
DEEP_STACK = {"OMP_STACKSIZE": "96M"}
