# SPDX-License-Identifier: Apache-2.0
"""What the lab's tests share."""

import dataclasses
import io
import json
import os
import re
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stdout
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from fakes import FakeBuild
from matplotlib.axes import Axes

from finegrain_lab import cli
from finegrain_lab.drawing import Drawing
from finegrain_lab.experiments import EXPERIMENTS, experiment_of
from finegrain_lab.host import describe_host
from finegrain_lab.plotted import Plotted
from finegrain_lab.relic_kernels.results import Result
from finegrain_lab.results import Host, ResultFile, save_result
from finegrain_lab.runtimes import Build

Lab = Callable[..., int]
Ran = Callable[..., Any]
Refused = Callable[..., None]


@dataclass(frozen=True)
class Whole:
    """A run of an experiment with all that is its own choice, which is made once."""

    name: str
    folder: Path  # of its files
    result: Any  # as it was before it was written
    said: str  # on standard output

    @property
    def file(self) -> Any:
        """What the result file says."""
        return json.loads((self.folder / f"{self.name}.json").read_text())

    @property
    def page(self) -> str:
        """The report."""
        return (self.folder / f"{self.name}.html").read_text()


WholeRun = Callable[[str], Whole]


class Drawn(NamedTuple):
    """The figures of a result, and the axes that they were drawn on."""

    drawings: list[Drawing]
    axes: list[Axes]


class Silent:
    """A reporter that keeps what it was told."""

    def __init__(self) -> None:
        self.shares: list[float] = []
        self.milestones = 0
        self.said: list[str] = []

    def step(self, share: float, what: str) -> None:
        assert what
        self.shares.append(share)

    def milestone(self, text: str) -> None:
        assert text
        self.milestones += 1

    def say(self, text: str) -> None:
        self.said.append(text)


@pytest.fixture(scope="session", autouse=True)
def interruptible() -> None:
    """Undoes what a shell does to what it starts in the background: there Ctrl-C is ignored."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


@contextmanager
def alone(folder: Path) -> Iterator[pytest.MonkeyPatch]:
    """Lets the lab in this process look at nothing else that runs, and start the fakes as they are.

    It finds the kernel's accounts in no folder but this. setpriv takes longer than most fakes: what
    it is for is held by test_a_killed_run_leaves_and_holds_nothing, of a process of its own.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("finegrain_lab.accounts.ROOT", folder)
        patch.setattr("finegrain_lab.processes._ending_with_parent", tuple)
        yield patch


