# SPDX-License-Identifier: Apache-2.0
"""Where nobody beats serial: what counts there, and that every table says so."""

import dataclasses
from typing import Any

import pytest
from conftest import changed, rows_of, with_rows

from finegrain_lab.experiments import experiment_of
from finegrain_lab.experiments.relic_kernels import RELIC_KERNELS
from finegrain_lab.experiments.relic_statements import best_here
from finegrain_lab.experiments.relic_summaries import leads_of
from finegrain_lab.run.runtimes import SERIAL
from finegrain_lab.show.measurements import Measurement, is_ours, measurements_of
from finegrain_lab.show.page import ALONE
from finegrain_lab.show.report.answer import Answer, answer_lines, summary
from finegrain_lab.show.report.standings import Standings, standings_of
from finegrain_lab.show.result import Result
from finegrain_lab.show.serial import unbeaten_cases, unbeaten_lines
from finegrain_lab.show.table import make_console
from finegrain_lab.show.terminal import print_result
from finegrain_lab.show.views import page_of


def rows_on(case: str, **ns: list[float]) -> list[Measurement]:
    serial = ns.get(SERIAL, [])
    return [
        Measurement(
            *("relic-kernels", case, name, is_ours(name), name == "relic", samples, None),
            serial_samples=serial,
        )
        for name, samples in ns.items()
    ]


# Of serial's 100 ns: 0.95, but the peer takes 2.65 times as long.
BFS = rows_on("bfs", serial=[100, 100], relic=[105, 105], onetbb=[278, 278])
PR = rows_on("pr", serial=[100, 100], relic=[50, 50], onetbb=[60, 60])


def found(*rows: Measurement) -> Standings:
    standings = standings_of(rows)
    assert standings
    return standings


def test_a_win_over_a_peer_that_serial_beats_too_is_none() -> None:
    standings = found(*BFS, *PR)
    assert [case.case for case in standings.cases] == ["pr"]
    assert (standings.ahead, standings.behind, standings.level) == (1, 0, 0)
    assert standings.times == pytest.approx(1.2)
    assert standings.most.case == "pr"
    assert unbeaten_lines(standings.unbeaten) == ["nobody surely beats serial: bfs (relic 0.95)"]


def test_the_answer_counts_it_and_names_it() -> None:
    answer = Answer([found(*BFS, *PR)], {}, [])
    said = summary(answer)
    assert said.endswith(
        "Of the 2 cases it wins 1, loses 0, and 0 are too close to call; in 1 nobody surely beats "
        "serial."
    )
    lines = answer_lines(answer)
    assert "wins 1 of 2, loses 0, 1 in which nobody surely beats serial" in lines[1]
    assert lines[2] == "relic-kernels: nobody surely beats serial: bfs (relic 0.95)"


def test_an_experiment_in_which_serial_wins_all_has_no_mean() -> None:
    answer = Answer([found(*BFS)], {}, [])
    assert "on average faster in 0 of 1 experiments" in summary(answer)
    assert answer_lines(answer)[1].startswith("relic-kernels: wins 0 of 1, loses 0")
    assert not answer.compared


@pytest.mark.parametrize(
    ("ours", "lost", "level"), [([80, 100, 120], 0, 1), ([110, 110, 110], 1, 0)]
)
def test_where_another_beats_serial_a_win_must_do_so_too(
    ours: list[float], lost: int, level: int
) -> None:
    rows = {"serial": [100.0] * 3, "relic": ours, "onetbb": [2 * ns for ns in ours]}
    assert found(*rows_on("pr", **rows)).unbeaten
    rows["x-openmp-static"] = [90.0] * 3
    standings = found(*rows_on("pr", **rows))
    assert (standings.ahead, standings.behind, standings.level) == (0, lost, level)


def test_a_case_without_serial_is_as_it_was() -> None:
    standings = found(*rows_on("empty", relic=[1, 1], onetbb=[2, 2]))
    assert (standings.ahead, list(standings.unbeaten)) == (1, [])


def test_a_yardstick_that_is_faster_is_no_runtime() -> None:
    ceiling = rows_on("bfs", serial=[100, 100], ceiling=[50, 50])
    assert [each.case for each in unbeaten_cases([*BFS, *ceiling])] == ["bfs"]


def slowed(result: Result, case: str) -> Result:
    """The same result, with every runtime slower than serial on a kernel."""
    (serial,) = result.rows_of(case=case, runtime=SERIAL)
    slower = [
        changed(row, samples=[2 * serial.ns] * len(row.samples), speedup=row.speedup / 3)
        if row.case == case and row.runtime != SERIAL
        else row
        for row in result.rows
    ]
    return dataclasses.replace(result, rows=slower)


def test_the_kernels_tables_lead_with_no_loser(result: Result) -> None:
    _, increase = best_here(result, "bfs")
    # The fakes' times differ a little from process to process.
    assert float(increase.split(" %")[0]) == pytest.approx(39, abs=0.5)
    assert "bfs" in [case for case, *_ in leads_of(RELIC_KERNELS, result)]
    slow = slowed(result, "bfs")
    assert "bfs" not in [case for case, *_ in leads_of(RELIC_KERNELS, slow)]
    (said,) = unbeaten_lines(unbeaten_cases(measurements_of(experiment_of("relic-kernels"), slow)))
    assert "bfs" in said
    assert "cc (" not in said
    assert best_here(slow, "bfs")[1] == "no gain over serial"
    page = page_of(experiment_of("relic-kernels"), slow, ALONE)
    assert "Nobody surely beats serial: bfs" in page


@pytest.mark.parametrize("name", ["spawn", "omp"])
def test_other_tables_say_it_too(
    whole_results: dict[str, Any], name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    experiment, result = experiment_of(name), whole_results[name]
    faster = [
        changed(row, samples=[1e-3] * len(row.samples)) if row.runtime == SERIAL else row
        for row in rows_of(result)
    ]
    fast_serial = with_rows(result, faster)
    assert unbeaten_cases(measurements_of(experiment, fast_serial))
    print_result(make_console(), experiment, fast_serial)
    assert "nobody surely beats serial: " in capsys.readouterr().out
    assert "Nobody surely beats serial: " in page_of(experiment, fast_serial, ALONE)
