# SPDX-License-Identifier: Apache-2.0
"""OMPi's Figs. 5 and 6: how many tasks a second one producer, or half of the threads, get done."""

from __future__ import annotations

from functools import partial

from finegrain_lab.experiments.flat import FlatCase, lines_over_x, loop_modes
from finegrain_lab.experiments.tasking import Measure, Study

MAX_LOADS = (0, 128, 512, 2048, 8192, 32768)
FINE = 128  # the paper's fine-grained load
PAPER_TASKS = 16_000_000  # of all producers together


def _cases(tasks_of_all: int | None = None) -> list[FlatCase]:
    return [
        FlatCase(
            f"{producers}-{load}",
            x=load,
            producers=producers,
            max_load=load,
            tasks_of_all=tasks_of_all,
            scaling=load == FINE,
        )
        for producers in ("one", "half")
        for load in MAX_LOADS
    ]


PRODUCERS = Study(
    name="producers",
    title="tasks of a random load, spawned by one thread or by half of them: tasks per second",
    heading="Producers: how many tasks a second",
    intro=(
        "One thread, or half of them, spawns tasks that each run a loop of 0 to maxload turns, at "
        "random but the same for every runtime; the others take them. Of fewer than four threads "
        "all spawn instead of half. Of a process's batches the best and the worst are dropped."
    ),
    paper=(
        "S. N. Agathos et al., OMPi tasking, 2012, section 4.1 (16 cores, two Opteron 6128)",
        "one producer, maxload 128: throughput falls as threads are added, for all; OMPi up to 5 "
        "times ICC, the second best, at 16 threads",
        "one producer, by maxload: OMPi a little more than 6 times ICC for fine tasks; all alike "
        "above 8192",
        "8 of 16 threads produce, maxload 0 to 256: OMPi 2.6 to 1.8 times ICC",
    ),
    modes=loop_modes(paper=12),
    cases={"quick": _cases(), "paper": _cases(PAPER_TASKS)},
    measure=Measure(
        "throughput",
        "million tasks per second",
        "higher",
        lambda sample, _case: 1000 / sample.mean_ns,
    ),
    figures=partial(lines_over_x, "maxload, turns"),
).experiment()
