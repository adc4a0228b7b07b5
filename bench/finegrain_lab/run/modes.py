# SPDX-License-Identifier: Apache-2.0
"""When a run has measured enough: what every experiment's modes share."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Mapping, TypeVar

LEAST_ROUNDS = 3  # the fewest processes of which a median and an interval say anything
SURE_ROUNDS = 7  # a median's interval of fewer processes can be narrow by luck
FULL_BUDGET_S = 13 * 60  # 15 minutes, less what follows the rounds
BRIEF_S = 40  # of each of 20 experiments, if all are to be measured in 15 minutes


@dataclass(frozen=True)
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
    work: Mapping[str, Any] = field(default_factory=dict)  # of one process, in its program's words

    def __getitem__(self, name: str) -> Any:
        return self.work[name]

    def kind_of_round(self, round_index: int) -> int:
        """Returns which kind a round is of; rounds of one kind take about the same time."""
        del round_index
        return 0


ModeT = TypeVar("ModeT", bound=Mode)


def by_name(*modes: ModeT) -> dict[str, ModeT]:
    """Returns an experiment's modes, by name."""
    return {mode.name: mode for mode in modes}
