"""How much is measured: one frozen value a mode, with the reason beside each number."""

from dataclasses import dataclass

FLOOR_PROCESSES_PER_ROUND = 4  # spread over the round, so that the floor is the samples' floor
FLOOR_BATCHES_PER_PROCESS = 5  # 60 batches in 3 rounds, the fewest of a mode; 50 is the rule
FLOOR_ROUND_TRIPS = 10_000  # 1.5 ms a batch at 150 ns: long against the clock, short for the run


@dataclass(frozen=True)
class Effort:
    """The work of one sample."""

    iterations: int
    warmup: int
    max_ms: int | None = None


@dataclass(frozen=True)
class Mode:
    """When a run has measured enough. Rounds are always whole.

    A run ends at the first of: `max_rounds`; a round that is not expected to fit into `budget_s`;
    every kernel's interval within `converged_half_width` (relative). The last two never end it
    before `min_rounds`, and convergence is not believed before `converged_rounds`.
    """

    name: str
    kernels: Effort
    spin: Effort
    spin_every: int
    min_rounds: int
    max_rounds: int
    budget_s: float | None = None
    converged_half_width: float | None = None
    converged_rounds: int = 0

    def has_spin(self, round_index: int) -> bool:
        """Says whether this round measures the spin cases beside the kernels."""
        return round_index < self.min_rounds or round_index % self.spin_every == 0


QUICK = Mode(
    name="quick",
    kernels=Effort(
        iterations=20_000,  # 16 ms of a pair of 0.8 us: the short kernels end by count
        warmup=200,  # warms caches and predictors; 20 ms even at 100 us an iteration
        max_ms=40,  # the long kernels and slow runtimes end by time
    ),
    spin=Effort(iterations=10_000, warmup=200, max_ms=20),  # a curve's point may be rougher
    spin_every=2,  # 10 cases against 7: every second round gives the kernels most of the time
    min_rounds=3,  # the fewest pairs of which a median and an interval say anything
    max_rounds=30,  # as many as the paper mode has; more is no longer quick
    budget_s=135,  # `make demo` promises 3 minutes: this, the interpreter and the report
)

FULL = Mode(
    name="full",
    kernels=Effort(iterations=100_000, warmup=2_000),  # the paper's 10^5 (section IV)
    spin=Effort(iterations=10_000, warmup=1_000),  # 200 ms at 10 us, enough for a curve
    spin_every=3,  # the kernels decide convergence and get the time
    min_rounds=5,
    max_rounds=60,  # past that the host's drift, not the count, sets the interval
    budget_s=17 * 60,  # 20 minutes an experiment, less the round under way and the report
    converged_half_width=0.015,  # well under the 8 % that separate the runtimes of interest
    converged_rounds=7,  # a median's interval of fewer pairs can be narrow by luck
)

PAPER = Mode(
    name="paper",
    kernels=Effort(iterations=100_000, warmup=2_000),  # the paper's 10^5 for every case
    spin=Effort(iterations=100_000, warmup=2_000),
    spin_every=1,
    min_rounds=30,
    max_rounds=30,  # the paper names no repetitions; 30 pairs make a median's interval stable
)

MODES = {mode.name: mode for mode in (QUICK, FULL, PAPER)}
