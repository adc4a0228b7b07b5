# SPDX-License-Identifier: Apache-2.0
"""OMPi's Figs. 5 and 6: how many tasks a second one producer, or half of the threads, get done."""

from functools import partial

from finegrain_lab.tasking import plots
from finegrain_lab.tasking.flat import FlatCase, Producers
from finegrain_lab.tasking.modes import LOOPS, paper_mode
from finegrain_lab.tasking.protocol import TaskSample
from finegrain_lab.tasking.study import Case, Measure, Study

MAX_LOADS = (0, 128, 512, 2048, 8192, 32768)
FINE = 128  # the paper's fine-grained load
PAPER_TASKS = 16_000_000  # of all producers together


def _throughput(sample: TaskSample, case: Case) -> float:
    del case
    return 1000 / sample.mean_ns


def _case(max_load: int, producers: Producers, tasks_of_all: int | None) -> FlatCase:
    return FlatCase(
        f"{producers}-{max_load}",
        x=max_load,
        producers=producers,
        max_load=max_load,
        tasks_of_all=tasks_of_all,
        scaling=max_load == FINE,
    )


def _cases(tasks_of_all: int | None = None) -> tuple[FlatCase, ...]:
    return tuple(_case(load, who, tasks_of_all) for who in ("one", "half") for load in MAX_LOADS)


STUDY = Study(
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
    cases=_cases(),
    cases_in={"paper": _cases(PAPER_TASKS)},
    measure=Measure(
        "throughput", "million tasks per second", lower_is_better=False, of=_throughput
    ),
    figures=partial(plots.lines_over_x, "maxload, turns"),
    modes=LOOPS | {"paper": paper_mode(12)},
)
