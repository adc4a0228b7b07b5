"""What every experiment's result comes down to: rows of times that can be held side by side."""

from collections.abc import Sequence
from dataclasses import dataclass

from finegrain_lab.drop_in import WITH_DROP_IN

_OUR_NAMES = ("relic", "pool-", "x-openmp-", "finegrain-")


@dataclass(frozen=True)
class Measurement:
    """One row, the same in every run of its experiment that has its key.

    `reference` is what the experiment holds the row against, as another row of it is named.
    """

    experiment: str
    case: str  # with all that tells rows apart but the runtime: "fib, 2 threads"
    runtime: str  # with the policy where there are several
    ours: bool
    default: bool  # of ours, under its default policy and settings
    samples: Sequence[float]  # ns, lower is better, one a round
    reference: str | None
    reference_samples: Sequence[float] = ()  # of the same rounds; empty where the file lacks them
    size: str = ""  # of the work, in words, where the mode chooses it: another is another row

    @property
    def key(self) -> tuple[str, ...]:
        """What tells it from all others."""
        return self.experiment, self.case, self.size, self.runtime

    @property
    def ratios(self) -> list[float]:
        """Its times over the reference's, round by round.

        Empty where the two have none.
        """
        return ratios_of(self.samples, self.reference_samples)


def ratios_of(times: Sequence[float], others: Sequence[float]) -> list[float]:
    """Returns the ratios of two rows' times, round by round.

    Empty where they were not measured in the same rounds, and of an overhead of 0 or less: that has
    drowned in the clock's noise.
    """
    if len(times) != len(others) or min(*times, *others) <= 0:
        return []
    return [ns / other for ns, other in zip(times, others, strict=True)]


def is_ours(runtime: str) -> bool:
    """Says whether it is finegrain's: no peer, and nothing that all are held against."""
    return runtime.startswith(_OUR_NAMES) or WITH_DROP_IN in runtime


def under(runtime: str, policy: str) -> str:
    """Returns the name of a runtime under one of its wait policies."""
    return f"{runtime} ({policy})"
