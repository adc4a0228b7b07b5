# SPDX-License-Identifier: Apache-2.0
"""What a reader must know of a runtime, gathered from what its processes said."""

from collections.abc import Iterable, Sequence
from typing import Protocol

from finegrain_lab.runtimes import Cpus


class Seen(Protocol):
    """A sample that says where it ran."""

    @property
    def note(self) -> str:
        """What the process itself says."""

    @property
    def main_cpu(self) -> int:
        """Where the main thread was seen."""

    @property
    def task_cpus(self) -> list[int]:
        """Where tasks were seen."""


def notes_of(samples: Sequence[Seen], cpus: Cpus, first: str = "") -> list[str]:
    """Returns `first`, the samples' own notes, and CPUs that were not asked for; each once."""
    strays = {cpu for sample in samples for cpu in sample.task_cpus} - set(cpus)
    strays |= {sample.main_cpu for sample in samples} - {cpus[0]}
    stray = f"was seen on a CPU that is not its own: {sorted(strays)}" if strays else ""
    return distinct([first, *(sample.note for sample in samples), stray])


def distinct(texts: Iterable[str]) -> list[str]:
    """Returns the texts that say something, each once."""
    return list(dict.fromkeys(text for text in texts if text))
