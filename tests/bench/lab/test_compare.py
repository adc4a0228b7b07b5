# SPDX-License-Identifier: Apache-2.0
"""The command `compare`: two folders in, what changed between them out."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import Lab, WholeRun, changed, expect_one_line, rows_of, save, with_rows

from finegrain_lab.show.result import Result

Runs = Callable[..., tuple[Path, Path]]


def noisy(result: Any, seed: int, slower: dict[str, float] | None = None) -> Any:
    """Returns the result with twelve rounds of a quiet host; runtimes that start so are slower."""
    draw = np.random.default_rng(seed)

    def samples(row: Any) -> list[float]:
        factor = next((f for at, f in (slower or {}).items() if row.runtime.startswith(at)), 1.0)
        ns = row.samples[0] * factor
        return [
            float(each) for each in ns * draw.lognormal(0, 0.003) * draw.lognormal(0, 0.005, 12)
        ]

    rows = [changed(row, samples=samples(row)) for row in rows_of(result)]
    return with_rows(result, rows)


@pytest.fixture(scope="session")
def handoff(whole: WholeRun) -> Any:
    return whole("handoff").result


@pytest.fixture(scope="session")
def waiting(whole: WholeRun) -> Any:
    return whole("waiting").result


@pytest.fixture
def runs(result: Result, handoff: Any, tmp_path: Path) -> Runs:
    """Writes two runs of both experiments, the second as it is told."""

    def write(slower: dict[str, float] | None = None, **host: Any) -> tuple[Path, Path]:
        folders = tmp_path / "a", tmp_path / "b"
        for seed, folder in enumerate(folders):
            folder.mkdir(exist_ok=True)
            for whole in (result, handoff):
                run = noisy(whole, seed, slower if seed else None)
                if seed and host:
                    run = changed(run, host=changed(run.host, **host))
                save(folder, run)
        return folders

    return write


def change_in(folder: Path, experiment: str, change: Callable[[Any], None]) -> None:
    path = folder / f"{experiment}.json"
    said = json.loads(path.read_text())
    change(said)
    path.write_text(json.dumps(said))


def test_two_runs_of_the_same(lab: Lab, runs: Runs, capsys: pytest.CaptureFixture[str]) -> None:
    assert lab("compare", *runs(), "--fail-on-regression", "5%") == 0
    output = " ".join(capsys.readouterr().out.split())
    assert "relic-kernels: 0 of 187 rows changed" in output
    assert "handoff: 0 of 95 rows changed" in output
    assert "0 of 282 rows changed; of ours 0 slower, 0 faster" in output
    assert "any row at all would be named with a probability of at most 5 %" in output
    assert "0 rows of ours surely slower by more than 5 %" in output
    assert "differ" not in output
    assert "only in" not in output


def test_what_got_slower_is_shown_and_fails(
    lab: Lab, runs: Runs, capsys: pytest.CaptureFixture[str]
) -> None:
    folders = runs({"relic-paper": 1.0, "relic": 1.2})
    assert lab("compare", *folders, "--fail-on-regression", "5%") == 1
    output = capsys.readouterr().out
    assert "relic-kernels: 17 of 187 rows changed" in output
    assert "handoff: 39 of 95 rows changed" in output
    assert "56 rows of ours surely slower by more than 5 %" in output
    rows = [line.split() for line in output.splitlines() if " spin-1us " in line]
    assert [row[:3] for row in rows] == [["relic", "spin-1us", "serial"]]
    before, after = map(float, rows[0][3:5])
    assert (before, after) == pytest.approx((1 / 1.6, 1.2 / 1.6), rel=0.01)
    # A limit that no row is surely beyond; and none at all.
    assert lab("compare", *folders, "--fail-on-regression", "40 %") == 0
    assert lab("compare", *folders) == 0
    assert "surely" not in capsys.readouterr().out.split("40 %")[1]


@pytest.mark.parametrize(
    ("slower", "changed"),
    [({"onetbb": 1.5}, "17 of 187 rows"), ({"relic": 0.7}, "of ours 0 slower, 86 faster")],
)
def test_a_slower_peer_and_faster_rows_of_ours_do_not_fail(
    lab: Lab, runs: Runs, capsys: pytest.CaptureFixture[str], slower: dict[str, float], changed: str
) -> None:
    assert lab("compare", *runs(slower), "--fail-on-regression", "5%") == 0
    assert changed in capsys.readouterr().out


def test_all_shows_the_unchanged_rows_too(
    lab: Lab, runs: Runs, capsys: pytest.CaptureFixture[str]
) -> None:
    folders = runs()
    assert lab("compare", *folders) == 0
    assert "onetbb" not in capsys.readouterr().out
    assert lab("compare", *folders, "--all") == 0
    output = capsys.readouterr().out
    assert sum(" onetbb " in line for line in output.splitlines()) == 17
    assert "…" not in output
    assert all(len(line) <= 100 for line in output.splitlines())


def test_json_has_every_row(lab: Lab, runs: Runs, capsys: pytest.CaptureFixture[str]) -> None:
    folders = runs({"relic-paper": 1.0, "relic": 1.2})
    assert lab("compare", *folders, "--json", "--fail-on-regression", "5%") == 1
    said = json.loads(capsys.readouterr().out)
    assert (said["confidence"], said["only_before"], said["only_after"]) == (0.95, [], [])
    kernels = said["experiments"][0]
    assert kernels["experiment"] == "relic-kernels"
    assert len(kernels["rows"]) == 187
    row = next(row for row in kernels["rows"] if (row["case"], row["runtime"]) == ("bc", "relic"))
    assert (row["ours"], row["default"], row["named"]) == (True, True, True)
    assert (row["yardstick"], row["basis"]) == ("serial", "beside")
    assert row["interval"][0] < row["change"] < row["interval"][1]
    assert row["change"] == pytest.approx(1.2, rel=0.05)
    assert row["before"] == pytest.approx(1 / 1.6, rel=0.05)


def test_where_and_how_the_runs_were_made_comes_first(
    lab: Lab, runs: Runs, capsys: pytest.CaptureFixture[str]
) -> None:
    folders = runs(cpu="Another [red]CPU[/red]", compiler="gcc 99", commit="0123456789abcdef")
    change_in(folders[1], "handoff", lambda said: said.update(mode="full"))
    change_in(folders[1], "relic-kernels", lambda said: said["settings"].update(peers="default"))
    assert lab("compare", *folders) == 0
    output = " ".join(capsys.readouterr().out.split())
    assert "the machines differ (CPU): what differs below may be the machine's" in output
    assert (
        "the runs differ in compiler, mode, relic-kernels: peers: what differs below may come of"
    ) in output
    assert "Another [red]CPU[/red]" in output
    assert "gcc 99" in output
    assert "0123456789ab " in output
    assert "quick quick; full" in output
    assert output.index("gcc 99") < output.index("relic-kernels: 0 of")


def test_what_only_one_has_is_told(
    lab: Lab, runs: Runs, capsys: pytest.CaptureFixture[str]
) -> None:
    a, b = runs()
    (a / "handoff.json").unlink()

    def without_onetbb(said: Any) -> None:
        said["results"] = [row for row in said["results"] if row["runtime"] != "onetbb"]

    change_in(b, "relic-kernels", without_onetbb)
    assert lab("compare", a, b) == 0
    output = " ".join(capsys.readouterr().out.split())
    assert f"only in {a}: onetbb (17 rows)" in output
    assert f"only in {b}: handoff" in output
    assert lab("compare", b, a) == 0
    output = " ".join(capsys.readouterr().out.split())
    assert f"only in {a}: onetbb (17 rows)" in output
    assert f"only in {b}: handoff" in output


def test_rows_that_can_not_be_compared_are_counted(
    lab: Lab, whole: WholeRun, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    omp = whole("omp").result
    for seed, name in enumerate("ab"):
        (tmp_path / name).mkdir()
        save(tmp_path / name, noisy(omp, seed))

    def with_an_overhead_below_0(said: Any) -> None:
        rows = (row for row in said["results"] if row["case"] == "region-overhead")
        next(rows)["samples"][0] = -1.0

    def of_another_size(said: Any) -> None:
        said["settings"]["sizes"]["sort"] = [9]

    change_in(tmp_path / "a", "omp", with_an_overhead_below_0)
    change_in(tmp_path / "b", "omp", of_another_size)
    assert lab("compare", tmp_path / "a", tmp_path / "b") == 0
    output = " ".join(capsys.readouterr().out.split())
    assert "omp: 0 of 77 rows changed" in output
    assert "1 row without a ratio: a time of 0 or less, or a single round" in output
    assert "10 rows of another size: not compared" in output


@pytest.mark.parametrize(
    ("arguments", "text", "status"),
    [
        (("a", "a"), "are the same folder", 2),
        (("a", "b/../a"), "are the same folder", 2),
        (("a",), "Missing argument 'AFTER'", 2),
        (("a", "nothing"), "no result in", 1),
        (("a", "a/relic-kernels.json"), "no result in", 1),
        (("a", "b", "--fail-on-regression", "much"), "wants a share like 5%, not 'much'", 2),
        (("a", "b", "--fail-on-regression", "-5%"), "wants a share like 5%, not '-5%'", 2),
        (("a", "b", "--fail-on-regression", "."), "wants a share like 5%, not '.'", 2),
        (("a", "other"), "has relic-kernels, handoff,", 1),
        (("a", "broken"), "handoff.json is not a result file of this lab", 1),
    ],
)
def test_what_can_not_be_compared_is_told_in_one_line(
    lab: Lab,
    runs: Runs,
    waiting: Any,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    arguments: tuple[str, ...],
    text: str,
    status: int,
) -> None:
    runs()
    monkeypatch.chdir(tmp_path)
    for name in ("nothing", "other", "broken"):
        (tmp_path / name).mkdir()
    (tmp_path / "broken/handoff.json").write_text("{")
    save(tmp_path / "other", waiting)
    assert lab("compare", *arguments) == status
    expect_one_line(capsys, text)
