"""How much is measured."""

from dataclasses import dataclass

from finegrain_lab.modes import Mode


@dataclass(frozen=True, kw_only=True)
class WaitingMode(Mode):
    """A mode of this experiment: the time that one process spends in gaps."""

    gaps_ms: int
    max_gaps: int
    min_gaps: int

    def gaps(self, gap_us: int) -> int:
        """Returns how many gaps of this length a process measures."""
        return max(self.min_gaps, min(self.max_gaps, self.gaps_ms * 1000 // gap_us))


QUICK = WaitingMode(
    name="quick",
    gaps_ms=50,
    max_gaps=200,  # more of 1 us says no more of a median
    min_gaps=2,  # of 100 ms: a tenth of the run already
    min_rounds=3,  # the fewest processes of which a median and an interval say anything
    max_rounds=40,  # more is no longer quick
    budget_s=120,  # 2.5 minutes with the intervals and the report
)

FULL = WaitingMode(
    name="full",
    gaps_ms=200,
    max_gaps=500,
    min_gaps=3,
    min_rounds=7,  # a median's interval of fewer processes can be narrow by luck
    max_rounds=100,  # past that the host's drift, not the count, sets the interval
    budget_s=13 * 60,  # 15 minutes, less what follows the rounds
)

MODES = {mode.name: mode for mode in (QUICK, FULL)}
