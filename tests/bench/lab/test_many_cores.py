# SPDX-License-Identifier: Apache-2.0
"""What was measured stands beside what was simulated of the same work, and never in its figure."""

import csv
import io
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from finegrain_lab.show.drawing import Drawing
from finegrain_lab.show.report.answer import answer_of
from finegrain_lab.show.report.document import render
from finegrain_lab.show.report.figure_files import write_figures
from finegrain_lab.show.report.many_cores import comparisons_of
from finegrain_lab.show.report.measured import Measured


@pytest.fixture
def measured(whole_results: dict[str, Any]) -> Measured:
    names = ("spawn", "omp-regions", "scaling")
    return Measured("here", {name: whole_results[name] for name in names}, {})


def points(drawing: Drawing) -> list[list[str]]:
    return list(csv.reader(io.StringIO(drawing.csv)))[1:]


def of_cpus(measured: Measured, count: int) -> Measured:
    """Returns it as if its host had so many CPUs."""
    results = {
        name: replace(result, host=replace(result.host, cpus_allowed=list(range(count))))
        for name, result in measured.results.items()
    }
    return replace(measured, results=results)


def test_bands_and_curves_have_figures_of_their_own(measured: Measured) -> None:
    fib, regions = comparisons_of([measured])
    assert [drawing.name for drawing in fib.drawings] == ["fib-simulated", "fib-measured"]
    assert [drawing.name for drawing in regions.drawings][1] == "regions-measured"
    assert {line[0].split(", ")[1] for line in points(fib.band)} == {"simulated"}
    assert {line[0].split(", ")[1] for line in points(fib.curves[0])} == {"measured"}
    assert "measured on here" in fib.curves[0].caption


def test_a_curve_has_the_measured_numbers(measured: Measured) -> None:
    fib, regions = comparisons_of([of_cpus(measured, 4)])
    rows = measured.results["spawn"].rows_of(case="fib", runtime="pool-private_deque")
    own = [line for line in points(fib.curves[0]) if line[0].startswith("private_deque")]
    assert [int(line[1]) for line in own] == [row.threads for row in rows]
    assert [float(line[2]) for line in own] == pytest.approx([row.value for row in rows])
    rows = measured.results["omp-regions"].rows_of(case="parallel", runtime="finegrain-clang")
    rows = [row for row in rows if row.threads <= 4]
    own = points(regions.curves[0])
    assert [int(line[1]) for line in own] == [row.threads for row in rows]
    expected = [row.ns / row.threads for row in rows]
    assert [float(line[2]) for line in own] == pytest.approx(expected)


def test_every_host_has_its_curve_beside_one_band(measured: Measured, tmp_path: Path) -> None:
    without = {name: it for name, it in measured.results.items() if name != "scaling"}
    hosts = [Measured("large", without, {}), measured]
    found = comparisons_of(hosts)
    assert [len(each.curves) for each in found] == [2, 2]
    answers = [answer_of(host) for host in hosts]
    assert 'id="many-cores"' in render(hosts, answers, found)
    write_figures(tmp_path, hosts, answers, found)
    assert (tmp_path / "many-cores-fib-simulated.svg").exists()
    assert (tmp_path / "many-cores-fib-measured-1.csv").exists()
    assert (tmp_path / "many-cores-fib-measured-2.csv").exists()


def test_nothing_stands_beside_nothing(measured: Measured) -> None:
    without = {name: it for name, it in measured.results.items() if name != "scaling"}
    hosts = [Measured("here", without, {})]
    assert comparisons_of(hosts) == []
    assert 'id="many-cores"' not in render(hosts, [answer_of(hosts[0])], [])
    alone = Measured("here", {"scaling": measured.results["scaling"]}, {})
    assert comparisons_of([alone]) == []
