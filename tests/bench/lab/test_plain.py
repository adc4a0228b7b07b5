# SPDX-License-Identifier: Apache-2.0
"""What runs where there is no more than Python: its table, its options, what it says."""

import argparse
from pathlib import Path

import pytest
from conftest import Lab, WholeRun
from fakes import CRASH, FakeBuild

from finegrain_lab.experiments import EXPERIMENTS, experiment_of
from finegrain_lab.run import __main__ as runner
from finegrain_lab.run.experiment import Experiment
from finegrain_lab.run.plain_table import table_in
from finegrain_lab.show.tables import number_text


def cells_of(text: str) -> list[list[str]]:
    return [line.split() for line in text.splitlines()]


def test_a_line_has_a_row_s_medians(whole: WholeRun) -> None:
    run = whole("relic-kernels")
    lines = cells_of(table_in(run.path, experiment_of("relic-kernels")))
    assert lines[0][:2] == ["relic-kernels,", "quick:"]
    assert lines[1] == ["case", "runtime", "ns", "speedup"]
    for row in run.result.rows:
        speedup = [] if row.speedup is None else [number_text(row.speedup)]
        assert [row.case, row.runtime, number_text(row.ns), *speedup] in lines
    rest = lines[2 + len(run.result.rows) :]
    assert [line[:3] for line in rest if line] == [["opencilk:", "not", "installed:"]]


@pytest.mark.parametrize("experiment", EXPERIMENTS, ids=lambda it: it.name)
def test_every_experiment_has_one(experiment: Experiment, whole: WholeRun) -> None:
    lines = table_in(whole(experiment.name).path, experiment).splitlines()
    header = next(line for line in lines if line.startswith("case"))
    assert header.split()[-1] == [*experiment.numbers, *experiment.ratios][-1]
    assert len(lines) > lines.index(header) + 1


def test_columns_tell_rows_apart(whole: WholeRun) -> None:
    lines = cells_of(table_in(whole("sync").path, experiment_of("sync")))
    assert lines[1][:3] == ["case", "runtime", "threads"]


def test_the_table_is_printed_ahead_of_the_file_s_name(
    lab: Lab, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    del lab  # what it is made of holds here, too
    build = FakeBuild(tmp_path / "b", {"taskflow": CRASH})
    out = tmp_path / "out"
    arguments = ["relic-kernels", "--cases", "bc", "--out", str(out)]
    assert runner.main(arguments, "lab", build.folder) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[-1] == str(out / "relic-kernels.jsonl")
    assert any(line.split()[:2] == ["bc", "relic"] for line in lines)
    assert any(line.startswith("taskflow: failed on bc: ") for line in lines)


def test_every_option_says_what_it_is_for() -> None:
    parser = runner._parser("lab", Path("build"))
    silent = [it.dest for it in parser._actions if not it.help or it.help == argparse.SUPPRESS]
    assert silent == []


@pytest.mark.parametrize(
    ("option", "value", "text"),
    [
        ("--cpus", "0", "wants two CPU numbers, MAIN,ASSISTANT, not '0'"),
        ("--cpus", "0,x", "wants two CPU numbers, MAIN,ASSISTANT, not '0,x'"),
        ("--threads", "1,0", "wants numbers with commas between them, not '1,0'"),
        ("--cases", "bc,", "wants names with commas between them, not 'bc,'"),
    ],
)
def test_a_value_that_is_none_is_told(
    option: str, value: str, text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        runner.main(["sync", option, value], "lab", Path("build"))
    assert ended.value.code == 2
    assert capsys.readouterr().err.splitlines()[-1] == f"lab: error: argument {option}: {text}"
