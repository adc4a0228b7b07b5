# SPDX-License-Identifier: Apache-2.0
"""How much is measured: one frozen value a mode, with the reason beside each number."""

from dataclasses import dataclass

from finegrain_lab.modes import LEAST_ROUNDS, SURE_ROUNDS, Mode, by_name


@dataclass(frozen=True)
class Effort:
    """The work of one sample."""

    iterations: int
    warmup: int
    max_ms: int | None = None


@dataclass(frozen=True, kw_only=True)
class KernelMode(Mode):
    """A mode of this experiment: the spin cases are not in every round."""

    kernels: Effort
    spin: Effort
    spin_every: int

    def kind_of_round(self, round_index: int) -> int:
        """Rounds with spin cases take longer."""
        return int(self.has_spin(round_index))

    def has_spin(self, round_index: int) -> bool:
        """Says whether this round measures the spin cases beside the kernels."""
        return round_index < self.min_rounds or round_index % self.spin_every == 0


QUICK = KernelMode(
    name="quick",
    kernels=Effort(
        iterations=20_000,  # 16 ms of a pair of 0.8 us: the short kernels end by count
        warmup=200,  # warms caches and predictors; 20 ms even at 100 us an iteration
        max_ms=40,  # the long kernels and slow runtimes end by time
    ),
    spin=Effort(iterations=10_000, warmup=200, max_ms=20),  # a curve's point may be rougher
    spin_every=2,  # 10 cases against 7: every second round gives the kernels most of the time
    min_rounds=LEAST_ROUNDS,
    max_rounds=30,  # as many as the paper mode has; more is no longer quick
    budget_s=135,  # `make demo` promises 3 minutes: this, the interpreter and the report
)

FULL = KernelMode(
    name="full",
    kernels=Effort(iterations=100_000, warmup=2_000),  # the paper's 10^5 (section IV)
    spin=Effort(iterations=10_000, warmup=1_000),  # 200 ms at 10 us, enough for a curve
    spin_every=3,  # the kernels decide convergence and get the time
    min_rounds=5,
    max_rounds=60,  # past that the host's drift, not the count, sets the interval
    budget_s=17 * 60,  # 20 minutes an experiment, less the round under way and the report
    converged_half_width=0.015,  # well under the 8 % that separate the runtimes of interest
    converged_rounds=SURE_ROUNDS,
)

PAPER = KernelMode(
    name="paper",
    kernels=Effort(iterations=100_000, warmup=2_000),  # the paper's 10^5 for every case
    spin=Effort(iterations=100_000, warmup=2_000),
    spin_every=1,
    min_rounds=30,
    max_rounds=30,  # the paper names no repetitions; 30 pairs make a median's interval stable
)

MODES = by_name(QUICK, FULL, PAPER)
