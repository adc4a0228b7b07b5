"""How much is measured."""

from dataclasses import dataclass

from finegrain_lab.modes import Mode


@dataclass(frozen=True, kw_only=True)
class BreakEvenMode(Mode):
    """A mode of this experiment: the work of one process."""

    batches: int  # a multiple of three: serial, always and adaptive then come first equally often
    batch_ms: int


QUICK = BreakEvenMode(
    name="quick",
    batches=6,
    batch_ms=4,  # 100 calls even of 40 us, and short against the host's drift
    min_rounds=3,  # the fewest processes of which a median and an interval say anything
    max_rounds=40,  # more is no longer quick
    budget_s=115,  # 2.5 minutes with the intervals and the report
)

FULL = BreakEvenMode(
    name="full",
    batches=12,
    batch_ms=4,
    min_rounds=7,  # a median's interval of fewer processes can be narrow by luck
    max_rounds=80,  # past that the host's drift, not the count, sets the interval
    budget_s=13 * 60,  # 15 minutes, less what follows the rounds
    converged_half_width=0.01,  # of the 4 % that the controller may lose
    converged_rounds=15,
)

MODES = {mode.name: mode for mode in (QUICK, FULL)}
