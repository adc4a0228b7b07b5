# SPDX-License-Identifier: Apache-2.0
"""No ratio is a number where its interval says nothing, or without a mark where it is disturbed."""

import dataclasses
import io
import re
from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from conftest import changed, with_rows
from rich.console import Console

from finegrain_lab.experiments import EXPERIMENTS, experiment_of
from finegrain_lab.experiments.relic_cases import KERNELS
from finegrain_lab.experiments.relic_kernels import RELIC_KERNELS
from finegrain_lab.experiments.relic_statements import averages, increases
from finegrain_lab.experiments.relic_summaries import of_bound, over
from finegrain_lab.run.beside import Beside
from finegrain_lab.show import terminal
from finegrain_lab.show.ratios import MARK
from finegrain_lab.show.result import Result
from finegrain_lab.show.tables import UNSURE, ratio_text
from finegrain_lab.show.terminal import print_result
from finegrain_lab.show.views import page_of

CELL = rf"\b{UNSURE}\b(?!:)"
NAMES = [experiment.name for experiment in EXPERIMENTS]
DISTURBED = Beside(
    cpus=[0, 1], foreign=[0.9, 0, 0], stolen=[0, 0, 0], disturbed=[0], repeated=0, left_out=0
)


def disturbed(result: Any) -> Any:
    return changed(result, beside=DISTURBED)


def header_lines(result: Result) -> list[str]:
    return terminal.header_lines(RELIC_KERNELS, result)


def printed(result: Any, width: int = 100) -> str:
    file = io.StringIO()
    print_result(Console(file=file, width=width), experiment_of(result.experiment), result)
    return file.getvalue()


def rows_of(text: str) -> list[str]:
    """Returns the rows of all tables that have a number: below the rule, down to an empty line."""
    rows: list[str] = []
    is_within = False
    for line in text.splitlines():
        is_within = "\N{BOX DRAWINGS LIGHT HORIZONTAL}" in line or (
            is_within and line.strip() != ""
        )
        if is_within and re.search(r"\d", line):
            rows.append(line)
    return rows


def with_samples(result: Result, times: Mapping[str, Sequence[float]]) -> Result:
    """Returns the result with these rounds of all kernels."""
    rows = [
        changed(row, samples=list(times[row.runtime]))
        if row.runtime in times and row.case in KERNELS
        else row
        for row in result.rows
    ]
    return dataclasses.replace(result, rows=rows)


def with_interval(result: Result, case: str, runtime: str, ci95: tuple[float, float]) -> Result:
    rows = [
        changed(row, speedup_ci95=ci95) if (row.case, row.runtime) == (case, runtime) else row
        for row in result.rows
    ]
    return dataclasses.replace(result, rows=rows)


@pytest.mark.parametrize(
    ("ratio", "ci95", "text"),
    [
        (1.234, (1.2, 1.3), "1.23"),
        (1.0, (0.5, 1.5), "1.00"),  # as wide as itself
        (1.0, (0.5, 1.51), UNSURE),
        (4.38, (1.0, 9.0), UNSURE),
        (None, None, ""),
    ],
)
def test_a_ratio_without_a_sure_interval_is_no_number(
    ratio: float | None, ci95: tuple[float, float] | None, text: str
) -> None:
    assert ratio_text(ratio, ci95) == text


def test_an_unsure_cell_is_a_word_in_table_and_report(result: Result) -> None:
    before = with_interval(result, "bc", "relic", (1.5, 1.7))
    after = with_interval(result, "bc", "relic", (0.5, 9.7))
    assert before.row(case="bc", runtime="relic") is not None
    for text in (printed(before), page_of(experiment_of("relic-kernels"), before)):
        assert len(re.findall(CELL, text)) == 0
    assert len(re.findall(CELL, printed(after))) == 1
    assert f"<td>{UNSURE}<small>0.50" in page_of(experiment_of("relic-kernels"), after)
    assert f"{UNSURE}: the 95 % interval is wider than the ratio itself" in printed(after)
    # The next one is the best of those that are known.
    assert re.search(r"^ relic-paper +\d\.\d\d\*", printed(after), re.MULTILINE)


