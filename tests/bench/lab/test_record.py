# SPDX-License-Identifier: Apache-2.0
"""What was ended goes on: the processes that ran before answer again, and are not run."""

import json
import math
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from test_hostile_files import repeatable

from finegrain_lab.run.errors import LabError
from finegrain_lab.run.experiment import Command
from finegrain_lab.run.instruments import CalibrationSample as Number
from finegrain_lab.run.processes import Processes, ProcessFailed
from finegrain_lab.run.record import Ended, Record

BEGUN = {"mode": "quick", "settings": {"threads": (1, 2)}, "host": {"load": 1.0}}
Ask = Callable[[Processes, int], float]


@pytest.fixture
def ask(tmp_path: Path) -> Ask:
    """A process that answers with its number; every start of one is logged."""

    def start(processes: Processes, number: int) -> float:
        script = f"""echo {number} >>"{tmp_path}/log"; echo '{{"spin_steps_per_us": {number}}}'"""
        return processes.run(Command(["sh", "-c", script]), Number).spin_steps_per_us

    return start


def begun(folder: Path, **changes: Any) -> Processes:
    """The processes of a run that is begun in this folder, or goes on there."""
    return Processes(Record(folder, "sync", {**BEGUN, **changes}))


def started(folder: Path) -> list[int]:
    return [int(line) for line in (folder / "log").read_text().split()]


def resumed(processes: Processes) -> int:
    assert processes.record
    return processes.record.resumed


def lines_of(path: Path) -> Iterator[dict[str, Any]]:
    return map(json.loads, path.read_text().splitlines())


def test_what_ran_before_answers_and_is_not_run(tmp_path: Path, ask: Ask) -> None:
    first = begun(tmp_path)
    assert [ask(first, number) for number in (1, 2)] == [1, 2]
    again = begun(tmp_path)
    assert [ask(again, number) for number in (1, 2, 3)] == [1, 2, 3]
    assert started(tmp_path) == [1, 2, 3]
    assert (resumed(first), resumed(again)) == (0, 1)
    assert resumed(begun(tmp_path)) == 2


def test_a_file_holds_each_process_once_and_is_whole_at_the_end(tmp_path: Path, ask: Ask) -> None:
    ask(begun(tmp_path), 1)
    processes = begun(tmp_path)
    ask(processes, 1)
    ask(processes, 2)
    assert processes.record
    path = processes.record.end({"rounds": 3})
    assert [it.name for it in tmp_path.glob("sync*")] == [path.name] == ["sync.jsonl"]
    first, *rest, last = lines_of(path)
    assert (first["experiment"], first["settings"]) == ("sync", {"threads": [1, 2]})
    answers = [line["output"]["spin_steps_per_us"] for line in rest if "asked" in line]
    assert answers == [1, 2]
    assert last == {"ended": {"rounds": 3}}


def test_equal_processes_keep_their_order(tmp_path: Path) -> None:
    answer = '{"spin_steps_per_us": %s}'
    count = f"""echo >>"{tmp_path}/log"; printf '{answer}' "$(wc -l <{tmp_path}/log)" """

    def number(processes: Processes) -> float:
        return processes.run(Command(["sh", "-c", count]), Number).spin_steps_per_us

    first = begun(tmp_path)
    assert [number(first), number(first)] == [1, 2]
    again = begun(tmp_path)
    assert [number(again), number(again), number(again)] == [1, 2, 3]


@pytest.mark.parametrize("changes", [{"mode": "full"}, {"settings": {"threads": [1]}}])
def test_a_run_that_was_begun_otherwise_is_begun_anew(
    tmp_path: Path, ask: Ask, changes: dict[str, Any]
) -> None:
    ask(begun(tmp_path), 1)
    other = begun(tmp_path, **changes)
    ask(other, 1)
    assert (started(tmp_path), resumed(other)) == ([1, 1], 0)


def test_the_host_s_load_is_another_when_a_run_goes_on(tmp_path: Path, ask: Ask) -> None:
    ask(begun(tmp_path), 1)
    ask(begun(tmp_path, host={"load": 2.0}), 1)
    assert started(tmp_path) == [1]


def test_another_node_begins_anew(tmp_path: Path, ask: Ask) -> None:
    ask(begun(tmp_path, host={"node": "a"}), 1)
    ask(begun(tmp_path, host={"node": "b"}), 1)
    assert started(tmp_path) == [1, 1]


def test_what_failed_as_a_whole_is_measured_anew(tmp_path: Path, ask: Ask) -> None:
    processes = begun(tmp_path)
    ask(processes, 1)
    assert processes.record
    processes.record.give_up()
    ask(begun(tmp_path), 1)
    assert started(tmp_path) == [1, 1]


def test_a_line_that_was_being_written_is_left_out(tmp_path: Path, ask: Ask) -> None:
    processes = begun(tmp_path)
    for number in (1, 2):
        ask(processes, number)
    path = tmp_path / "sync.partial"
    path.write_bytes(path.read_bytes()[:-5])
    for _ in range(2):
        processes = begun(tmp_path)
        assert [ask(processes, number) for number in (1, 2)] == [1, 2]
    assert started(tmp_path) == [1, 2, 2]


