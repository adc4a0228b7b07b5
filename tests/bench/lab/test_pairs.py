# SPDX-License-Identifier: Apache-2.0
"""Which rows two runs both have, and by which number each is compared."""

from dataclasses import replace

import pytest

from finegrain_lab.show.measurements import Measurement, is_ours
from finegrain_lab.show.pairs import Pair, match

TIMES = {
    "serial": [2.0, 4.0],
    "gnu-openmp": [8.0, 8.0],
    "ceiling": [1.0, 2.0],
    "finegrain-spsc": [1.0, 3.0],
}


def row(
    runtime: str, samples: list[float], reference: str | None = None, size: str = ""
) -> Measurement:
    return Measurement(
        experiment="omp",
        case="fib",
        runtime=runtime,
        ours=is_ours(runtime),
        default=False,
        samples=samples,
        reference=reference,
        reference_samples=TIMES.get(reference or "", ()),
        size=size,
    )


SERIAL = row("serial", TIMES["serial"])
GNU = row("gnu-openmp", TIMES["gnu-openmp"], "serial")
CEILING = row("ceiling", TIMES["ceiling"], "serial")


def test_rows_are_matched_by_all_that_tells_them_apart() -> None:
    peer, gone, new = row("onetbb", [1.0, 3.0]), row("taskflow", [1.0]), row("hpx", [1.0])
    small, large = (row("pool-a", [1.0, 2.0], size=size) for size in ("10 rows", "20 rows"))
    rows = match([SERIAL, gone, small, peer], [new, peer, large, SERIAL])
    assert [pair.before.runtime for pair in rows.both] == ["serial", "onetbb"]
    assert rows.only_before == [gone]
    assert rows.only_after == [new]
    assert rows.of_another_size == [small]
    other = match([replace(peer, case="sort")], [replace(peer, experiment="bots")])
    assert (len(other.both), len(other.only_before), len(other.only_after)) == (0, 1, 1)


@pytest.mark.parametrize(
    ("rows", "yardstick", "numbers"),
    [
        ([SERIAL], None, [2.0, 4.0]),
        ([row("relic", [1.0, 1.0], "serial"), SERIAL], "serial", [0.5, 0.25]),
        # A peer is compared itself: what counts is what that is held against.
        ([row("gnu-openmp+finegrain:a", [2.0, 1.0], "gnu-openmp"), GNU], "serial", [1.0, 0.25]),
        ([row("pool-a", [2.0, 1.0], "ceiling"), CEILING, SERIAL], "serial", [1.0, 0.25]),
        # And without that, its time.
        (
            [row("gnu-openmp+finegrain:a", [2.0, 1.0], "gnu-openmp"), replace(GNU, reference=None)],
            *(None, [2.0, 1.0]),
        ),
        ([row("boost-spsc", [2.0, 1.0], "finegrain-spsc")], None, [2.0, 1.0]),
        # The file has no times of the floor in these rounds.
        ([row("relic", [2.0, 1.0], "floor-one-line (spin)")], None, [2.0, 1.0]),
    ],
)
def test_a_number_is_over_what_is_not_compared_itself(
    rows: list[Measurement], yardstick: str | None, numbers: list[float]
) -> None:
    pair = match(rows, rows).both[0]
    assert pair.yardstick == yardstick
    assert pair.numbers == (numbers, numbers)


def test_a_number_is_a_time_where_one_of_the_runs_has_no_other() -> None:
    over_serial = row("relic", [1.0, 1.0], "serial")
    over_ceiling = row("relic", [1.0, 1.0], "ceiling")
    over_nothing = replace(over_serial, reference_samples=())
    for other in (over_ceiling, over_nothing):
        for pair in (Pair(over_serial, other), Pair(other, over_serial)):
            assert pair.numbers == ([1.0, 1.0], [1.0, 1.0])


@pytest.mark.parametrize("samples", [[1.0], [1.0, 0.0], [1.0, -2.0]])
def test_what_has_no_logarithms_or_no_spread_is_not_compared(samples: list[float]) -> None:
    whole, other = row("onetbb", [1.0, 2.0]), row("onetbb", samples)
    assert Pair(whole, whole).is_comparable
    assert not Pair(whole, other).is_comparable
    assert not Pair(other, whole).is_comparable


def test_the_oracle_is_left_out_since_it_is_a_row_of_ours_where_it_hands_over() -> None:
    always, serial_arm = row("relic-always", [5.0, 6.0]), row("oracle", [1.0, 2.0])
    hands_over = replace(row("oracle", [5.0, 6.0]), case="sort")
    handed_over = replace(always, case="sort")
    plain, derived = [always, serial_arm], [always, serial_arm, handed_over, hands_over]
    assert [pair.before.runtime for pair in match(plain, plain).both] == ["relic-always", "oracle"]
    for before, after in ((plain, derived), (derived, plain)):
        rows = match(before, after)
        assert [pair.before.runtime for pair in rows.both] == ["relic-always"]
        alone = rows.only_before + rows.only_after
        assert [each.runtime for each in alone] == ["relic-always"]
