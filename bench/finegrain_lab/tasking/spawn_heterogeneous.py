# SPDX-License-Identifier: Apache-2.0
"""The many-tasking paper's Table 3: tasks of unlike lengths against tasks of one."""

from collections.abc import Sequence

import numpy as np

from finegrain_lab import statistics
from finegrain_lab.runtimes import SERIAL
from finegrain_lab.tasking import plots
from finegrain_lab.tasking.contestants import CEILING
from finegrain_lab.tasking.distributions import (
    CMS,
    LEVY,
    LOCATION,
    NORMAL_25,
    NORMAL_75,
    Distribution,
)
from finegrain_lab.tasking.modes import TEN_RUNS
from finegrain_lab.tasking.results import Result
from finegrain_lab.tasking.study import Study, Table
from finegrain_lab.tasking.work_units import EXECUTION_TIME, PAPER_TASKS, UnitCase, size_of

ALIKE = "alike"
ITERATIONS = int(LOCATION)
DISTRIBUTIONS = (CMS, LEVY, NORMAL_25, NORMAL_75)
TASKS = {"quick": 20_000, "full": 100_000, "paper": PAPER_TASKS}


def _case(at: int, distribution: Distribution | None, tasks: int) -> UnitCase:
    what = distribution.words if distribution else f"{ITERATIONS} iterations each"
    return UnitCase(
        distribution.name if distribution else ALIKE,
        x=at,
        iterations=ITERATIONS,
        drawn_from=distribution,
        tasks_each=tasks,
        size=size_of(tasks, what),
    )


def _cases(tasks: int) -> tuple[UnitCase, ...]:
    return tuple(_case(at, kind, tasks) for at, kind in enumerate((None, *DISTRIBUTIONS)))


def _difference(result: Result, case: str, runtime: str, threads: int) -> float | None:
    """Returns by how many percent it takes longer than tasks of one length, round by round."""
    row, alike = (result.row(name, runtime, threads) for name in (case, ALIKE))
    if row is None or alike is None or len(row.samples) != len(alike.samples):
        return None
    ratios = [of / over for of, over in zip(row.samples, alike.samples, strict=True)]
    return 100 * (statistics.median(ratios) - 1)


def _largest(differences: Sequence[float | None]) -> str:
    known = [difference for difference in differences if difference is not None]
    return f"{max(known, key=abs):+.2f}" if known else ""


def _numbers(study: Study, result: Result) -> Table:
    """Returns what was drawn."""
    chosen = [case for case in study.cases_of(result.mode) if case.name in result.cases]
    drawn = {
        case.name: case.drawn_from.draw(case.tasks_each)
        for case in chosen
        if isinstance(case, UnitCase) and case.drawn_from
    }
    return Table(
        "iterations of a task",
        list(drawn),
        [
            ("mean", [f"{numbers.mean():.2f}" for numbers in drawn.values()]),
            ("median", [f"{np.median(numbers):.0f}" for numbers in drawn.values()]),
            ("least", [f"{numbers.min():,}" for numbers in drawn.values()]),
            ("most", [f"{numbers.max():,}" for numbers in drawn.values()]),
        ],
    )


def _tables(study: Study, result: Result) -> list[Table]:
    cases = [case for case in result.cases if case != ALIKE]
    threads = result.settings.threads
    runtimes = [name for name in result.runtimes if name not in (SERIAL, CEILING)]

    def less_serial(case: str, runtime: str, count: int) -> float | None:
        own = _difference(result, case, runtime, count)
        work = _difference(result, case, SERIAL, 1)
        return None if own is None or work is None else own - work

    return [
        _numbers(study, result),
        Table(
            "longer than tasks of one length, %: the largest difference over the threads",
            cases,
            [
                (
                    name,
                    [_largest([_difference(result, c, name, n) for n in threads]) for c in cases],
                )
                for name in (SERIAL, *runtimes)
            ],
        ),
        Table(
            "the same less the serial process's, which has the tasks' own work only",
            cases,
            [
                (name, [_largest([less_serial(c, name, n) for n in threads]) for c in cases])
                for name in runtimes
            ],
        ),
    ]


STUDY = Study(
    name="spawn-heterogeneous",
    title="tasks of unlike lengths, spawned by one thread, against tasks of one length",
    heading="Heterogeneous spawn: tasks of unlike lengths from one thread",
    intro=(
        "As in spawn-homogeneous, but each task's iterations are drawn from a distribution around "
        f"{ITERATIONS}: the same numbers for every runtime and every run, rounded, none below 0, "
        "and the heavy tails cut off where the paper's largest were. What is drawn is not "
        f"{ITERATIONS} on average, least of all with heavy tails: the serial process, which calls "
        "instead of spawning, shows what of a difference is the work's."
    ),
    paper=(
        "T. Gilmanov et al., Many-tasking, 2013, section 3.2, Table 3 (two 8-core E5-2670, 1 to 16 "
        "threads): largest difference in % for CMS, Levy, normal 25, normal 75",
        "Cilk Plus of gcc: 0.0358, 1.2718, 0.0355, -0.1197; of icc: 0.1104, 1.2603, 0.1452, 0.0805",
        "OpenMP of gcc: 0.2523, 1.2677, 0.2977, 0.3510; of icc: 0.0814, 1.2440, -0.4012, -0.2708",
        "TBB: 0.0995, 1.1943, 0.0700, 0.0599; HPX: 0.1214, 0.8918, 0.1955, 0.2526",
        "Qthreads: 0.0260, 1.1783, -0.0091, 0.0272; Charm++: 0.0456, 0.9871, 0.0260, 0.0404",
    ),
    cases=_cases(TASKS["quick"]),
    cases_in={mode: _cases(tasks) for mode, tasks in TASKS.items()},
    measure=EXECUTION_TIME,
    figures=plots.lines_over_threads,
    tables=_tables,
    modes=TEN_RUNS,
    speedup_over="serial",
)
