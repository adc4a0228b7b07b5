# SPDX-License-Identifier: Apache-2.0
"""The distributions that the many-tasking paper draws the lengths of its tasks from."""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

SEED = 2013
LOCATION = 100.0

Draw = Callable[[np.random.Generator, int], NDArray[np.float64]]


@dataclass(frozen=True)
class Distribution:
    """Numbers of iterations."""

    name: str
    words: str
    sample: Draw
    most: int | None = None  # what is more becomes this

    def draw(self, count: int) -> NDArray[np.int64]:
        """Returns so many whole numbers, none below 0; the same ones each time."""
        drawn = np.rint(self.sample(np.random.default_rng(SEED), count))
        return np.clip(drawn, 0, self.most).astype(np.int64)


def _normal(deviation: float) -> Draw:
    return lambda random, count: random.normal(LOCATION, deviation, count)


def cms_scale(alpha: float, beta: float) -> float:
    """Returns the scale, in the usual form, of the paper's CMS distribution of these parameters.

    The paper's characteristic function is exp(-|t|^a exp(-i pi/2 b k(a) sign t)), with
    k(a) = 1 - |1 - a|; its printed formula lacks the i, without which the distribution would be
    symmetric. That is exp(-|t|^a (cos h - i sin h sign t)) with h = pi/2 b k(a), so the usual
    form's s^a is cos h.
    """
    return float(math.cos(math.pi / 2 * beta * (1 - abs(1 - alpha))) ** (1 / alpha))


def _cms(alpha: float, beta: float) -> Draw:
    """Draws from it.

    The usual form is exp(-s^a |t|^a (1 - i b' tan(pi a/2) sign t)), so that b' tan(pi a/2) is
    tan h. With a above 1, tan(pi a/2) is -tan(pi k(a)/2): where b is -1 or 1, b' is -b.
    """
    if not (alpha > 1 and abs(beta) == 1):
        raise ValueError("only the paper's kind: alpha above 1, beta of -1 or 1")
    return _stable(alpha, -beta, cms_scale(alpha, beta))


def _stable(alpha: float, beta: float, scale: float) -> Draw:
    def sample(random: np.random.Generator, count: int) -> NDArray[np.float64]:
        from scipy import stats  # 140 MB that the first experiments do without

        # Parameterization S1, the library's default.
        drawn = stats.levy_stable.rvs(
            alpha, beta, loc=LOCATION, scale=scale, size=count, random_state=random
        )
        return np.asarray(drawn, dtype=np.float64)

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
