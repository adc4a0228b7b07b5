# SPDX-License-Identifier: Apache-2.0
"""The command: a whole run on fakes, and every way to be told no."""

import gzip
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import Lab, WholeRun, expect_one_line, files_below, said_in, save
from fakes import CRASH, HOW_TO_GET, KILLED, SPEEDUP_PERCENT, WRONG_RESULT, FakeBuild

from finegrain_lab.experiments.relic_cases import CASES, KERNELS
from finegrain_lab.run.errors import LabError
from finegrain_lab.show.errors import reading_out
from finegrain_lab.show.result import Result

NAME = "relic-kernels"
RUN = ("run", "relic-kernels")
FEW = ("--runtimes", "relic,gnu-openmp", "--cases", "bc,spin-1us")


def test_a_whole_run(
    lab: Lab, build: FakeBuild, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "deep/out"
    assert lab(*RUN, "--build", build.folder, "--out", out) == 0
    assert files_below(out) == ["relic-kernels.html", "relic-kernels.jsonl"]

    result = said_in(out, NAME)
    assert result["schema"] == 4
    assert result["experiment"] == "relic-kernels"
    assert result["mode"] == "quick"
    assert {(row["case"], row["runtime"]) for row in result["results"]} == {
        (case, runtime) for case in CASES for runtime in result["runtimes"]
    }
    for row in result["results"]:
        assert row.keys() >= {
            *("case", "runtime", "ns", "ns_ci95", "speedup", "speedup_ci95", "offloaded_share"),
            *("samples", "iterations", "main_cpu", "task_cpus"),
        }
        assert row["speedup_ci95"][0] <= row["speedup"] <= row["speedup_ci95"][1]
        assert len(row["samples"]) == 3
    assert result.keys() >= {"host", "floor_ns", "settings", "missing", "failed", "notes"}
    assert result.keys() >= {"floor_samples", "seconds", "rounds", "seed"}
    assert result["runtimes"] == list(SPEEDUP_PERCENT)
    assert result["missing"] == [{"runtime": "opencilk", "how_to_get": HOW_TO_GET}]
    assert result["settings"]["peers"] == "tuned"
    assert result["settings"]["environment"]["gnu-openmp"]["GOMP_SPINCOUNT"] == "infinite"
    assert result["settings"]["built"]["relic"] == {"compiler": "Fake 1", "flags": "-O3"}

    table = capsys.readouterr().out
    assert "floor 150 ns" in table
    assert re.search(r"^ ?relic +(1\.[56]\d\*? +){7}", table, re.MULTILINE)
    assert "not installed" in table
    assert HOW_TO_GET in table
    assert "built with assertions" in table
    assert str(out / "relic-kernels.html") in table


def test_the_default_mode_is_quick_and_others_are_taken(
    lab: Lab, build: FakeBuild, tmp_path: Path
) -> None:
    for option in ("--quick", "--full", "--paper"):
        assert lab(*RUN, *FEW, option, "--build", build.folder, "--out", tmp_path / "out") == 0
        result = said_in(tmp_path / "out", NAME)
        assert result["mode"] == option.removeprefix("--")
    starts = [line for line in build.starts() if line.startswith("relic --case bc ")]
    assert sum("--iterations 100000 --warmup 2000 --cpus 0,1 places" in s for s in starts) == 6


def test_the_results_go_below_the_current_folder(
    lab: Lab, build: FakeBuild, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert lab(*RUN, *FEW, "--build", build.folder) == 0
    assert (tmp_path / "results/relic-kernels/relic-kernels.jsonl").exists()


def test_cpus_and_peers_settings_reach_the_processes(
    lab: Lab, build: FakeBuild, tmp_path: Path
) -> None:
    arguments = ("--cpus", "1,0", "--peers", "default", "--build", build.folder)
    assert lab(*RUN, *FEW, *arguments, "--out", tmp_path / "out") == 0
    result = said_in(tmp_path / "out", NAME)
    assert result["host"]["used_cpus"] == [1, 0]
    assert result["settings"]["peers"] == "default"
    assert result["settings"]["environment"]["gnu-openmp"].keys() == {
        *("OMP_NUM_THREADS", "OMP_PLACES"),
    }
    assert result["results"][0]["main_cpu"] == 1
    assert any("places={1},{0}" in line for line in build.starts())


def test_list(lab: Lab, build: FakeBuild, capsys: pytest.CaptureFixture[str]) -> None:
    assert lab("list", "--build", build.folder) == 0
    output = capsys.readouterr().out
    assert all(name in output for name in ("relic-kernels", *KERNELS, "spin-10us", "taskflow"))
    assert HOW_TO_GET in output


@pytest.mark.parametrize(
    ("arguments", "text", "status"),
    [
        ((), "list, run, show, report, compare or pack", 2),
        (("fly",), "fly", 2),
        (("run",), "experiment", 2),
        (("run", "nothing"), "no experiment 'nothing'", 2),
        ((*RUN, "--sideways"), "--sideways", 2),
        ((*RUN, "--quick", "--full"), "exclude each other", 2),
        ((*RUN, "--runtimes", "relic,cilk"), "no runtime 'cilk'", 2),
        ((*RUN, "--runtimes", "relic,,onetbb"), "commas", 2),
        ((*RUN, "--runtimes", ""), "commas", 2),
        ((*RUN, "--runtimes", "opencilk"), HOW_TO_GET, 1),
        ((*RUN, "--cases", "bc,xx"), "no case 'xx'", 2),
        ((*RUN, "--cpus", "0"), "two CPU numbers", 2),
        ((*RUN, "--cpus", "0,x"), "two CPU numbers", 2),
        ((*RUN, "--cpus", "0,0"), "twice", 2),
        ((*RUN, "--cpus", "0,77"), "CPU 77 may not be used", 2),
        ((*RUN, "--peers", "fast"), "fast", 2),
    ],
)
def test_wrong_arguments(
    lab: Lab,
    build: FakeBuild,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    arguments: tuple[str, ...],
    text: str,
    status: int,
) -> None:
    rest = ("--build", build.folder, "--out", tmp_path / "out") if arguments[:1] == ("run",) else ()
    assert lab(*arguments, *rest) == status
    expect_one_line(capsys, text)
    assert not (tmp_path / "out").exists()
    assert build.starts() == []


def test_one_cpu_is_not_enough(
    lab: Lab,
    build: FakeBuild,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("os.sched_getaffinity", lambda _pid: {1})
    assert lab(*RUN, "--build", build.folder, "--out", tmp_path / "out") == 1
    expect_one_line(capsys, "only CPU 1 may be used")
    assert not (tmp_path / "out").exists()


def test_builds_that_are_none(
    lab: Lab, build: FakeBuild, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = ("--out", tmp_path / "out")
    assert lab(*RUN, "--build", tmp_path / "nowhere", *out) == 1
    expect_one_line(capsys, "run 'make lab'")
    (build.folder / "bench/relic-kernels-relic").unlink()
    assert lab(*RUN, "--build", build.folder, *out) == 1
    expect_one_line(capsys, "run 'make lab'")
    (build.folder / "bench/runtimes.json").write_text('{"schema": 4}')
    assert lab("list", "--build", build.folder) == 1
    expect_one_line(capsys, "run 'make lab'")
    assert not (tmp_path / "out").exists()


def test_an_unwritable_folder_is_found_before_anything_is_measured(
    lab: Lab, build: FakeBuild, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_text("")
    for out in (tmp_path / "file", Path("/proc/finegrain/out")):
        assert lab(*RUN, "--build", build.folder, "--out", out) == 1
        expect_one_line(capsys, "cannot write into")
    assert build.starts() == []


@pytest.mark.parametrize(
    ("runtime", "trouble", "text"),
    [
        ("relic", WRONG_RESULT, "wrong result from relic on tc: wrong result of tc"),
        ("serial", WRONG_RESULT, "wrong result from serial on tc"),
        ("serial", CRASH, "serial on tc failed: exit status 1: boom"),
        ("floor", CRASH, "floor cannot be measured: exit status 1: boom"),
    ],
)
def test_what_ends_a_run_leaves_no_file(
    lab: Lab,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    runtime: str,
    trouble: str,
    text: str,
) -> None:
    build = FakeBuild(tmp_path / "b", {runtime: trouble}, only="tc")
    assert lab(*RUN, "--build", build.folder, "--out", tmp_path / "out") == 1
    expect_one_line(capsys, text)
    assert not (tmp_path / "out").exists()


def test_a_crashed_peer_is_a_failed_row_and_a_failed_status(
    lab: Lab, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    build = FakeBuild(tmp_path / "b", {"taskflow": KILLED}, only="sssp")
    assert lab(*RUN, "--build", build.folder, "--out", tmp_path / "out") == 1
    result = said_in(tmp_path / "out", NAME)
    reason = "killed by signal 11: it said nothing"
    assert result["failed"] == [{"runtime": "taskflow", "case": "sssp", "reason": reason}]
    output = capsys.readouterr().out
    assert re.search(r"^ ?taskflow .*failed +\d\.\d\d +\d\.\d\d *$", output, re.MULTILINE)
    assert reason in output
    assert "failed" in (tmp_path / "out/relic-kernels.html").read_text()


@pytest.mark.parametrize(
    "arguments",
    [
        ("--runtimes", "relic", "--cases", "spin-1us"),
        ("--runtimes", "serial"),
        ("--runtimes", "onetbb", "--cases", "bc"),
    ],
)
def test_small_runs_are_reported_too(
    lab: Lab, build: FakeBuild, tmp_path: Path, arguments: tuple[str, ...]
) -> None:
    assert lab(*RUN, *arguments, "--build", build.folder, "--out", tmp_path / "out") == 0
    assert files_below(tmp_path / "out") == ["relic-kernels.html", "relic-kernels.jsonl"]


@pytest.mark.parametrize(
    ("damage", "text"),
    [
        (None, "no result in"),
        (lambda text: text[: len(text) // 2], "not a result file"),
        (lambda _text: "", "not a result file"),
        (lambda _text: "\xff\xfe", "not a result file"),
        (lambda _text: '{"name": "something else"}', "not a result file"),
        (lambda _text: "[1]", "not a result file"),
        (lambda text: text.replace('"schema": 3', '"schema": "3"', 1), "schema: is not int"),
        (
            lambda text: text.replace('"schema": 3', '"schema": 5', 1),
            "schema 5 is newer than this lab knows",
        ),
        (
            lambda text: text.replace('"schema": 3', '"schema": 0', 1),
            "schema 0 is older than this lab can read",
        ),
        (lambda text: text.replace('"relic-kernels"', '"handoff"', 1), "a result of 'handoff'"),
        (lambda text: text.replace('"floor_samples"', '"floors"'), "floor_samples: is missing"),
        (lambda text: text.replace('"speedup_ci95"', '"interval"'), "results.speedup_ci95: is mi"),
        (lambda text: text.replace('"settings"', '"choices"', 1), "it lacks what its schema has"),
    ],
)
def test_a_broken_file_of_rows_is_told_in_one_line(
    lab: Lab,
    result: Result,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    damage: Callable[[str], str] | None,
    text: str,
) -> None:
    file = save(tmp_path, result)
    if damage is None:
        file.unlink()
    else:
        file.write_text(damage(file.read_text()), encoding="latin-1")
    assert lab("show", tmp_path) == 1
    expect_one_line(capsys, text)


@pytest.mark.parametrize(
    ("damage", "text"),
    [
        (lambda text: text[: len(text) // 2], "relic-kernels.jsonl is not a result file"),
        (lambda text: text[: text.rindex("{", 0, -2)], "not a result file"),
        (lambda _text: "", "its schema is not 4"),
        (lambda _text: "\xff\xfe", "not a result file"),
        (lambda text: text.replace('"schema": 4', '"schema": 5', 1), "its schema is not 4"),
        (lambda text: text.replace('"relic-kernels"', '"handoff"', 1), "a result of 'handoff'"),
        (lambda text: text.replace('"floor_ns"', '"floor_us"'), "floor_ns"),
        (lambda text: text.replace('"offloaded_share": 0.75', '"offloaded_share": 7'), "is none"),
    ],
)
def test_a_broken_file_of_a_run_is_told_in_one_line(
    lab: Lab,
    whole: WholeRun,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    damage: Callable[[str], str],
    text: str,
) -> None:
    said = (whole(NAME).folder / f"{NAME}.jsonl").read_text()
    (tmp_path / f"{NAME}.jsonl").write_text(damage(said), encoding="latin-1")
    assert lab("show", tmp_path) == 1
    expect_one_line(capsys, text)


def test_a_compressed_file_is_read_like_its_original(
    lab: Lab, whole: WholeRun, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    packed = tmp_path / f"{NAME}.jsonl.gz"
    packed.write_bytes(gzip.compress((whole(NAME).folder / f"{NAME}.jsonl").read_bytes()))
    assert lab("show", whole(NAME).folder) == 0
    of_original = capsys.readouterr().out
    assert lab("show", tmp_path) == 0
    assert capsys.readouterr().out == of_original


@pytest.mark.parametrize("whole_bytes", [b"", b"no gzip", gzip.compress(b"half")[:-9]])
def test_a_broken_compressed_file_is_told_in_one_line(
    lab: Lab, tmp_path: Path, capsys: pytest.CaptureFixture[str], whole_bytes: bytes
) -> None:
    (tmp_path / f"{NAME}.jsonl.gz").write_bytes(whole_bytes)
    assert lab("show", tmp_path) == 1
    expect_one_line(capsys, f"{NAME}.jsonl.gz")


def test_an_error_of_what_shows_results_says_where_it_was_raised() -> None:
    expected = r"results in a do not fit together: KeyError: 'speed' \(test_cli\.py:\d+\)"
    with pytest.raises(LabError, match=expected), reading_out("a"):
        raise KeyError("speed")
