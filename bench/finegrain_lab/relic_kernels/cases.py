# SPDX-License-Identifier: Apache-2.0
"""What is measured."""

NAME = "relic-kernels"
TITLE = "the Relic paper's seven kernels, and tasks of a chosen length, on every runtime"
HEADING = "Two tasks of a microsecond, one handed over"
KERNELS = ("bc", "bfs", "cc", "pr", "sssp", "tc", "json")
SPIN_LENGTHS = ("10ns", "20ns", "50ns", "100ns", "200ns", "500ns", "1us", "2us", "5us", "10us")
SPIN_CASES = tuple(f"spin-{length}" for length in SPIN_LENGTHS)
CASES = KERNELS + SPIN_CASES
