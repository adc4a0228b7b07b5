# SPDX-License-Identifier: Apache-2.0
"""The many-tasking paper's Table 3: tasks of unlike lengths against tasks of one."""

from __future__ import annotations

import atexit
import math
import random
import statistics
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from finegrain_lab.experiments.spawning import CEILING
from finegrain_lab.experiments.tasking import Study
from finegrain_lab.experiments.work_units import PAPER_TASKS, UnitCase, size_of, unit_study
from finegrain_lab.run.runtimes import SERIAL
from finegrain_lab.show.tables import Table

ALIKE = "alike"
SEED = 2013
LOCATION = 100.0
TASKS = {"quick": 20_000, "full": 100_000, "paper": PAPER_TASKS}

# What was drawn for the quick mode by NumPy and SciPy, for files that do not say it: mean, median,
# least and most.
QUICK_BEFORE = {
    "cms": (99.50115, 99, 99, 758),
    "levy": (100.03505, 100, 0, 335),
    "normal-25": (100.0735, 100, 0, 197),
    "normal-75": (103.3069, 101, 0, 392),
}


# ---- the distributions that the paper draws the lengths of its tasks from


@dataclass(frozen=True)
class Distribution:
    """Numbers of iterations."""

    name: str
    words: str
    sample: Callable[[random.Random], float]
    most: float = math.inf  # what is more becomes this

    def draw(self, count: int) -> list[int]:
        """Returns so many whole numbers, none below 0; the same ones each time."""
        numbers = random.Random(SEED)
        return [round(min(max(self.sample(numbers), 0), self.most)) for _ in range(count)]


def _normal(deviation: float) -> Callable[[random.Random], float]:
    return lambda numbers: numbers.gauss(LOCATION, deviation)


def cms_scale(alpha: float, beta: float) -> float:
    """Returns the scale, in the usual form, of the paper's CMS distribution of these parameters.

    The paper's characteristic function is exp(-|t|^a exp(-i pi/2 b k(a) sign t)), with
    k(a) = 1 - |1 - a|; its printed formula lacks the i, without which the distribution would be
    symmetric. That is exp(-|t|^a (cos h - i sin h sign t)) with h = pi/2 b k(a), so the usual
    form's s^a is cos h.
    """
    return float(math.cos(math.pi / 2 * beta * (1 - abs(1 - alpha))) ** (1 / alpha))


def _cms(alpha: float, beta: float) -> Callable[[random.Random], float]:
    """Draws from it.

    The usual form is exp(-s^a |t|^a (1 - i b' tan(pi a/2) sign t)), so that b' tan(pi a/2) is
    tan h. With a above 1, tan(pi a/2) is -tan(pi k(a)/2): where b is -1 or 1, b' is -b.
    """
    if not (alpha > 1 and abs(beta) == 1):
        raise ValueError("only the paper's kind: alpha above 1, beta of -1 or 1")
    return _stable(alpha, -beta, cms_scale(alpha, beta))


def _stable(alpha: float, beta: float, scale: float) -> Callable[[random.Random], float]:
    """Draws from a stable distribution in the usual form, as Chambers, Mallows and Stuck do."""
    skew = beta * math.tan(math.pi * alpha / 2)
    shift, factor = math.atan(skew) / alpha, (1 + skew**2) ** (1 / (2 * alpha))

    def sample(numbers: random.Random) -> float:
        angle = math.pi * (numbers.random() - 0.5)
        turned, waited = alpha * (angle + shift), numbers.expovariate(1.0)
        drawn = math.sin(turned) / math.cos(angle) ** (1 / alpha)
        drawn *= (math.cos(angle - turned) / waited) ** ((1 - alpha) / alpha)
        return float(LOCATION + scale * factor * drawn)

    return sample


NORMAL_25 = Distribution("normal-25", "normal, mean 100, deviation 25", _normal(25))
NORMAL_75 = Distribution("normal-75", "normal, mean 100, deviation 75", _normal(75))
CMS = Distribution(
    "cms", "CMS, alpha 1.0744, beta -1, location 100, at most 300,000", _cms(1.0744, -1), 300_000
)
LEVY = Distribution(
    "levy",
    "Levy-stable, alpha 1.5, gamma 1, location 100, at most 1,000,000",
    _stable(1.5, 0, 1),
    1_000_000,
)
DISTRIBUTIONS = (CMS, LEVY, NORMAL_25, NORMAL_75)


# ---- the cases


@dataclass(frozen=True)
class DrawnCase(UnitCase):
    """Tasks whose iterations are drawn, each by itself."""

    drawn_from: Distribution = NORMAL_25

    def load(self, steps_per_us: float | None) -> list[Any]:
        """Returns what the program is told of a task's work."""
        del steps_per_us
        return ["--iterations-from", _file_of(self.drawn_from, self.tasks_each or 0)]


@lru_cache(maxsize=None)
def _folder() -> Path:
    """Returns a folder for the numbers of this run, which goes with it."""
    folder = tempfile.TemporaryDirectory(prefix="finegrain-")
    atexit.register(folder.cleanup)
    return Path(folder.name)


