# SPDX-License-Identifier: Apache-2.0
"""How much is measured."""

from dataclasses import dataclass

from finegrain_lab.modes import FULL_BUDGET_S, LEAST_ROUNDS, SURE_ROUNDS, Mode, by_name
from finegrain_lab.processes import TIMEOUT_S


@dataclass(frozen=True, kw_only=True)
class TaskingMode(Mode):
    """A mode of these experiments: the batches of one process."""

    batches: int  # best and worst are dropped
    # The least time of one, where the case does not say how many tasks it has (30: the programs').
    batch_ms: int = 30
    timeout_s: float = TIMEOUT_S  # of a process


# Of a process of a paper's own size: 20 batches of 8 million tasks a thread at GNU's 20 us a task
# (X-OpenMP, 192 threads) are an hour. More is a hang.
PAPER_TIMEOUT_S = 6 * 3600.0


def paper_mode(runs: int) -> TaskingMode:
    """Returns the mode of a paper's own sizes; each of its processes does as many runs."""
    return TaskingMode(
        name="paper",
        batches=runs,
        min_rounds=LEAST_ROUNDS,
        max_rounds=LEAST_ROUNDS,
        timeout_s=PAPER_TIMEOUT_S,
    )


TREES = by_name(
    TaskingMode(
        name="quick",
        batches=5,
        batch_ms=10,  # a thread that wakes up late, 50 us, is then half a percent
        min_rounds=LEAST_ROUNDS,
        max_rounds=15,  # more is no longer quick
        budget_s=90,
    ),
    TaskingMode(
        name="full",
        batches=9,
        batch_ms=60,
        min_rounds=SURE_ROUNDS,
        max_rounds=60,  # past that the host's drift, not the count, sets the interval
        budget_s=FULL_BUDGET_S,
        converged_half_width=0.005,  # a tenth of the 5 % that are at stake against the ceiling
        converged_rounds=15,
    ),
)

LOOPS = by_name(
    TaskingMode(
        name="quick",
        batches=5,
        batch_ms=5,  # a thread that wakes up late, 50 us, is then a hundredth
        min_rounds=LEAST_ROUNDS,
        max_rounds=9,  # more is no longer quick
        budget_s=90,
    ),
    TaskingMode(
        name="full",
        batches=12,  # as OMPi's authors did
        batch_ms=30,
        min_rounds=SURE_ROUNDS,
        max_rounds=40,  # past that the host's drift, not the count, sets the interval
        budget_s=FULL_BUDGET_S,
        converged_half_width=0.02,
        converged_rounds=15,
    ),
)

# A process searches once more to warm up, and once more to count by thread.
SEARCHES = by_name(
    TaskingMode(
        name="quick",
        batches=1,  # of 0.1 s and more
        min_rounds=LEAST_ROUNDS,
        max_rounds=9,  # more is no longer quick
        budget_s=100,
    ),
    TaskingMode(
        name="full",
        batches=1,
        min_rounds=5,  # of two minutes each on two CPUs
        max_rounds=40,  # past that the host's drift, not the count, sets the interval
        budget_s=FULL_BUDGET_S,
        converged_half_width=0.005,  # a tenth of the 5 % that are at stake against the ceiling
        converged_rounds=15,
    ),
    paper_mode(1),  # the text names no number
)

# A process computes the result by one call for the whole matrix as well, and runs once more to warm
# up, and once more to count by thread.
TILES = by_name(
    TaskingMode(
        name="quick",
        batches=5,  # of some 10 ms
        min_rounds=LEAST_ROUNDS,
        max_rounds=9,  # more is no longer quick
        budget_s=80,
    ),
    TaskingMode(
        name="full",
        batches=5,
        min_rounds=SURE_ROUNDS,
        max_rounds=20,  # past that the host's drift, not the count, sets the interval
        budget_s=FULL_BUDGET_S,
        converged_half_width=0.02,
        converged_rounds=10,
    ),
    paper_mode(3),  # the text names no number; of another plot it says three
)

# Of interest is how tasks are dealt out. What X-OpenMP's authors ran 20 times is a process here, as
# only within one it is known which thread is which.
BY_THREAD = by_name(
    TaskingMode(
        name="quick",
        batches=10,  # half of theirs
        min_rounds=LEAST_ROUNDS,
        max_rounds=9,  # more is no longer quick
        budget_s=45,
    ),
    TaskingMode(
        name="full",
        batches=20,
        min_rounds=SURE_ROUNDS,
        max_rounds=40,  # past that the host's drift, not the count, sets the interval
        budget_s=FULL_BUDGET_S,
        converged_half_width=0.02,
        converged_rounds=15,
    ),
    paper_mode(20),
)

# A batch lasts as long as its long tasks, whatever the mode says.
LONG_BATCHES = by_name(
    TaskingMode(
        name="quick",
        batches=3,
        min_rounds=LEAST_ROUNDS,
        max_rounds=5,  # more is no longer quick
        budget_s=50,
    ),
    TaskingMode(
        name="full",
        batches=5,
        min_rounds=SURE_ROUNDS,
        max_rounds=20,  # past that the host's drift, not the count, sets the interval
        budget_s=FULL_BUDGET_S,
    ),
    paper_mode(1),  # 11 s at best
)

# Ten runs, as the many-tasking paper's authors did: batches of a process. A process runs one more
# to warm up, and one to count by thread.
TEN_RUNS = by_name(
    TaskingMode(
        name="quick",
        batches=10,
        min_rounds=LEAST_ROUNDS,
        max_rounds=5,  # more is no longer quick
        budget_s=90,
    ),
    TaskingMode(
        name="full",
        batches=10,
        min_rounds=SURE_ROUNDS,
        max_rounds=20,  # past that the host's drift, not the count, sets the interval
        budget_s=FULL_BUDGET_S,
        converged_half_width=0.02,
        converged_rounds=10,
    ),
    paper_mode(10),
)

# Of applications, whose size the case says. A process runs one three times more: by plain calls to
# count its tasks, to warm up, and to count them by thread.
APPLICATIONS = by_name(
    TaskingMode(
        name="quick",
        batches=3,
        min_rounds=LEAST_ROUNDS,
        max_rounds=9,  # more is no longer quick
        budget_s=100,
    ),
    TaskingMode(
        name="full",
        batches=12,  # as OMPi's authors did; best and worst are dropped, as they had it
        min_rounds=SURE_ROUNDS,
        max_rounds=40,  # past that the host's drift, not the count, sets the interval
        budget_s=FULL_BUDGET_S,
        converged_half_width=0.02,
        converged_rounds=15,
    ),
    paper_mode(12),
)
