# SPDX-License-Identifier: Apache-2.0
"""Every figure and table of the four papers, and what answers it here."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Repeated:
    """Measured by an experiment."""

    experiment: str
    options: str = ""  # of `run`, where it is not all of the experiment
    part: str = ""  # of what the experiment shows

    def __str__(self) -> str:
        command = f"{self.experiment} {self.options}".strip()
        return f"{command}: {self.part}" if self.part else command


@dataclass(frozen=True)
class Explained:
    """A diagram, or a list: a page of the documentation says the same of ours."""

    page: str  # from the repository's root
    section: str  # the heading's anchor

    def __str__(self) -> str:
        return f"{self.page}#{self.section}"


@dataclass(frozen=True)
class Item:
    """A figure or a table."""

    name: str
    shows: str
    answer: Repeated | Explained


@dataclass(frozen=True)
class Paper:
    """A paper."""

    name: str
    title: str
    machine: str  # as its text has it
    cpus: int  # of it
    items: Sequence[Item]
    beside: Sequence[str] = ()  # experiments of its text, or of its idea, that no figure shows

    def experiments(self) -> list[str]:
        """Returns the experiments that repeat it, each once, in its order."""
        answers = [item.answer for item in self.items]
        repeated = [answer.experiment for answer in answers if isinstance(answer, Repeated)]
        return list(dict.fromkeys([*repeated, *self.beside]))


def _diagram(section: str) -> Explained:
    return Explained("docs/papers.md", section)


RELIC = Paper(
    "Relic",
    "D. Los, I. Petushkov, Exploring Fine-grained Task Parallelism on SMT Cores (Relic), 2024",
    "Intel Core i7-8700, the two SMT siblings of one core",
    2,
    (
        Item("Fig. 1", "speedups of seven frameworks on seven kernels", Repeated("relic-kernels")),
        Item(
            "Fig. 2",
            "the assistant's main loop",
            Explained("docs/handoff.md", "the-assistants-loop"),
        ),
        Item(
            "Fig. 3",
            "Relic's speedups",
            Repeated("relic-kernels", "--runtimes relic,relic-paper"),
        ),
        Item(
            "Fig. 4",
            "averages without negative outliers",
            Repeated("relic-kernels", part="the geometric means"),
        ),
    ),
    beside=("handoff", "break-even", "waiting"),
)

X_OPENMP = Paper(
    "X-OpenMP",
    "P. Nookala, K. Chard, I. Raicu, X-OpenMP, 2024",
    "13 machines; most figures on an Intel Skylake with 192 cores in 8 sockets, 384 threads",
    192,
    (
        Item(
            "Fig. 1",
            "latency of mutex, semaphore, spinlock, fetch-and-add by threads, each on 13 machines",
            Repeated("sync", part="on this machine"),
        ),
        Item("Fig. 2", "the four on one machine", Repeated("sync")),
        Item(
            "Fig. 3",
            "when GNU OpenMP's threads are at work in an unbalanced tree search",
            Repeated("uts", "--runtimes gnu-openmp", "the timeline"),
        ),
        Item("Fig. 4", "XQueue's queues on four cores", _diagram("xqueue")),
        Item(
            "Fig. 5",
            "stealing without waiting, step by step",
            _diagram("stealing-without-waiting"),
        ),
        Item("Fig. 6", "overhead of a task by its length", Repeated("tasking-overhead")),
        Item("Fig. 7", "tasks by worker, all spawning", Repeated("task-distribution")),
        Item(
            "Fig. 8",
            "deltas of the workers, one spawning",
            Repeated("stealing-efficiency", "--cases 65536x100ns"),
        ),
        Item("Fig. 9", "execution time by size of the queues", Repeated("queue-size")),
        Item("Fig. 10", "Strassen: by threads (a), by base size (b)", Repeated("strassen")),
        Item("Fig. 11", "symmetric rank-k update by tile size", Repeated("syrk")),
        Item("Fig. 12", "Cholesky: by threads (a), by tile size (b)", Repeated("cholesky")),
        Item("Fig. 13", "unbalanced tree search by granularity", Repeated("uts")),
        Item(
            "Fig. 14",
            "when X-OpenMP's threads are at work in that search",
            Repeated("uts", part="the timelines of pool-xqueue_*"),
        ),
        Item("Table 1", "13 machines", _diagram("machines")),
    ),
    beside=("queues", "omp"),
)

OMPI = Paper(
    "OMPi",
    "S. N. Agathos, N. D. Kallimanis, V. V. Dimakopoulos, Speeding Up OpenMP Tasking (OMPi), 2012",
    "16 cores of two AMD Opteron 6128",
    16,
    (
        Item("Fig. 1", "queues and task descriptors", _diagram("queues-and-descriptors")),
        Item(
            "Fig. 2",
            "a task pending, executing, finished",
            _diagram("pending-executing-finished"),
        ),
        Item("Fig. 3", "the work-stealing queue", _diagram("the-work-stealing-queue")),
        Item("Fig. 4", "code of the synthetic benchmark", _diagram("the-synthetic-benchmark")),
        Item(
            "Fig. 5",
            "throughput by threads: one producer (a), half of the threads (b)",
            Repeated("producers", "--cases one-128,half-128"),
        ),
        Item("Fig. 6", "throughput by the load of a task, likewise", Repeated("producers")),
        Item("Fig. 7", "Fib", Repeated("bots", "--cases fib")),
        Item("Fig. 8", "NQueens", Repeated("bots", "--cases nqueens")),
        Item("Fig. 9", "Floorplan", Repeated("bots", "--cases floorplan")),
        Item("Table 1", "the rest of BOTS", Repeated("bots")),
    ),
)


def _homogeneous(iterations: str) -> Repeated:
    return Repeated("spawn-homogeneous", f"--cases {iterations}")


MANY_TASKING = Paper(
    "Many-tasking",
    "T. Gilmanov et al., Application Characteristics of Many-tasking Execution Models, 2013",
    "16 cores of two Intel Xeon E5-2670",
    16,
    (
        Item("Fig. 1", "the states of a task", _diagram("the-life-of-a-task")),
        Item(
            "Fig. 2",
            "what NUMA-aware placement and another malloc change",
            Repeated(
                "spawn-homogeneous",
                "--cases 100 --allocator tcmalloc --numa-binding off",
                "each of the two options with and without",
            ),
        ),
        Item("Fig. 3", "tasks of 2 to 3 ns by threads", _homogeneous("0")),
        Item("Fig. 4", "tasks of 103 ns", _homogeneous("10")),
        Item("Fig. 5", "tasks of 1 µs", _homogeneous("100")),
        Item("Fig. 6", "tasks of 10 µs", _homogeneous("1000")),
        Item("Fig. 7", "tasks of 106 µs", _homogeneous("10000")),
        Item("Table 1", "versions of the software", _diagram("software-versions")),
        Item(
            "Table 2",
            "how long the work units are",
            Repeated("spawn-homogeneous", part="the last table"),
        ),
        Item(
            "Table 3",
            "tasks of unlike lengths against tasks of one",
            Repeated("spawn-heterogeneous"),
        ),
    ),
)

PAPERS = (RELIC, X_OPENMP, OMPI, MANY_TASKING)
