# SPDX-License-Identifier: Apache-2.0
"""The terminal's tables."""

import io
import re

import pytest
from conftest import changed
from rich.console import Console

from finegrain_lab.experiments.relic_kernels import RELIC_KERNELS
from finegrain_lab.show import terminal
from finegrain_lab.show.result import Result


def printed(result: Result, width: int) -> str:
    file = io.StringIO()
    terminal.print_result(Console(file=file, width=width), RELIC_KERNELS, result)
    return file.getvalue()


@pytest.mark.parametrize("width", [100, 160])
def test_no_cell_is_cut_and_no_line_is_too_long(result: Result, width: int) -> None:
    text = printed(result, width)
    assert "…" not in text
    assert all(len(line) <= width for line in text.splitlines())
    assert ("±" in text) == (width == 160)


def test_the_best_of_each_column_is_marked_once(result: Result) -> None:
    text = printed(result, 100)
    rows = [line for line in text.splitlines() if re.match(r" \S+ +\d", line)]
    marked = [line for line in rows if "*" in line]
    assert all(line.startswith(" relic ") for line in marked)
    assert [line.count("*") for line in marked] == [9, 10]  # kernels and two means; spin cases


def test_shares_and_break_even_are_shown(result: Result) -> None:
    text = printed(result, 100)
    assert re.search(r"^ serial .* 0% *$", text, re.MULTILINE)
    assert re.search(r"^ onetbb .* 75% *$", text, re.MULTILINE)
    assert re.search(r"^ relic .* 10ns *$", text, re.MULTILINE)
    assert re.search(r"^ taskflow .* - *$", text, re.MULTILINE)


def test_text_from_elsewhere_is_no_markup(result: Result) -> None:
    text = printed(changed(result, notes={"relic": ["[red]x[/red]"]}), 100)
    assert "relic: [red]x[/red]" in text


def test_a_floor_that_moved_is_told(result: Result) -> None:
    steady = changed(result, floor_samples=[100.0, 110.0, 120.0])
    moved = changed(result, floor_samples=[80.0, 85.0, 300.0, 320.0])
    assert "the floor moved" not in printed(steady, 100)
    assert "the floor moved during the run" in printed(moved, 100)
    assert re.search(r"102 to 118\s+in the middle\s+80 % of 3 batches", printed(steady, 100))
