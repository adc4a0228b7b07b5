"""When a run has measured enough: what every experiment's modes share."""

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Mode:
    """When a run ends. Rounds are always whole.

    At the first of: `max_rounds`; a round that is not expected to fit into `budget_s`; every
    interval of interest within `converged_half_width` (relative). The last two never end a run
    before `min_rounds`, and convergence is not believed before `converged_rounds`.
    """

    name: str
    min_rounds: int
    max_rounds: int
    budget_s: float | None = None
    converged_half_width: float | None = None
    converged_rounds: int = 0

    def kind_of_round(self, round_index: int) -> int:
        """Returns which kind a round is of; rounds of one kind take about the same time."""
        del round_index
        return 0