def test_the_headline_is_taken_pair_by_pair(result: Result) -> None:
    # The host is twice as slow in the second round: the ratios of the round do not see it.
    times = {
        "serial": [1000.0, 2000.0, 1000.0],
        "relic": [800.0, 1600.0, 800.0],
        "relic-paper": [880.0, 1760.0, 880.0],
    }
    paired = with_samples(result, times)
    floors = [100.0] * 20 + [200.0] * 20 + [100.0] * 20
    paired = dataclasses.replace(paired, floor_samples=floors)
    mean = over(paired, "relic", "relic-paper")
    assert mean is not None
    assert (mean.value, *mean.ci95) == pytest.approx((1.1, 1.1, 1.1))
    share = of_bound(paired, "relic")
    assert share is not None
    assert share.value == pytest.approx(1.25 / (2 * 500 / 600))
    assert (
        "relic, pair by pair: 0.75 [0.75, 0.75] of the bound, 1.10 [1.10, 1.10] of relic-paper"
        in header_lines(paired)
    )


def test_a_headline_that_is_not_sure_is_no_number(result: Result) -> None:
    wild = with_samples(result, {"relic-paper": [500.0, 9000.0, 70000.0]})
    (line,) = [line for line in header_lines(wild) if line.startswith("relic, pair")]
    assert re.search(UNSURE + r" \[[\d.]+, [\d.]+\] of relic-paper$", line)
    assert averages(wild)  # the peers' are as they were


def test_a_mean_that_is_not_sure_is_no_number(result: Result) -> None:
    wild = with_samples(result, {"onetbb": [500.0, 9000.0, 70000.0]})
    (row,) = re.findall(r"^ onetbb .*\d%", printed(wild), re.MULTILINE)[:1]
    assert row.count(UNSURE) == 2
    told = {line.what: line.here for line in averages(wild)}
    assert told["oneTBB"] == UNSURE
    told = {line.what: line.here for line in increases(wild)}
    assert told["oneTBB"] == UNSURE


def test_without_all_kernels_there_is_no_headline(result: Result) -> None:
    few = with_rows(result, [row for row in result.rows if row.case != "bc"])
    assert of_bound(few, "relic") is None
    assert over(few, "relic", "relic-paper") is None


@pytest.mark.parametrize("name", NAMES)
def test_every_number_of_a_disturbed_result_is_marked(
    whole_results: dict[str, Any], pages: dict[str, str], name: str
) -> None:
    quiet = whole_results[name]
    found = disturbed(quiet)
    assert f"{MARK}: something else ran" not in printed(quiet)
    text = printed(found)
    assert f"{MARK}: something else ran while this was measured" in text
    rows = rows_of(text)
    assert rows
    assert [row for row in rows if not row.startswith(f" {MARK} ")] == []
    assert "*" not in "".join(rows)
    page = page_of(experiment_of(name), found)
    assert not re.search(r"<td>[\d.]+<small>", page)
    assert re.search(r"<td[^>]*>[\d.]+\?<small>", page)
    assert re.search(r"<td[^>]*>[\d.]+<small>", pages[name])


@pytest.mark.parametrize("width", [100, 160])
def test_no_marked_cell_is_cut_and_no_line_is_too_long(result: Result, width: int) -> None:
    unsure = with_interval(result, "bc", "relic", (0.5, 9.7))
    for case in (*KERNELS, *result.cases):
        unsure = with_interval(unsure, case, "taskflow", (0.1, 9.7))
    unsure = with_samples(unsure, {"taskflow": [500.0, 9000.0, 70000.0]})
    text = printed(disturbed(unsure), width)
    assert "…" not in text
    assert all(len(line) <= width for line in text.splitlines())


def test_the_headline_and_the_leads_of_a_disturbed_result_are_marked(result: Result) -> None:
    lines = header_lines(disturbed(result))
    (headline,) = [line for line in lines if "relic, pair" in line]
    assert headline.startswith(f"{MARK} relic")
