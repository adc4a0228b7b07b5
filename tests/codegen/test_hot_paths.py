# SPDX-License-Identifier: Apache-2.0
"""The hot paths' instructions are those that were looked at, and no more than those."""

import difflib
import re

import hot_paths
import pytest
from hot_paths import COMMAND, LISTING


def test_instructions_are_those_that_were_read() -> None:
    then, now = LISTING.read_text().splitlines(), hot_paths.listing().splitlines()
    difference = "\n".join(difflib.unified_diff(then, now, "expected", "now", lineterm="", n=2))
    if difference:
        pytest.fail(
            f"clang {hot_paths.compiler()} makes something else of the hot paths; if that is meant:"
            f" {COMMAND}\n{difference}",
            pytrace=False,
        )


def test_owner_of_a_deque_pays_no_fence_and_no_call() -> None:
    listing = hot_paths.listing()
    for function in ("deque_push", "deque_pop"):
        body = re.findall(rf"^{function}:\n(.*?)(?=^\w|\Z)", listing, flags=re.M | re.S)[0]
        assert "retq" in body
        assert re.findall(r"lock|xchg|fence|call", body) == []


def test_no_path_takes_more_instructions_than_its_budget() -> None:
    now, allowed = hot_paths.counts(), hot_paths.budgets()
    assert now.keys() == allowed.keys()
    wrong = [
        f"{path}: {count} instructions, {'more' if count > allowed[path] else 'fewer'} than the"
        f" {allowed[path]} that are allowed"
        for path, count in now.items()
        if count != allowed[path]
    ]
    if wrong:
        pytest.fail("; ".join(wrong) + f"; if that is meant: {COMMAND}", pytrace=False)
