"""What the lab's tests share."""

import dataclasses
import io
from collections.abc import Callable
from pathlib import Path

import pytest
from fakes import FakeBuild
from rich.console import Console

from finegrain_lab import cli
from finegrain_lab.host import describe_host
from finegrain_lab.modes import MODES
from finegrain_lab.progress import reporter
from finegrain_lab.relic_kernels import CASES, Plan, measure, to_result
from finegrain_lab.results import Result
from finegrain_lab.runtimes import load_build

Lab = Callable[..., int]


@pytest.fixture
def short_modes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ends every mode after three rounds."""
    short = {
        name: dataclasses.replace(mode, min_rounds=3, max_rounds=3) for name, mode in MODES.items()
    }
    monkeypatch.setattr(cli, "MODES", short)


@pytest.fixture
def two_cpus(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lets the lab believe in two CPUs wherever the tests run; the fakes use none."""
    monkeypatch.setattr("os.sched_getaffinity", lambda _pid: {0, 1})


@pytest.fixture
def build(tmp_path: Path) -> FakeBuild:
    """A build of fakes that work."""
    return FakeBuild(tmp_path / "build")


@pytest.fixture
def lab(short_modes: None, two_cpus: None) -> Lab:
    """Runs the command in this process, in its shortest form, and returns its exit status."""
    del short_modes, two_cpus
    return lambda *arguments: cli.main([str(argument) for argument in arguments])


@pytest.fixture(scope="session")
def result(tmp_path_factory: pytest.TempPathFactory) -> Result:
    """The result of a whole run on fakes."""
    build = load_build(FakeBuild(tmp_path_factory.mktemp("whole") / "build").folder)
    mode = dataclasses.replace(MODES["quick"], max_rounds=3)
    plan = Plan(build, build.choose(None), CASES, (0, 1), mode, "tuned")
    with reporter(Console(file=io.StringIO())) as progress:
        measured = measure(plan, progress)
    return to_result(plan, measured, describe_host((0, 1), "", build.manifest, build.folder))