@pytest.mark.parametrize("script", ["echo boom >&2; exit 1", "exec sleep 60", "kill -SEGV $$"])
def test_failures_are_told_again(tmp_path: Path, script: str) -> None:
    command = Command(["sh", "-c", f"echo 1 >>{tmp_path}/log; {script}"], timeout_s=0.5)
    told: list[str] = []
    for _ in range(2):
        with pytest.raises(ProcessFailed) as failure:
            begun(tmp_path).run(command, Number)
        told.append(str(failure.value))
    assert told[0] == told[1]
    assert started(tmp_path) == [1]


def test_what_a_process_said_beside_is_told_again(tmp_path: Path) -> None:
    command = Command(["sh", "-c", """echo heard >&2; echo '{"spin_steps_per_us": 1}'"""])
    heard = [begun(tmp_path).listen(command, Number)[1] for _ in range(2)]
    assert heard == [["heard"], ["heard"]]


def test_the_clock_counts_what_was_measured_before(tmp_path: Path) -> None:
    command = Command(["sh", "-c", """sleep 0.3; echo '{"spin_steps_per_us": 1}'"""])
    for _ in range(2):
        processes = begun(tmp_path)
        before = processes.clock()
        processes.run(command, Number)
        assert processes.clock() - before >= 0.3


def test_what_does_not_follow_any_more_is_dropped(tmp_path: Path, ask: Ask) -> None:
    processes = begun(tmp_path)
    for number in (1, 2, 3):
        ask(processes, number)
    for _ in range(2):
        processes = begun(tmp_path)
        assert [ask(processes, number) for number in (1, 4, 3)] == [1, 4, 3]
    assert started(tmp_path) == [1, 2, 3, 4, 3]
    assert resumed(processes) == 2


def test_what_is_not_asked_for_again_is_not_in_the_result(tmp_path: Path, ask: Ask) -> None:
    processes = begun(tmp_path)
    for number in (1, 2):
        ask(processes, number)
    processes = begun(tmp_path)
    ask(processes, 1)
    assert processes.record
    lines = list(lines_of(processes.record.end({"rounds": 1})))
    assert [line["output"] for line in lines if "asked" in line] == [{"spin_steps_per_us": 1}]


def test_a_process_is_the_same_from_another_folder(tmp_path: Path) -> None:
    at = [f"{folder}bin/echo" for folder in ("/", "/usr/../")]
    preload = [{"LD_PRELOAD": f"{folder}/libnone.so"} for folder in ("a", "b/c")]
    for word, environment in zip(at, preload, strict=True):
        processes = begun(tmp_path)
        found = processes.run(Command([word, '{"spin_steps_per_us": 1}'], environment), Number)
        assert found.spin_steps_per_us == 1
    assert len([line for line in lines_of(tmp_path / "sync.partial") if "asked" in line]) == 1


def test_what_could_not_be_started_is_told_again(tmp_path: Path, ask: Ask) -> None:
    for _ in range(2):
        processes = begun(tmp_path)
        with pytest.raises(ProcessFailed, match="cannot be started: no such file"):
            processes.run(Command(["/nonexistent/program"]), Number)
        assert ask(processes, 1) == 1
    assert started(tmp_path) == [1]


@pytest.mark.parametrize(("key", "value"), [("used_cpus", [1, 0]), ("model", "18")])
def test_on_other_cpus_it_is_begun_anew(
    tmp_path: Path, ask: Ask, key: str, value: list[int] | str
) -> None:
    ask(begun(tmp_path, host={"used_cpus": [0, 1], "model": "17"}), 1)
    ask(begun(tmp_path, host={"used_cpus": [0, 1], "model": "17", key: value}), 1)
    assert started(tmp_path) == [1, 1]


def test_a_file_of_another_schema_is_begun_anew(tmp_path: Path, ask: Ask) -> None:
    (tmp_path / "sync.partial").write_text('{"begun": {}}\n{"asked": 1}\n')
    ask(begun(tmp_path), 1)
    assert started(tmp_path) == [1]


def test_a_file_of_something_else_is_told(tmp_path: Path) -> None:
    path = tmp_path / "sync.partial"
    path.write_text('["sync"]\n')
    with pytest.raises(LabError, match="is of no run of this lab"):
        begun(tmp_path)
    assert path.exists()


@repeatable
@given(
    seconds=st.sampled_from([b"0.5", b"0.5", b"-1", b"NaN", b"1e999", b"-Infinity"]),
    cut=st.integers(0, 500),
    at=st.integers(0, 500),
    put=st.binary(max_size=4),
)
@example(seconds=b"-1", cut=500, at=0, put=b"")
@example(seconds=b"Infinity", cut=500, at=0, put=b"")
def test_a_file_that_is_cut_or_bent_goes_on_or_is_refused(
    tmp_path: Path, seconds: bytes, cut: int, at: int, put: bytes
) -> None:
    path = tmp_path / "sync.partial"
    path.unlink(missing_ok=True)
    known = Ended(status=0, output=1, complaint="", seconds=0.5)
    fresh = Ended(status=1, output="", complaint="", seconds=0.0)
    first = Record(tmp_path, "sync", BEGUN)
    for asked in ("a", "b"):
        first.answer(asked, {}, lambda: known)
    whole = path.read_bytes().replace(b"0.5", seconds)[:cut]
    path.write_bytes(whole[:at] + put + whole[at:])
    with suppress(LabError):
        record = Record(tmp_path, "sync", BEGUN)
        for asked in ("a", "b", "c"):
            assert record.answer(asked, {}, lambda: fresh).status in {None, 0, 1}
        assert math.isfinite(record.replayed_s)
        assert record.replayed_s >= 0
