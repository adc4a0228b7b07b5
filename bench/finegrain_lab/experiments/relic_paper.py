# SPDX-License-Identifier: Apache-2.0
"""What the text of the Relic paper states, with its section. Nothing is read off a figure.

D. Los, I. Petushkov, "Exploring Fine-grained Task Parallelism on Simultaneous Multithreading
Cores", 2024. All shares are in percent. It does not say which of X-OpenMP's policies it measured:
its one number stands beside each of the three.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Optional, Tuple

MACHINE = "Intel Core i7-8700, two SMT siblings of one core, Ubuntu 22.04 (section III)"

# How long one instance of a kernel takes, in microseconds (section IV).
TASK_US = {"bc": 1.1, "bfs": 0.5, "cc": 0.4, "pr": 4.3, "sssp": 6.4, "tc": 1.3, "json": 1.1}


@dataclass(frozen=True)
class Peer:
    """A runtime's geometric mean over the kernels, and what Relic adds to another of its means."""

    name: str
    runtimes: Tuple[str, ...]  # the lab's names
    average: float  # as speedup over serial (section V)
    increase: float  # of the average without negative outliers (abstract, section VII)


PEERS = (
    Peer("LLVM OpenMP", ("llvm-openmp",), 13.9, 19.1),
    Peer("GNU OpenMP", ("gnu-openmp",), -17.7, 31.0),
    Peer("Intel OpenMP", ("intel-openmp",), 11.3, 20.2),
    Peer("X-OpenMP", ("x-openmp-static", "x-openmp-wait", "x-openmp-nowait"), -6.7, 33.2),
    Peer("oneTBB", ("onetbb",), -1.9, 30.1),
    Peer("Taskflow", ("taskflow",), 11.8, 23.0),
    Peer("OpenCilk", ("opencilk",), 12.6, 21.4),
)

RELIC_AVERAGE = 42.1  # section VII
RELIC_BFS = 5.6  # section VII


@dataclass(frozen=True)
class Best:
    """The best peer on a kernel, and what Relic adds to it (section VII)."""

    peer: str = ""  # none is named
    gain: Optional[float] = None
    increase: Optional[float] = None

    @property
    def peer_text(self) -> str:
        """The peer, and its gain."""
        return "no peer gains" if self.gain is None else f"{signed(self.gain)} {self.peer}"

    @property
    def increase_text(self) -> str:
        """What Relic adds."""
        if self.increase is not None:
            return signed(self.increase)
        return "" if self.gain is None else "less than it"


BESTS = {
    "bc": Best("Taskflow", 5.7, 30.4),
    "bfs": Best(),
    "cc": Best("LLVM OpenMP", 9.4, 30.1),
    "pr": Best("GNU OpenMP", 66.5, 14.3),
    "sssp": Best("Taskflow", 55.7, 21.3),
    "tc": Best("LLVM OpenMP", 51.4),
    "json": Best("OpenCilk", 23.5, 8.6),
}

# Section V, in words only.
STATEMENTS = (
    "All peers gain on PR and SSSP, the kernels with the longest tasks.",
    "On TC only GNU OpenMP loses.",
    "On BC only Taskflow and OpenCilk gain.",
    "On BFS no peer gains.",
    "On CC only the OpenMP implementations based on LLVM gain.",
    "On JSON all OpenMP implementations and OpenCilk gain.",
)


def signed(percent: float) -> str:
    """Returns a share with its sign, as it is printed."""
    return f"{percent:+.1f} %".replace("-", "\N{MINUS SIGN}")
