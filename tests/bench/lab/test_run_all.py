# SPDX-License-Identifier: Apache-2.0
"""`lab run all`: one folder, ended and gone on, and what may not be mixed."""

import json
import os
import shutil
import signal
import subprocess
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from conftest import Lab, Refused, WholeRun, files_below
from fakes import CRASH, SLEEP, FakeBuild
from test_command import REPOSITORY, UNWATCHED_LAB

from finegrain_lab import cli
from finegrain_lab.experiments import experiment_of
from finegrain_lab.run.all import Ledger, request_of, run_all
from finegrain_lab.run.errors import LabError
from finegrain_lab.run.exclusive import alone
from finegrain_lab.run.experiment import Experiment, Request
from finegrain_lab.run.runtimes import OPENMP, fingerprint, load_build
from finegrain_lab.show.result import load

NAMES = ("sync", "queues")
EXPERIMENTS = [experiment_of(name) for name in NAMES]
WANTED = Ledger(mode="quick", cpus=None, build="0123", failed={})

LLVM = {"llvm-openmp", "llvm-openmp+finegrain:private_deque"}

Measure = Callable[[Experiment], Any]


class Measuring:
    """Leaves the results in a folder as if it had measured them, but for those that fail."""

    def __init__(self, folder: Path, whole: WholeRun) -> None:
        self.failing: dict[str, BaseException] = {}
        self.measured: list[str] = []
        self._folder = folder
        self._whole = whole

    def __call__(self, experiment: Experiment) -> Any:
        self.measured.append(experiment.name)
        if experiment.name in self.failing:
            raise self.failing[experiment.name]
        self.leave(experiment.name)
        return self._whole(experiment.name).result

    def leave(self, name: str) -> None:
        """Leaves a result file in the folder."""
        shutil.copy(self._whole(name).folder / f"{name}.jsonl", self._folder)


@pytest.fixture
def measure(tmp_path: Path, whole: WholeRun) -> Measuring:
    return Measuring(tmp_path, whole)


def run(folder: Path, measure: Measure, wanted: Ledger = WANTED) -> tuple[bool, str]:
    """Returns whether nothing has failed, and what was said."""
    said: list[str] = []
    _, failed = run_all(EXPERIMENTS, folder, wanted, measure, load, said.append)
    return not failed, "".join(f"{line}\n" for line in said)


def test_all_are_measured_in_order(tmp_path: Path, measure: Measuring) -> None:
    is_whole, said = run(tmp_path, measure)
    assert is_whole
    assert measure.measured == list(NAMES)
    assert said == "1 of 2, sync\n2 of 2, queues\n"


def test_what_was_measured_before_is_not_measured_again(tmp_path: Path, measure: Measuring) -> None:
    measure.failing["queues"] = KeyboardInterrupt()  # as if it was ended there
    with pytest.raises(KeyboardInterrupt):
        run(tmp_path, measure)
    measure.failing.clear()
    is_whole, said = run(tmp_path, measure)
    assert is_whole
    assert measure.measured == ["sync", "queues", "queues"]
    assert "1 of 2, sync: measured before\n2 of 2, queues\n" in said


def test_an_experiment_that_fails_does_not_stop_the_others(
    tmp_path: Path, measure: Measuring
) -> None:
    measure.failing["sync"] = LabError("wrong result from mutex")
    is_whole, said = run(tmp_path, measure)
    assert not is_whole
    assert measure.measured == list(NAMES)
    assert "sync: failed: wrong result from mutex\n" in said
    ledger = json.loads((tmp_path / "all.json").read_text())
    assert ledger["failed"] == {"sync": "wrong result from mutex"}
    measure.failing.clear()
    is_whole, said = run(tmp_path, measure)
    assert is_whole
    assert measure.measured == ["sync", "queues", "sync"]
    assert json.loads((tmp_path / "all.json").read_text())["failed"] == {}


