# SPDX-License-Identifier: Apache-2.0
"""The searches on simulated ranks: their sums, that they repeat, and that the check can fail."""

import counts
import pytest


@pytest.mark.parametrize("ranks", [1, 2, 3, 16])
@pytest.mark.parametrize("tree", counts.TREES)
def test_every_number_of_ranks_finds_every_node_once(tree: str, ranks: int) -> None:
    assert counts.complaint(counts.counted(tree, ranks, seed=1)) == ""


def test_one_rank_sends_nothing() -> None:
    alone = counts.counted("T3", 1, seed=1)
    assert (alone["messages"], alone["steals"]) == (0, 0)


def test_the_same_seed_gives_the_same_counts() -> None:
    first = counts.counted("T1", 8, seed=1)
    assert counts.counted("T1", 8, seed=1) == first
    other = counts.counted("T1", 8, seed=2)
    assert {**other, "seed": 1} != first


def test_work_is_passed_on_and_costs_what_it_must() -> None:
    found = counts.counted("T3", 4, seed=1)
    assert found["ranks_without_items"] == 0
    assert found["messages"] >= 2 * found["steals"]  # a request and its answer


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({"nodes": 4}, "found 4 nodes of 5"),
        ({"items": 6}, "processed 6 nodes of 5"),
    ],
)
def test_a_wrong_sum_is_told(changes: dict[str, int], text: str) -> None:
    right = {"nodes": 5, "items": 5, "published": 5}
    assert counts.complaint(right) == ""
    assert counts.complaint({**right, **changes}) == text
