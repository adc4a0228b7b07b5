# SPDX-License-Identifier: Apache-2.0
"""The pure functions against numbers worked out by hand."""

import math

import pytest

from finegrain_lab.run import intervals, samples
from finegrain_lab.show import statistics


def test_median_of_odd_and_even_counts() -> None:
    assert statistics.median([3.0, 1.0, 2.0]) == 2.0
    assert statistics.median([4.0, 1.0, 2.0, 3.0]) == 2.5
    with pytest.raises(ValueError, match="nothing"):
        statistics.median([])


def test_ratios_are_of_the_rounds_that_both_have() -> None:
    ratios = samples.ratios_by_round({2: 9.0, 0: 8.0, 1: 1.0}, {0: 2.0, 2: 3.0, 4: 1.0})
    assert list(ratios.items()) == [(0, 4.0), (2, 3.0)]


def test_the_median_of_ratios_is_not_the_ratio_of_medians() -> None:
    # The host slows down threefold in round 1, for both of the pair: the ratio does not notice.
    serial = {0: 100.0, 1: 300.0, 2: 110.0}
    runtime = {0: 50.0, 1: 150.0, 2: 55.0}
    assert list(samples.ratios_by_round(serial, runtime).values()) == [2.0, 2.0, 2.0]


def test_interval_of_equal_samples_is_their_value() -> None:
    assert statistics.median_ci([1.5] * 5) == (1.5, 1.5)


def test_interval_of_three_samples_reaches_from_the_least_to_the_greatest() -> None:
    # A resample of 3 has the least as its median with probability 7/27, far above 2.5 %.
    assert statistics.median_ci([1.0, 2.0, 4.0]) == (1.0, 4.0)


@pytest.mark.parametrize(
    "values",
    [
        [1.5985394248842268, 1.5985394248842268, 1.6098980601492159],
        [1.5990469598451225, 1.6056910750347433, 1.6056910750347433],
    ],
)
def test_interval_holds_the_median_in_spite_of_rounding(values: list[float]) -> None:
    low, high = statistics.median_ci(values)
    assert low <= statistics.median(values) <= high


def test_interval_of_a_geometric_mean_draws_each_sample_anew() -> None:
    # Two samples whose high values are of other rounds: drawn together they would cancel out.
    wide = statistics.geometric_mean_of_medians_ci([[1.0, 1.0, 4.0], [4.0, 4.0, 1.0]])
    assert wide == pytest.approx((1.0, 4.0))
    steady = statistics.geometric_mean_of_medians_ci([[2.0] * 5, [8.0] * 5])
    assert steady == pytest.approx((4.0, 4.0))
    assert steady[0] <= statistics.geometric_mean([2.0, 8.0]) <= steady[1]


def test_interval_of_a_geometric_mean_narrows_with_the_number_of_cases() -> None:
    values = [1.0, 1.1, 1.2, 1.3, 1.4, 1.5, 1.6]
    one = statistics.geometric_mean_of_medians_ci([values])
    ten = statistics.geometric_mean_of_medians_ci([values] * 10)
    assert one == pytest.approx(statistics.median_ci(values), rel=0.02)
    assert ten[1] - ten[0] < 0.5 * (one[1] - one[0])
    with pytest.raises(ValueError, match="two samples"):
        statistics.geometric_mean_of_medians_ci([[1.0, 2.0], [1.0]])


def test_interval_ignores_a_lone_outlier() -> None:
    # Of 11 resampled values 6 must be the outlier to make it the median: one chance in 2,600.
    values = [1.0, 1.01, 1.02, 1.03, 1.04, 1.05, 1.06, 1.07, 1.08, 1.09, 50.0]
    low, high = statistics.median_ci(values)
    assert 1.0 <= low < 1.05 < high <= 1.09


def test_interval_is_the_same_each_time_and_needs_two_samples() -> None:
    # So many values that the interval's ends differ from one seed to another.
    values = [math.sin(number) for number in range(1000)]
    assert statistics.median_ci(values) == statistics.median_ci(values)
    with pytest.raises(ValueError, match="two"):
        statistics.median_ci([1.0])


def test_a_median_and_its_interval_are_nothing_of_nothing() -> None:
    assert statistics.median_and_ci([2.0, 4.0, 3.0]) == (3.0, (2.0, 4.0))
    assert statistics.median_and_ci([]) == (None, None)


def test_half_width_is_a_share_of_the_median() -> None:
    # All of three values; of eleven, the interval leaves out one at each end (the sign test).
    assert intervals.half_width([1.9, 2.0, 2.1]) == pytest.approx(0.05)
    eleven = [0.1, 1.7, 1.8, 1.9, 1.95, 2.0, 2.05, 2.1, 2.2, 2.3, 99.0]
    assert intervals.half_width(eleven) == pytest.approx(0.15)


def test_geometric_mean() -> None:
    assert statistics.geometric_mean([1.0, 4.0]) == pytest.approx(2.0)
    assert statistics.geometric_mean([2.0, 2.0, 2.0]) == pytest.approx(2.0)
    with pytest.raises(ValueError, match="nothing"):
        statistics.geometric_mean([])


def test_slowdowns_count_as_serial() -> None:
    assert statistics.geometric_mean_no_negative([0.25, 4.0]) == pytest.approx(2.0)
    assert statistics.geometric_mean_no_negative([0.5, 0.9]) == 1.0


def test_bound() -> None:
    # One task of 400 ns, a floor of 100 ns: 800 ns of serial work in 500 ns.
    assert statistics.bound(800.0, 100.0) == pytest.approx(1.6)
    assert statistics.bound(800.0, 0.0) == 2.0
    assert math.isclose(statistics.bound(200.0, 100.0), 1.0)


@pytest.mark.parametrize(
    ("speedups", "first"),
    [
        ([0.5, 0.9, 1.1, 1.5], "c"),
        ([1.1, 1.2, 1.3, 1.4], "a"),
        ([1.2, 0.9, 1.1, 1.2], "c"),  # the gain at the start was noise
        ([0.5, 1.2, 1.3, 1.0], None),
    ],
)
def test_first_case_from_which_on_it_pays(speedups: list[float], first: str | None) -> None:
    assert statistics.first_that_pays(dict(zip("abcd", speedups, strict=True))) == first


def test_the_middle_range_leaves_a_tenth_at_each_end() -> None:
    assert statistics.middle_range([float(value) for value in range(11)]) == (1.0, 9.0)
    assert statistics.middle_range([7.0]) == (7.0, 7.0)


@pytest.mark.parametrize(
    ("speedups", "crossing"),
    [
        ({10.0: 0.5, 1000.0: 1.5}, 100.0),  # half way, on a logarithmic scale
        ({10.0: 0.9, 100.0: 1.3}, 10 * 10**0.25),
        ({10.0: 1.2, 20.0: 0.8, 40.0: 1.2}, 20 * 2**0.5),  # the gain at the start was noise
        ({10.0: 0.5, 20.0: 0.8, 40.0: 1.2, 80.0: 1.9}, 20 * 2**0.5),
        ({10.0: 1.1, 20.0: 1.2}, 10.0),
        ({10.0: 0.5, 20.0: 1.0, 40.0: 1.5}, 20.0),
        ({10.0: 0.5, 20.0: 1.2, 40.0: 1.0}, None),
        ({10.0: 0.5}, None),
        ({}, None),
    ],
)
def test_where_the_speedup_crosses_one(
    speedups: dict[float, float], crossing: float | None
) -> None:
    assert statistics.log_crossing(speedups) == pytest.approx(crossing)