@pytest.mark.parametrize(
    ("other", "told"),
    [
        ({"mode": "full"}, "the mode quick, not full"),
        ({"cpus": (1, 0)}, r"the CPUs None, not \(1, 0\)"),
        ({"build": "4567"}, "the build 0123, not 4567"),
        ({"threads": [1, 4]}, r"the threads None, not \[1, 4\]"),
    ],
)
def test_what_differs_is_not_mixed(
    tmp_path: Path, measure: Measuring, other: dict[str, Any], told: str
) -> None:
    run(tmp_path, measure)
    with pytest.raises(LabError, match=told):
        run(tmp_path, measure, replace(WANTED, **other))
    assert measure.measured == list(NAMES)


def test_a_folder_of_other_results_is_left_alone(tmp_path: Path, measure: Measuring) -> None:
    measure.leave("queues")
    with pytest.raises(LabError, match="has a result of queues that is of no run of all"):
        run(tmp_path, measure)
    assert files_below(tmp_path) == ["queues.jsonl"]


@pytest.mark.parametrize("broken", ["all.json", "queues.jsonl"])
def test_a_broken_file_is_told_before_anything_is_measured(
    tmp_path: Path, measure: Measuring, broken: str
) -> None:
    run(tmp_path, measure)
    (tmp_path / broken).write_text("{")
    (tmp_path / "sync.jsonl").unlink()
    with pytest.raises(LabError, match=broken):
        run(tmp_path, measure)
    assert measure.measured == list(NAMES)


def test_the_fingerprint_is_of_the_programs_and_the_drop_in(build: FakeBuild) -> None:
    loaded = load_build(build.folder)
    loaded.drop_in().chmod(0o644)
    seen = {fingerprint(loaded)}
    assert fingerprint(loaded) in seen
    for path in (build.folder / "bench/sync", loaded.drop_in()):
        os.utime(path, (1, 1))
        seen.add(fingerprint(loaded))
    assert len(seen) == 3
    loaded.drop_in_all().unlink()  # `make demo` does not build it
    assert fingerprint(loaded) not in seen


# ---- the command ----


