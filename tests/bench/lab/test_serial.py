# SPDX-License-Identifier: Apache-2.0
"""Where nobody beats serial: what counts there, and that every table says so."""

from typing import Any

import pytest

from finegrain_lab.experiments import experiment_of
from finegrain_lab.measurements import Measurement, is_ours
from finegrain_lab.page import ALONE
from finegrain_lab.relic_kernels.report import kernel_bests
from finegrain_lab.relic_kernels.results import Result as RelicKernels
from finegrain_lab.relic_kernels.table import footer_lines, leads_of
from finegrain_lab.report.answer import Answer, answer_lines, summary
from finegrain_lab.report.standings import Standings, standings_of
from finegrain_lab.runtimes import SERIAL
from finegrain_lab.serial import unbeaten_cases, unbeaten_lines
from finegrain_lab.table import make_console


def rows_of(case: str, **ns: list[float]) -> list[Measurement]:
    serial = ns.get(SERIAL, [])
    return [
        Measurement(
            *("relic-kernels", case, name, is_ours(name), name == "relic", samples, None),
            serial_samples=serial,
        )
        for name, samples in ns.items()
    ]


# Of serial's 100 ns: 0.95, but the peer takes 2.65 times as long.
BFS = rows_of("bfs", serial=[100, 100], relic=[105, 105], onetbb=[278, 278])
PR = rows_of("pr", serial=[100, 100], relic=[50, 50], onetbb=[60, 60])


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
    assert found(*rows_of("pr", **rows)).unbeaten
    rows["x-openmp-static"] = [90.0] * 3
    standings = found(*rows_of("pr", **rows))
    assert (standings.ahead, standings.behind, standings.level) == (0, lost, level)


def test_a_case_without_serial_is_as_it_was() -> None:
    standings = found(*rows_of("empty", relic=[1, 1], onetbb=[2, 2]))
    assert (standings.ahead, list(standings.unbeaten)) == (1, [])


def test_a_yardstick_that_is_faster_is_no_runtime() -> None:
    ceiling = rows_of("bfs", serial=[100, 100], ceiling=[50, 50])
    assert [each.case for each in unbeaten_cases([*BFS, *ceiling])] == ["bfs"]


def slowed(result: RelicKernels, case: str) -> RelicKernels:
    """The same result, with every runtime slower than serial on a kernel."""
    slower = [
        row.model_copy(
            update={"samples": [2 * row.serial_ns] * len(row.samples), "speedup": row.speedup / 3}
        )
        if row.case == case and row.runtime != SERIAL
        else row
        for row in result.results
    ]
    return result.model_copy(update={"results": slower})


def test_the_kernels_tables_lead_with_no_loser(result: RelicKernels) -> None:
    (increase,) = [line.increase for line in kernel_bests(result) if line.case == "bfs"]
    # The fakes' times differ a little from process to process.
    assert float(increase.split(" %")[0]) == pytest.approx(39, abs=0.5)
    assert "bfs" in [lead.case for lead in leads_of(result)]
    slow = slowed(result, "bfs")
    assert "bfs" not in [lead.case for lead in leads_of(slow)]
    (said,) = [line for line in footer_lines(slow) if line.startswith("nobody surely beats serial")]
    assert "bfs" in said
    assert "cc (" not in said
    (line,) = [line for line in kernel_bests(slow) if line.case == "bfs"]
    assert line.increase == "no gain over serial"
    page = experiment_of("relic-kernels").page(slow, ALONE)
    assert "Nobody surely beats serial: bfs" in page


@pytest.mark.parametrize("name", ["spawn", "omp"])
def test_other_tables_say_it_too(
    whole_results: dict[str, Any], name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    experiment, result = experiment_of(name), whole_results[name]
    faster = [
        row.model_copy(update={"samples": [1e-3] * len(row.samples)})
        if row.runtime == SERIAL
        else row
        for row in result.results
    ]
    fast_serial = result.model_copy(update={"results": faster})
    assert unbeaten_cases(experiment.measurements(fast_serial))
    experiment.print_result(make_console(), fast_serial)
    assert "nobody surely beats serial: " in capsys.readouterr().out
    assert "Nobody surely beats serial: " in experiment.page(fast_serial, ALONE)
