# SPDX-License-Identifier: Apache-2.0
"""A run that cannot end goes on later, with all that it had measured."""

import errno
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from conftest import Silent
from fakes import FakeBuild
from runs import plan_of, short

from finegrain_lab.experiments.queues import MODES, QUEUES
from finegrain_lab.run.engine import measure, run
from finegrain_lab.run.errors import LabError
from finegrain_lab.run.exclusive import alone_in
from finegrain_lab.run.experiment import Request
from finegrain_lab.run.runtimes import load_build

pytestmark = pytest.mark.usefixtures("two_cpus")
SHORT = short(MODES["quick"], batches=3, round_trips=70)


@contextmanager
def room_for(lines: int) -> Iterator[None]:
    """The disk is full after so many lines of the run's file."""
    room, whole = iter(range(lines)), Path.open

    def limited(path: Path, mode: str = "r", **options: Any) -> Any:
        if mode == "a" and next(room, None) is None:
            raise OSError(errno.ENOSPC, "No space left on device")
        return whole(path, mode, **options)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Path, "open", limited)
        yield


def test_one_run_writes_into_a_folder(build: FakeBuild, tmp_path: Path) -> None:
    request = Request(load_build(build.folder), SHORT)
    with alone_in(tmp_path), pytest.raises(LabError, match="another run writes into"):
        run(QUEUES, request, tmp_path, Silent())
    assert run(QUEUES, request, tmp_path, Silent()).exists()


class Told(Silent):
    """A reporter that keeps which rounds it was told."""

    def __init__(self) -> None:
        super().__init__()
        self.rounds: list[str] = []

    def milestone(self, text: str) -> None:
        self.rounds.append(text.split(",")[0])


def processes_in(path: Path) -> int:
    return path.read_text().count('"asked"')


@pytest.fixture(autouse=True)
def quiet(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("finegrain_lab.run.beside.PATIENCE_S", 0)


def test_a_full_disk_loses_nothing(build: FakeBuild, tmp_path: Path) -> None:
    plan = plan_of(QUEUES, build, SHORT)
    with room_for(10), pytest.raises(LabError, match=r"cannot write .*no space left"):
        measure(QUEUES, plan, tmp_path, Silent())
    assert processes_in(tmp_path / "queues.partial") == 9
    path = measure(QUEUES, plan, tmp_path, Silent())
    assert processes_in(path) > 9
    assert path.read_text().count('"resumed": 1') == 2  # as it went on, and at its end


def test_a_round_is_told_once(build: FakeBuild, tmp_path: Path) -> None:
    plan = plan_of(QUEUES, build, SHORT)
    with room_for(len(plan.slots) * 2), pytest.raises(LabError):  # one round and most of another
        measure(QUEUES, plan, tmp_path, first := Told())
    measure(QUEUES, plan, tmp_path, then := Told())
    assert (first.rounds, then.rounds) == (["round 1"], ["round 2", "round 3"])


def test_a_run_that_is_refused_stays(
    build: FakeBuild, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = plan_of(QUEUES, build, SHORT)
    with room_for(10), pytest.raises(LabError):
        measure(QUEUES, plan, tmp_path, Silent())

    def refuse(*_: object) -> None:
        raise LabError("--strict: busy")

    monkeypatch.setattr("finegrain_lab.run.beside.Watch.await_quiet", refuse)
    with pytest.raises(LabError, match="--strict"):
        measure(QUEUES, plan, tmp_path, Silent(), is_strict=True)
    assert processes_in(tmp_path / "queues.partial") == 9
