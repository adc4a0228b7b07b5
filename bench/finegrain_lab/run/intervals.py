# SPDX-License-Identifier: Apache-2.0
"""How sure a median is, for a run that is to end when it is sure."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence

TAIL = 0.025  # on either side


def half_width(values: Sequence[float]) -> float:
    """Returns half the width of the median's 95 % interval, as a share of the median.

    The interval between two of the values that holds the median of what they are drawn from,
    whatever its distribution (the sign test's); of fewer than six values, that of all of them.
    """
    ordered, count = sorted(values), len(values)
    left_out, outside = 0, 0.0  # on either side: values, and the probability of what is beyond
    for number in range(count // 2):
        outside += math.comb(count, number) * 0.5**count
        if outside > TAIL:
            break
        left_out = number
    return (ordered[-1 - left_out] - ordered[left_out]) / 2 / statistics.median(ordered)