@pytest.fixture(scope="session", autouse=True)
def all_alone(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """What runs beside the tests changes nothing in them."""
    with alone(tmp_path_factory.mktemp("no_accounts")):
        yield


@pytest.fixture
def short_modes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ends every mode of every experiment after three rounds."""
    for experiment in EXPERIMENTS:
        short = {
            name: dataclasses.replace(mode, min_rounds=3, max_rounds=3)
            for name, mode in experiment.modes.items()
        }
        monkeypatch.setattr(experiment, "modes", short)


@pytest.fixture
def two_cpus(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lets the lab believe in two CPUs wherever the tests run; the fakes use none."""
    monkeypatch.setattr("os.sched_getaffinity", lambda _pid: {0, 1})


@pytest.fixture
def build(tmp_path: Path) -> FakeBuild:
    """A build of fakes that work."""
    return FakeBuild(tmp_path / "build")


@pytest.fixture
def fake_valgrind(build: FakeBuild, monkeypatch: pytest.MonkeyPatch) -> None:
    """Puts the fake before the real one."""
    monkeypatch.setenv("PATH", f"{build.tools}:{os.environ['PATH']}")


@pytest.fixture
def lab(short_modes: None, two_cpus: None, fake_valgrind: None) -> Lab:
    """Runs the command in this process, in its shortest form, and returns its exit status."""
    del short_modes, two_cpus, fake_valgrind
    return lambda *arguments: cli.main([str(argument) for argument in arguments])


def files_below(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.rglob("*")) if folder.exists() else []


def expect_one_line(capsys: pytest.CaptureFixture[str], text: str) -> None:
    """Holds that standard error is one line of ours with this text, after any progress."""
    output, error = capsys.readouterr()
    lines = [line for line in error.splitlines() if not re.match(r"round \d+, \d+ s$", line)]
    assert len(lines) == 1, error
    assert lines[0].startswith("lab: ")
    assert text in lines[0]
    assert "Traceback" not in output + error


@pytest.fixture
def ran(lab: Lab, build: FakeBuild, tmp_path: Path) -> Ran:
    """Runs an experiment on the fakes into the folder `out`, and returns its result file."""

    def run(name: str, *arguments: str, status: int = 0) -> Any:
        out = tmp_path / "out"
        assert lab("run", name, *arguments, "--build", build.folder, "--out", out) == status
        return json.loads((out / f"{name}.json").read_text())

    return run


@pytest.fixture
def refused(
    lab: Lab, build: FakeBuild, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> Refused:
    """Runs an experiment on the fakes; holds that it ends with this line and leaves no file."""

    def run(name: str, *arguments: str, text: str, status: int = 1) -> None:
        out = tmp_path / "out"
        assert lab("run", name, *arguments, "--build", build.folder, "--out", out) == status
        expect_one_line(capsys, text)
        assert not out.exists()

    return run


def host_of(build: Build) -> Host:
    """Returns this machine as a result file has it, with CPUs 0 and 1."""
    return describe_host((0, 1), "", build.manifest, build.folder)


def run_whole(name: str, folder: Path) -> Whole:
    """Runs an experiment on fakes, for three rounds."""
    experiment, fakes, said = experiment_of(name), FakeBuild(folder / "build"), io.StringIO()
    saved: list[ResultFile] = []

    def save(out: Path, result: ResultFile) -> Path:
        saved.append(result)
        return save_result(out, result)

    with alone(folder) as patch, redirect_stdout(said):
        patch.setattr("os.sched_getaffinity", lambda _pid: {0, 1})
        patch.setenv("PATH", f"{fakes.tools}:{os.environ['PATH']}")
        short = dataclasses.replace(experiment.modes["quick"], min_rounds=3, max_rounds=3)
        patch.setattr(experiment, "modes", {"quick": short})
        patch.setattr(cli, "save_result", save)
        out = folder / "out"
        assert cli.main(["run", name, "--build", str(fakes.folder), "--out", str(out)]) == 0
    return Whole(name, out, saved[0], said.getvalue())


@pytest.fixture(scope="session")
def whole(tmp_path_factory: pytest.TempPathFactory) -> WholeRun:
    """Gives the whole run of an experiment."""
    return cache(lambda name: run_whole(name, tmp_path_factory.mktemp(name)))


@pytest.fixture(scope="session")
def result(whole: WholeRun) -> Result:
    """The result of a whole run of relic-kernels."""
    found: Result = whole("relic-kernels").result
    return found


@pytest.fixture(scope="session")
def whole_results(whole: WholeRun) -> dict[str, Any]:
    """The result of a whole run of each experiment, by name."""
    return {experiment.name: whole(experiment.name).result for experiment in EXPERIMENTS}


@pytest.fixture(scope="session")
def drawn(whole_results: dict[str, Any]) -> dict[str, Drawn]:
    """The figures of these, by name, each drawn once."""
    found, seen, read = {}, [], Plotted.of

    def watched(axes: Axes) -> Plotted:
        seen.append(axes)
        return read(axes)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Plotted, "of", watched)
        for name, result in whole_results.items():
            found[name] = Drawn(experiment_of(name).drawings(result), [*seen])
            seen.clear()
    return found


@pytest.fixture(scope="session")
def drawings(drawn: dict[str, Drawn]) -> dict[str, list[Drawing]]:
    """The same without their axes."""
    return {name: each.drawings for name, each in drawn.items()}


@pytest.fixture(scope="session")
def pages(whole: WholeRun) -> dict[str, str]:
    """The page of a whole run of each experiment, by name."""
    return {experiment.name: whole(experiment.name).page for experiment in EXPERIMENTS}
