# SPDX-License-Identifier: Apache-2.0
"""Processes side by side: in their order, none twice, and none that is not asked for any more."""

import os
import threading
from collections.abc import Iterator

import pytest

from finegrain_lab.run.ahead import Ahead
from finegrain_lab.run.experiment import Command
from finegrain_lab.run.record import Ended

COMMANDS = [Command([str(number)]) for number in range(6)]


def ended(command: Command) -> Ended:
    """What such a command comes to."""
    return Ended(0, command.words[0], "", 0.0)


@pytest.fixture(autouse=True)
def two_cpus(monkeypatch: pytest.MonkeyPatch) -> None:
    """Makes the machine one of two."""
    monkeypatch.setattr(os, "sched_getaffinity", lambda _process: {0, 1})


@pytest.fixture
def started() -> list[str]:
    """What was started, in an order of its own."""
    return []


@pytest.fixture
def ahead(started: list[str]) -> Iterator[Ahead]:
    """Notes what it starts."""

    def start(command: Command) -> Ended:
        started.append(str(command.words[0]))
        return ended(command)

    made = Ahead(start)
    yield made
    made.end()


def test_each_answers_for_itself_and_is_started_once(ahead: Ahead, started: list[str]) -> None:
    ahead.expect(COMMANDS)
    assert [ahead.run(command).output for command in COMMANDS] == list("012345")
    assert sorted(started) == list("012345")


def test_as_many_run_side_by_side_as_there_are_cpus() -> None:
    both = threading.Barrier(2)

    def start(command: Command) -> Ended:
        both.wait()
        return ended(command)

    ahead = Ahead(start)
    ahead.expect(COMMANDS)
    assert [ahead.run(command).output for command in COMMANDS] == list("012345")
    ahead.end()


def test_what_a_record_answers_for_is_not_started(ahead: Ahead, started: list[str]) -> None:
    ahead.expect(COMMANDS)
    assert [ahead.run(command).output for command in COMMANDS[3:]] == list("345")
    assert sorted(started) == list("345")


def test_what_is_not_expected_is_started_alone(ahead: Ahead, started: list[str]) -> None:
    ahead.expect(COMMANDS)
    assert ahead.run(Command(["floor"])).output == "floor"
    assert started == ["floor"]
    assert ahead.run(COMMANDS[0]).output == "0"


def test_what_is_not_asked_for_any_more_answers_for_nothing_else(ahead: Ahead) -> None:
    ahead.expect(COMMANDS)
    assert ahead.run(COMMANDS[0]).output == "0"
    assert ahead.run(COMMANDS[2]).output == "2"
