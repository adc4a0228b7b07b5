# SPDX-License-Identifier: Apache-2.0
"""The statistics of a comparison, on runs whose changes are known."""

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats
from synthetic import HANDOFF, KERNELS, QUIET, WAITING, Layout, Noise, run, slowed

from finegrain_lab.show.changes import (
    LEAST_CHANGE,
    USUAL_DRIFT,
    Change,
    changes_of,
    control_drift,
)
from finegrain_lab.show.measurements import Measurement
from finegrain_lab.show.pairs import Pair, match

NOISY = Noise()
NONE = Noise(0, 0, 0)


def changes(before: Sequence[Measurement], after: Sequence[Measurement]) -> list[Change]:
    return changes_of(match(before, after).both)


def named(found: Sequence[Change]) -> set[str]:
    return {change.pair.before.runtime for change in found if change.named}


def only(layout: Layout, *runtimes: str, cases: int | None = None) -> Layout:
    return replace(layout, runtimes=runtimes, cases=layout.cases[:cases])


@pytest.mark.parametrize("layout", [KERNELS, HANDOFF, WAITING])
def test_of_runs_of_the_same_a_row_is_named_as_rarely_as_is_stated(layout: Layout) -> None:
    runs = [(run(layout, NOISY, seed), run(layout, NOISY, 99 + seed)) for seed in range(20)]
    # At 5 % more than 2 of 20 are so in 1 of 13 such tests; these seeds are none of them.
    assert sum(bool(named(changes(before, after))) for before, after in runs) <= 2


@pytest.mark.parametrize(
    ("layout", "noise", "least"),
    [(KERNELS, NOISY, 0.95), (KERNELS, QUIET, 1), (HANDOFF, NOISY, 0.95), (HANDOFF, QUIET, 1)],
)
def test_the_rows_that_got_slower_are_named_and_few_others(
    layout: Layout, noise: Noise, least: float
) -> None:
    found = []
    for seed in range(5):
        before, after = run(layout, noise, seed), run(layout, noise, 99 + seed)
        found += changes(before, slowed(after, 1.2, starting=("relic",)))
    slower = [change for change in found if change.pair.before.runtime.startswith("relic")]
    assert all(change.change == pytest.approx(1.2, rel=0.15) for change in slower)
    right = sum(change.named for change in slower)
    assert right >= least * len(slower)
    assert sum(change.named for change in found) <= 1.05 * right


@pytest.mark.parametrize("layout", [KERNELS, HANDOFF, WAITING])
@pytest.mark.parametrize("drift", [1.1, 0.9])
def test_what_moves_all_rows_is_no_change_of_any(layout: Layout, drift: float) -> None:
    before, after = run(layout, QUIET, 3), slowed(run(layout, QUIET, 4), drift)
    assert named(changes(before, after)) == set()


def test_drift_is_told_and_taken_off() -> None:
    before, after = run(HANDOFF, QUIET, 3), slowed(run(HANDOFF, QUIET, 4), 1.1)
    pairs = match(before, after).both
    assert control_drift(pairs) == pytest.approx(1.1, rel=0.01)
    assert control_drift([pair for pair in pairs if pair.ours]) is None
    for change in changes_of(pairs):
        assert change.drift == pytest.approx(1.1, rel=0.03)
        assert change.change == pytest.approx(change.after / change.before / change.drift)


def test_the_reference_of_a_case_that_moved_is_no_change_of_its_rows() -> None:
    before, after = run(KERNELS, QUIET, 3), run(KERNELS, QUIET, 4)
    case = KERNELS.cases[0]
    moved = slowed([row for row in after if row.case == case], 1.15, starting=("serial",))
    rest = [row for row in after if row.case != case]
    assert named(changes(before, [*moved, *rest])) <= {"serial"}


def test_a_change_of_most_rows_is_found() -> None:
    layout = only(HANDOFF, *HANDOFF.runtimes[:4], *("boost-spsc (a)", "atomic-queue", "moodycamel"))
    before, after = run(layout, QUIET, 1), run(layout, QUIET, 2)
    ours = {runtime for runtime in layout.runtimes if runtime.startswith("relic")}
    assert named(changes(before, slowed(after, 1.3, starting=("relic",)))) == ours


def test_a_peer_of_another_version_hides_nothing() -> None:
    before, after = run(KERNELS, NOISY, 1), run(KERNELS, NOISY, 2)
    after = slowed(slowed(after, 2.0, starting=("onetbb",)), 1.3, starting=("relic",))
    assert named(changes(before, after)) >= {"relic", "relic-paper", "onetbb"}