def test_a_failed_row_is_told_and_is_a_failed_status(
    lab: Lab,
    build: FakeBuild,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(cli, "EXPERIMENTS", EXPERIMENTS[:1])
    build.trouble_in("sync", f'[ "$mechanism" = spinlock ] && {{ {CRASH}; }}')
    out = tmp_path / "out"
    assert lab("run", "all", "--build", build.folder, "--out", out) == 1
    assert "sync: spinlock: failed on " in capsys.readouterr().out
    assert files_below(out) == ["all.json", "sync.html", "sync.jsonl"]
    assert lab("run", "all", "--build", build.folder, "--out", out) == 1
    assert "1 of 1, sync: measured before\n" in capsys.readouterr().out


def test_an_ended_run_goes_on_within_an_experiment(
    lab: Lab, build: FakeBuild, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cli, "EXPERIMENTS", EXPERIMENTS[:1])
    starts = tmp_path / "starts"
    end = f"""[ "$(wc -l <{starts})" = 20 ] && {{ kill -INT $PPID; {SLEEP}; }}"""
    build.trouble_in("sync", f"echo >>{starts}; {end}")
    whole, ended = tmp_path / "whole", tmp_path / "ended"
    assert lab("run", "all", "--build", build.folder, "--out", ended) == cli.INTERRUPTED
    assert files_below(ended) == ["all.json", "sync.partial"]
    assert lab("run", "all", "--build", build.folder, "--out", ended) == 0
    assert files_below(ended) == ["all.json", "sync.html", "sync.jsonl"]
    assert load(ended, experiment_of("sync")).resumed == 1
    assert " s, ended once and gone on" in (ended / "sync.html").read_text()
    taken = len(starts.read_text().splitlines())
    starts.write_text("\n" * 20)
    assert lab("run", "all", "--build", build.folder, "--out", whole) == 0
    of_a_whole_run = len(starts.read_text().splitlines()) - 20
    assert of_a_whole_run > 20
    assert taken == of_a_whole_run + 1  # the one that was under way


@pytest.mark.parametrize(
    ("name", "mode", "left_out"),
    [
        ("tasking-overhead", "quick", {"pool-chase_lev", *LLVM}),
        ("tasking-overhead", "full", set()),
        ("stealing-efficiency", "quick", set()),
        ("omp", "quick", {*LLVM, *(f"{base}+finegrain:chase_lev" for base in OPENMP)}),
    ],
)
def test_a_quick_run_has_each_runtime_once_but_where_policies_are_the_point(
    lab: Lab,
    whole: WholeRun,
    build: FakeBuild,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    name: str,
    mode: str,
    left_out: set[str],
) -> None:
    experiment = experiment_of(name)
    monkeypatch.setattr(cli, "EXPERIMENTS", [experiment])
    everyone = set(whole(name).result.runtimes)
    of_all = tmp_path / "all"
    assert lab("run", "all", f"--{mode}", "--build", build.folder, "--out", of_all) == 0
    assert left_out <= everyone
    assert set(load(of_all, experiment).runtimes) == everyone - left_out


def test_a_quick_run_takes_less_time_than_the_mode(build: FakeBuild) -> None:
    mode = experiment_of("sync").modes["quick"]
    loaded = load_build(build.folder)
    brief = Request(loaded, mode, is_brief=True).paced().mode.budget_s
    assert brief is not None
    assert mode.budget_s is not None
    assert 20 * brief <= 15 * 60
    assert brief < mode.budget_s
    assert Request(loaded, mode).paced().mode == mode


def test_numbers_of_threads_are_for_the_experiments_that_have_them(build: FakeBuild) -> None:
    loaded = load_build(build.folder)
    wanted = replace(WANTED, threads=[1, 2])
    asked = {it.name: request_of(it, loaded, wanted).threads for it in EXPERIMENTS}
    assert asked == {"sync": [1, 2], "queues": None}


@pytest.mark.parametrize(
    ("more", "text"),
    [
        (("--paper",), "all takes no --paper"),
        (("--runtimes", "onetbb"), "all takes no --runtimes"),
        (("--peers", "default"), "all takes no --peers"),
    ],
)
def test_options_of_single_experiments_are_refused(
    refused: Refused, more: tuple[str, ...], text: str
) -> None:
    refused("all", *more, text=text, status=2)


def test_two_runs_at_once_are_refused(refused: Refused, build: FakeBuild) -> None:
    with alone(load_build(build.folder)):
        refused("all", text="another run measures with the build")
        refused("sync", text="another run measures with the build")
    with alone(load_build(build.folder)):
        pass


def test_a_killed_run_leaves_and_holds_nothing(tmp_path: Path) -> None:
    build = FakeBuild(tmp_path / "b", {"relic": f"echo $$ >{tmp_path}/pid; {SLEEP}"})
    command = [
        *(*UNWATCHED_LAB, "run", "relic-kernels", "--cases", "bc"),
        *("--build", str(build.folder), "--out", str(tmp_path / "out")),
    ]
    environment = os.environ | {"PYTHONPATH": str(REPOSITORY / "bench")}
    with subprocess.Popen(command, env=environment, stderr=subprocess.DEVNULL) as lab:
        deadline = time.monotonic() + 60
        while not (tmp_path / "pid").exists():
            assert time.monotonic() < deadline
            time.sleep(0.05)
        with pytest.raises(LabError, match="another run measures"), alone(load_build(build.folder)):
            pass
        lab.send_signal(signal.SIGKILL)
    process = Path("/proc") / (tmp_path / "pid").read_text().strip()
    while process.exists():
        assert time.monotonic() < deadline
        time.sleep(0.05)
    with alone(load_build(build.folder)):
        pass