@lru_cache(maxsize=None)
def _file_of(distribution: Distribution, tasks: int) -> Path:
    """Returns a file of the numbers: the same ones for every runtime and every process."""
    path = _folder() / f"{distribution.name}-{tasks}"
    path.write_text("".join(f"{number}\n" for number in distribution.draw(tasks)))
    return path


def _cases(tasks: int) -> list[UnitCase]:
    alike = f"{LOCATION:.0f} iterations each"
    return [
        UnitCase(ALIKE, iterations=int(LOCATION), tasks_each=tasks, size=size_of(tasks, alike)),
        *(
            DrawnCase(it.name, tasks_each=tasks, size=size_of(tasks, it.words), drawn_from=it)
            for it in DISTRIBUTIONS
        ),
    ]


def _drawn(cases: Sequence[Any]) -> dict[str, Any]:
    """Returns what is drawn for each case: mean, median, least and most."""
    drawn = {it.name: it.drawn_from.draw(it.tasks_each) for it in cases if it.name != ALIKE}
    return {
        "drawn": {
            name: (statistics.fmean(them), statistics.median(them), min(them), max(them))
            for name, them in drawn.items()
        }
    }


# ---- the tables


def _difference(result: Any, case: str, runtime: str, threads: int) -> float | None:
    """Returns by how many percent it takes longer than tasks of one length, round by round."""
    row, alike = (result.row(case=name, runtime=runtime, threads=threads) for name in (case, ALIKE))
    if row is None or alike is None or len(row.samples) != len(alike.samples):
        return None
    ratios = [of / over for of, over in zip(row.samples, alike.samples)]
    return float(100 * (statistics.median(ratios) - 1))


def _numbers(result: Any) -> Table:
    """Returns what was drawn."""
    before = QUICK_BEFORE if result.mode == "quick" else {}
    known = result.settings.drawn or before
    drawn = {case: known[case] for case in result.cases if case in known}
    formats = {"mean": ".2f", "median": ".0f", "least": ",", "most": ","}
    lines = [
        [word, *(format(numbers[at], form) for numbers in drawn.values())]
        for at, (word, form) in enumerate(formats.items())
    ]
    return Table("iterations of a task", ["runtime", *drawn], lines if drawn else [])


def _tables(_study: Study, result: Any) -> list[Table]:
    cases = [case for case in result.cases if case != ALIKE]
    runtimes = [name for name in result.runtimes if name not in (SERIAL, CEILING)]

    def line(runtime: str, *, is_less_serial: bool = False) -> list[str]:
        """Returns the largest difference of each case over the threads."""
        cells = []
        for case in cases:
            own = [_difference(result, case, runtime, at) for at in result.settings.threads]
            work = _difference(result, case, SERIAL, 1) if is_less_serial else 0.0
            known = [each - work for each in own if each is not None and work is not None]
            cells.append(f"{max(known, key=abs):+.2f}" if known else "")
        return [runtime, *cells]

    return [
        _numbers(result),
        Table(
            "longer than tasks of one length, %: the largest difference over the threads",
            ["runtime", *cases],
            [line(runtime) for runtime in (SERIAL, *runtimes)],
        ),
        Table(
            "the same less the serial process's, which has the tasks' own work only",
            ["runtime", *cases],
            [line(runtime, is_less_serial=True) for runtime in runtimes],
        ),
    ]


SPAWN_HETEROGENEOUS = unit_study(
    name="spawn-heterogeneous",
    title="tasks of unlike lengths, spawned by one thread, against tasks of one length",
    heading="Heterogeneous spawn: tasks of unlike lengths from one thread",
    intro=(
        "As in spawn-homogeneous, but each task's iterations are drawn from a distribution around "
        f"{LOCATION:.0f}: the same numbers for every runtime and every run, rounded, none below 0, "
        "and the heavy tails cut off where the paper's largest were. What is drawn is not "
        f"{LOCATION:.0f} on average, least of all with heavy tails: the serial process, which "
        "calls instead of spawning, shows what of a difference is the work's."
    ),
    paper=(
        "T. Gilmanov et al., Many-tasking, 2013, section 3.2, Table 3 (two 8-core E5-2670, 1 to 16 "
        "threads): largest difference in % for CMS, Levy, normal 25, normal 75",
        "Cilk Plus of gcc: 0.0358, 1.2718, 0.0355, -0.1197; of icc: 0.1104, 1.2603, 0.1452, 0.0805",
        "OpenMP of gcc: 0.2523, 1.2677, 0.2977, 0.3510; of icc: 0.0814, 1.2440, -0.4012, -0.2708",
        "TBB: 0.0995, 1.1943, 0.0700, 0.0599; HPX: 0.1214, 0.8918, 0.1955, 0.2526",
        "Qthreads: 0.0260, 1.1783, -0.0091, 0.0272; Charm++: 0.0456, 0.9871, 0.0260, 0.0404",
    ),
    cases={mode: _cases(tasks) for mode, tasks in TASKS.items()},
    tables=_tables,
    settings=_drawn,
    defaults={"drawn": None},
).experiment()