def test_what_the_variance_between_runs_is_from() -> None:
    def bases(layout: Layout) -> dict[str, str]:
        found = changes(run(layout, QUIET, 1), run(layout, QUIET, 2))
        return {change.pair.before.runtime: change.basis for change in found}

    assert bases(KERNELS) == {
        runtime: "experiment" if runtime == "serial" else "beside" for runtime in KERNELS.runtimes
    }
    # A row is not among those beside itself.
    three = bases(only(HANDOFF, "relic (spin)", "boost-spsc", "atomic-queue", "moodycamel-rw"))
    assert three.pop("relic (spin)") == "beside"
    assert set(three.values()) == {"experiment"}
    # The two peers have one beside them, and of their own kind enough in other cases.
    two = bases(only(KERNELS, "serial", "relic", "onetbb", "taskflow"))
    assert set(two.values()) == {"experiment"}
    one_case = bases(only(KERNELS, "serial", "relic", "onetbb", "taskflow", cases=1))
    assert set(one_case.values()) == {"assumed"}
    assert set(bases(WAITING).values()) == {"assumed"}


def test_without_controls_beside_it_a_change_has_to_leave_the_spread_of_all() -> None:
    layout = only(KERNELS, "serial", "relic", "onetbb", "taskflow")
    before, after = run(layout, QUIET, 1), run(layout, QUIET, 2)
    assert named(changes(before, slowed(after, 1.3, starting=("relic",)))) == {"relic"}
    # Drift of all ratios: nothing is taken off, but the controls say that it is usual here.
    drifted = slowed(after, 0.7, starting=("serial",))
    assert "relic" not in named(changes(before, drifted))


def test_without_any_controls_a_change_has_to_be_more_than_usual_drift() -> None:
    before, after = run(WAITING, QUIET, 1), run(WAITING, QUIET, 2)
    assert named(changes(before, slowed(after, 1.3))) == set(WAITING.runtimes)
    # Nor is it told from rows that go their own ways.
    loud = Noise(of_run=0.2)
    assert named(changes(run(WAITING, loud, 1), run(WAITING, loud, 2))) == set()


def test_one_row_has_welchs_interval_and_usual_drift() -> None:
    generator = np.random.default_rng(1)
    numbers = [generator.lognormal(2, 0.1, size).tolist() for size in (5, 9)]
    row = run(only(WAITING, "relic (spin)", cases=1), QUIET, 1)[0]
    pair = Pair(*(replace(row, samples=samples) for samples in numbers))
    (change,) = changes_of([pair])
    welch = stats.ttest_ind(*(np.log(samples) for samples in numbers), equal_var=False)
    mean = float(np.log(numbers[1]).mean() - np.log(numbers[0]).mean())
    within = (mean / welch.statistic) ** 2
    whole = within + USUAL_DRIFT**2
    freedom = welch.df * (whole / within) ** 2
    half = math.sqrt(whole) * stats.t.isf(0.025, freedom)
    assert change.change == pytest.approx(math.exp(mean))
    assert change.interval == pytest.approx((math.exp(mean - half), math.exp(mean + half)))


def test_a_row_is_picked_just_if_its_interval_leaves_out_no_change() -> None:
    found = changes(
        run(KERNELS, NOISY, 1), slowed(run(KERNELS, NOISY, 2), 1.12, starting=("relic",))
    )
    assert 5 < sum(change.named for change in found) < len(found) / 2
    for change in found:
        if abs(math.log(change.change)) > math.log1p(LEAST_CHANGE):
            assert change.named == (not change.interval[0] <= 1 <= change.interval[1])


def test_what_is_too_small_is_not_named_however_sure() -> None:
    before = run(KERNELS, NONE, 1)
    assert all(change.interval == pytest.approx((1, 1)) for change in changes(before, before))
    small, large = 1 + LEAST_CHANGE / 1.01, 1 + LEAST_CHANGE * 1.01
    assert named(changes(before, slowed(before, small, starting=("relic-paper",)))) == set()
    for factor in (large, 1 / large):
        after = slowed(before, factor, starting=("relic-paper",))
        assert named(changes(before, after)) == {"relic-paper"}


def test_surely_slower_is_a_whole_interval() -> None:
    found = changes(
        run(KERNELS, NOISY, 1), slowed(run(KERNELS, NOISY, 2), 1.2, starting=("relic",))
    )
    relic = next(change for change in found if change.pair.before.runtime == "relic")
    low = relic.interval[0] - 1
    assert 0 < low < relic.change - 1
    assert relic.is_slower_than(low - 0.001)
    assert not relic.is_slower_than(low + 0.001)
    assert not replace(relic, named=False).is_slower_than(0)


def test_hardly_any_rounds_make_a_wide_interval_and_no_error() -> None:
    layout = replace(KERNELS, rounds=2)
    wild = Noise(of_round=0, of_sample=3, of_run=0)
    found = changes(run(layout, wild, 1), run(layout, wild, 2))
    assert all(math.isfinite(change.interval[1]) for change in found)
    assert named(found) == set()
    assert changes_of([]) == []
