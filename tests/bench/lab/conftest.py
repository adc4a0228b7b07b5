# SPDX-License-Identifier: Apache-2.0
"""What the lab's tests share."""

import dataclasses
import io
import json
import os
import re
import signal
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, redirect_stdout
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from fakes import FakeBuild
from matplotlib.axes import Axes

from finegrain_lab import cli
from finegrain_lab.experiments import EXPERIMENTS, experiment_of
from finegrain_lab.run.host import Host, describe_host
from finegrain_lab.run.runtimes import Build
from finegrain_lab.show import draw
from finegrain_lab.show.drawing import Drawing, drawing_of
from finegrain_lab.show.result import Result, load
from finegrain_lab.show.rows import Fields
from finegrain_lab.show.views import drawings_of

NOT_SAID = ("where", "rows")

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
        return said_in(self.folder, self.name)

    @property
    def path(self) -> Path:
        """The result file."""
        (path,) = self.folder.glob(f"{self.name}.json*")
        return path

    @property
    def page(self) -> str:
        """The report."""
        return (self.folder / f"{self.name}.html").read_text()


def said_in(folder: Path, name: str) -> Any:
    """Returns what an experiment's result comes to: what a file of rows says."""
    return {**said_of(load(folder, experiment_of(name))), "schema": 4}


def said_of(result: Result) -> dict[str, Any]:
    """Returns what a file of rows says of a result."""
    names = (field.name for field in dataclasses.fields(result))
    kept = {name: getattr(result, name) for name in names if name not in NOT_SAID}
    kept |= {"schema": 3, "floor_ns": result.floor_ns, "results": result.rows}
    said: dict[str, Any] = json.loads(json.dumps(kept, default=dataclasses.asdict))
    return said


def save(folder: Path, result: Any) -> Path:
    """Writes a file of rows, as older labs did, of a result, whatever has been done to it."""
    path, said = folder / f"{result.experiment}.json", said_of(result)
    settings = said["settings"]
    if result.experiment == "handoff":
        said["instructions"] = []
        settings["placements"] = [
            {"kind": kind, "main_cpu": main, "assistant_cpu": other}
            for kind, (main, other) in settings["placements"].items()
        ]
    if result.experiment == "omp":
        said["summary"] = settings.pop("summary")
    if "checked" in settings:
        said["checked"] = settings.pop("checked")
    path.write_text(json.dumps(said))
    return path


def rows_of(result: Any) -> Any:
    """Returns the rows of a result."""
    return result.rows


def with_rows(result: Result, rows: Sequence[Fields]) -> Result:
    """Returns a result with these rows."""
    return dataclasses.replace(result, rows=rows)


def changed(it: Any, **fields: Any) -> Any:
    """Returns a result, a row of one or a host that differs in these fields."""
    if isinstance(it, Fields):
        return Fields(it | fields)
    return dataclasses.replace(it, **fields)


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
        patch.setattr("finegrain_lab.run.accounts.ROOT", folder)
        patch.setattr("finegrain_lab.run.processes._ending_with_parent", tuple)
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
        monkeypatch.setitem(vars(experiment), "modes", short)


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
        return said_in(out, name)

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
    with alone(folder) as patch, redirect_stdout(said):
        patch.setattr("os.sched_getaffinity", lambda _pid: {0, 1})
        patch.setenv("PATH", f"{fakes.tools}:{os.environ['PATH']}")
        short = dataclasses.replace(experiment.modes["quick"], min_rounds=3, max_rounds=3)
        patch.setitem(vars(experiment), "modes", {"quick": short})
        out = folder / "out"
        assert cli.main(["run", name, "--build", str(fakes.folder), "--out", str(out)]) == 0
    return Whole(name, out, load(out, experiment), said.getvalue())


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
    found: dict[str, Drawn] = {}
    seen: list[Axes] = []

    def finished(figure: Any, of: Any) -> Drawing:
        seen.append(figure.axes[0])
        return drawing_of(figure, of)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(draw, "drawing_of", finished)
        for name, result in whole_results.items():
            found[name] = Drawn(drawings_of(experiment_of(name), result), [*seen])
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
