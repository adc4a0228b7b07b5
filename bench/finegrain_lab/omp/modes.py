# SPDX-License-Identifier: Apache-2.0
"""How much is measured."""

from dataclasses import dataclass

from finegrain_lab.modes import LEAST_ROUNDS, Mode, by_name
from finegrain_lab.omp.cases import Case


@dataclass(frozen=True, kw_only=True)
class OmpMode(Mode):
    """A mode of this experiment.

    The policies beside the default one are in the first rounds, as many as an interval takes, and
    then in every `policies_every`-th: they are most of the processes, and the least of the news.
    """

    batches: int
    short_batches: int
    overhead_processes: int  # in a round, for one number
    policies_every: int

    def kind_of_round(self, round_index: int) -> int:
        """Rounds with all policies take longer."""
        return int(self.has_all_policies(round_index))

    def has_all_policies(self, round_index: int) -> bool:
        """Says whether this round has other policies than the default one."""
        return round_index < LEAST_ROUNDS or round_index % self.policies_every == 0

    def batches_of(self, case: Case) -> int:
        """Returns the batches of one process."""
        return self.short_batches if case.is_short else self.batches

    def processes_of(self, case: Case) -> int:
        """Returns how many processes of a contestant a round has.

        An overhead differs from one process to the next: a region took 404 to 578 ns on Intel's
        runtime, 592 to 770 with the drop-in. The medians of seven: 529 to 575, and 621 to 637 over
        four rounds (Xeon, model 207).
        """
        return self.overhead_processes if case.kind == "overhead" else 1


QUICK = OmpMode(
    name="quick",
    batches=1,  # of 0.1 s and more; warming up and counting by thread cost two more
    short_batches=3,
    overhead_processes=7,
    policies_every=4,
    min_rounds=LEAST_ROUNDS,
    max_rounds=15,  # more is no longer quick
    budget_s=150,  # of a few runtimes; with all, the least number of rounds takes longer
)

FULL = OmpMode(
    name="full",
    batches=1,  # the host drifts between processes, not within them: rounds say more
    short_batches=5,
    overhead_processes=7,
    policies_every=3,
    min_rounds=5,  # one with all policies takes 80 to 104 s on two vCPUs (EPYC)
    max_rounds=40,  # past that the host's drift, not the count, sets the interval
    budget_s=16 * 60,  # 20 minutes an experiment, less the round under way and the report
    converged_half_width=0.01,  # half of the 2 % that are at stake with coarse tasks
    converged_rounds=15,
)

MODES = by_name(QUICK, FULL)
