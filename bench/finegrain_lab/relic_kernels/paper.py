# SPDX-License-Identifier: Apache-2.0
"""What the text of the Relic paper states, with its section. Nothing is read off a figure.

D. Los, I. Petushkov, "Exploring Fine-grained Task Parallelism on Simultaneous Multithreading
Cores", 2024. All shares are in percent. It does not say which of X-OpenMP's policies it measured:
its one number stands beside each of the three.
"""

from dataclasses import dataclass

from finegrain_lab.runtimes import X_OPENMP

MACHINE = "Intel Core i7-8700, two SMT siblings of one core, Ubuntu 22.04 (section III)"


@dataclass(frozen=True)
class TaskTime:
    """How long one instance of a kernel takes (section IV)."""

    case: str
    us: float


@dataclass(frozen=True)
class Average:
    """A runtime's geometric mean over the kernels, as speedup over serial (section V)."""

    name: str
    runtimes: tuple[str, ...]  # the lab's names
    percent: float


@dataclass(frozen=True)
class KernelBest:
    """The best peer on a kernel, and what Relic adds to it (section VII)."""

    case: str
    name: str | None  # None: the text names none
    percent: float | None
    relic_increase_percent: float | None


@dataclass(frozen=True)
class Increase:
    """What Relic adds to a runtime's average without negative outliers (abstract, section VII)."""

    name: str
    runtimes: tuple[str, ...]
    percent: float


TASK_TIMES = (
    TaskTime("bc", 1.1),
    TaskTime("bfs", 0.5),
    TaskTime("cc", 0.4),
    TaskTime("pr", 4.3),
    TaskTime("sssp", 6.4),
    TaskTime("tc", 1.3),
    TaskTime("json", 1.1),
)

AVERAGES = (
    Average("LLVM OpenMP", ("llvm-openmp",), 13.9),
    Average("GNU OpenMP", ("gnu-openmp",), -17.7),
    Average("Intel OpenMP", ("intel-openmp",), 11.3),
    Average("X-OpenMP", X_OPENMP, -6.7),
    Average("oneTBB", ("onetbb",), -1.9),
    Average("Taskflow", ("taskflow",), 11.8),
    Average("OpenCilk", ("opencilk",), 12.6),
)

RELIC_AVERAGE_PERCENT = 42.1  # section VII
RELIC_BFS_PERCENT = 5.6  # section VII

KERNEL_BESTS = (
    KernelBest("bc", "Taskflow", 5.7, 30.4),
    KernelBest("bfs", None, None, None),
    KernelBest("cc", "LLVM OpenMP", 9.4, 30.1),
    KernelBest("pr", "GNU OpenMP", 66.5, 14.3),
    KernelBest("sssp", "Taskflow", 55.7, 21.3),
    KernelBest("tc", "LLVM OpenMP", 51.4, None),
    KernelBest("json", "OpenCilk", 23.5, 8.6),
)

INCREASES = (
    Increase("LLVM OpenMP", ("llvm-openmp",), 19.1),
    Increase("GNU OpenMP", ("gnu-openmp",), 31.0),
    Increase("Intel OpenMP", ("intel-openmp",), 20.2),
    Increase("X-OpenMP", X_OPENMP, 33.2),
    Increase("oneTBB", ("onetbb",), 30.1),
    Increase("Taskflow", ("taskflow",), 23.0),
    Increase("OpenCilk", ("opencilk",), 21.4),
)

# Section V, in words only.
STATEMENTS = (
    "All peers gain on PR and SSSP, the kernels with the longest tasks.",
    "On TC only GNU OpenMP loses.",
    "On BC only Taskflow and OpenCilk gain.",
    "On BFS no peer gains.",
    "On CC only the OpenMP implementations based on LLVM gain.",
    "On JSON all OpenMP implementations and OpenCilk gain.",
)
