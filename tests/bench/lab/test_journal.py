# SPDX-License-Identifier: Apache-2.0
"""What was ended goes on: the processes that ran before answer again, and are not run."""

from collections.abc import Callable
from pathlib import Path

import pytest

from finegrain_lab import journal
from finegrain_lab.errors import LabError
from finegrain_lab.processes import Calibration, ProcessFailed, run_and_listen, run_process

Ask = Callable[[int], float]


@pytest.fixture
def kept(tmp_path: Path) -> Path:
    return tmp_path / "sync.partial"


@pytest.fixture
def ask(tmp_path: Path) -> Ask:
    """A process that answers with its number; every start of one is logged."""

    def start(number: int) -> float:
        script = f"""echo {number} >>"{tmp_path}/log"; echo '{{"spin_steps_per_us": {number}}}'"""
        return run_process(["sh", "-c", script], Calibration).spin_steps_per_us

    return start


def started(folder: Path) -> list[int]:
    return [int(line) for line in (folder / "log").read_text().split()]


def end_in(kept: Path, do: Callable[[], object]) -> None:
    """A run that does this, and is then ended by Ctrl-C."""

    def run() -> None:
        with journal.kept(kept):
            do()
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run()


def test_what_ran_before_answers_and_is_not_run(tmp_path: Path, kept: Path, ask: Ask) -> None:
    end_in(kept, lambda: [ask(1), ask(2)])
    with journal.kept(kept):
        assert [ask(number) for number in (1, 2, 3)] == [1, 2, 3]
    assert started(tmp_path) == [1, 2, 3]


def test_equal_processes_keep_their_order(tmp_path: Path, kept: Path) -> None:
    answer = '{"spin_steps_per_us": %s}'
    count = f"""echo >>"{tmp_path}/log"; printf '{answer}' "$(wc -l <{tmp_path}/log)" """

    def number() -> float:
        return run_process(["sh", "-c", count], Calibration).spin_steps_per_us

    end_in(kept, lambda: [number(), number()])
    with journal.kept(kept):
        assert [number(), number(), number()] == [1, 2, 3]


def test_it_says_how_often_it_went_on(kept: Path, ask: Ask) -> None:
    assert journal.resumed() == 0
    end_in(kept, lambda: ask(1))
    end_in(kept, lambda: ask(1))
    with journal.kept(kept):
        assert journal.resumed() == 2
    assert journal.resumed() == 0


def test_a_run_that_ended_leaves_no_file(kept: Path, ask: Ask) -> None:
    with journal.kept(kept):
        ask(1)
        assert kept.exists()
    assert not kept.exists()


def test_what_failed_as_a_whole_is_measured_anew(tmp_path: Path, kept: Path, ask: Ask) -> None:
    def fail() -> None:
        with journal.kept(kept):
            ask(1)
            raise LabError("wrong result")

    with pytest.raises(LabError, match="wrong result"):
        fail()
    with journal.kept(kept):
        ask(1)
    assert started(tmp_path) == [1, 1]


def test_a_line_that_was_being_written_is_left_out(tmp_path: Path, kept: Path, ask: Ask) -> None:
    end_in(kept, lambda: [ask(1), ask(2)])
    kept.write_bytes(kept.read_bytes()[:-5])
    end_in(kept, lambda: [ask(1), ask(2)])
    with journal.kept(kept):
        assert [ask(1), ask(2)] == [1, 2]
    assert started(tmp_path) == [1, 2, 2]


@pytest.mark.parametrize("script", ["echo boom >&2; exit 1", "exec sleep 60", "kill -SEGV $$"])
def test_failures_are_told_again(tmp_path: Path, kept: Path, script: str) -> None:
    told: list[str] = []

    def fail() -> None:
        command = ["sh", "-c", f"echo 1 >>{tmp_path}/log; {script}"]
        with pytest.raises(ProcessFailed) as failure:
            run_process(command, Calibration, timeout_s=0.5)
        told.append(str(failure.value))

    end_in(kept, fail)
    end_in(kept, fail)
    assert told[0] == told[1]
    assert started(tmp_path) == [1]


def test_what_a_process_said_beside_is_told_again(kept: Path) -> None:
    command = ["sh", "-c", """echo heard >&2; echo '{"spin_steps_per_us": 1}'"""]
    heard: list[str] = []
    for _ in range(2):
        end_in(kept, lambda: heard.extend(run_and_listen(command, Calibration)[1]))
    assert heard == ["heard", "heard"]


def test_the_clock_counts_what_was_measured_before(kept: Path) -> None:
    command = ["sh", "-c", """sleep 0.3; echo '{"spin_steps_per_us": 1}'"""]
    took: list[float] = []

    def measure() -> None:
        begin = journal.clock()
        run_process(command, Calibration)
        took.append(journal.clock() - begin)

    end_in(kept, measure)
    end_in(kept, measure)
    assert min(took) >= 0.3


@pytest.mark.parametrize(
    ("script", "settings"), [("exit 2", {}), ("exit 1", {"OMP_PLACES": "{0}"})]
)
def test_other_processes_are_refused(kept: Path, script: str, settings: dict[str, str]) -> None:
    def fail() -> None:
        with pytest.raises(ProcessFailed):
            run_process(["sh", "-c", "exit 1"], Calibration)

    end_in(kept, fail)
    with pytest.raises(LabError, match="another version of this lab"), journal.kept(kept):
        run_process(["sh", "-c", script], Calibration, settings)
    assert not kept.exists()


def test_a_file_of_something_else_is_told(kept: Path) -> None:
    kept.write_text('{"experiment": "sync"}\n')
    with pytest.raises(LabError, match="is of no run of this lab"), journal.kept(kept):
        pass
    assert kept.exists()


def test_what_leaves_more_than_it_prints_runs_again(tmp_path: Path, kept: Path, ask: Ask) -> None:
    def measure() -> None:
        with journal.left_out():
            ask(1)
        ask(2)

    end_in(kept, measure)
    end_in(kept, measure)
    assert started(tmp_path) == [1, 2, 1]
