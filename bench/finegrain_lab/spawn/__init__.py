"""Fib without cutoff: what a spawn costs, on every runtime and number of threads."""
