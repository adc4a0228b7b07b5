# SPDX-License-Identifier: Apache-2.0
"""One process: what comes back, and every way to fail."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from finegrain_lab.run.experiment import Command
from finegrain_lab.run.processes import (
    Processes,
    ProcessFailed,
    WrongResult,
    clean_environment,
)
from finegrain_lab.run.shapes import Misfit

SAMPLE = '{"runtime": "relic", "ns": 812.4, "task_cpus": [1], "more": ""}'


@dataclass(frozen=True)
class Sample:
    """What a program prints."""

    runtime: str
    ns: float
    task_cpus: list[int]

    def __post_init__(self) -> None:
        if self.ns <= 0:
            raise Misfit("ns: is not positive")


def run(words: Sequence[str | Path], timeout_s: float = 60) -> Sample:
    return Processes().run(Command(words, timeout_s=timeout_s), Sample)


def shell(script: str) -> list[str]:
    return ["/bin/sh", "-c", script]


def test_a_sample_is_read() -> None:
    assert run(shell(f"echo '{SAMPLE}'")) == Sample("relic", 812.4, [1])


def test_a_wrong_result_is_told_from_other_failures() -> None:
    with pytest.raises(WrongResult, match=r"^off by one$"):
        run(shell("echo off by one >&2; exit 3"))
    with pytest.raises(ProcessFailed, match=r"^exit status 1: last$") as failure:
        run(shell("echo first >&2; echo last >&2; exit 1"))
    assert not isinstance(failure.value, WrongResult)


def test_a_signal_is_named() -> None:
    with pytest.raises(ProcessFailed, match="killed by signal 11"):
        run(shell("kill -SEGV $$"))


@pytest.mark.parametrize(
    "output",
    [
        "",
        "no json",
        SAMPLE[:-9],
        SAMPLE.replace("812.4", "-1"),
        SAMPLE.replace("812.4", "NaN"),
        SAMPLE.replace("812.4", "Infinity"),
        SAMPLE.replace('"runtime": "relic", ', ""),
    ],
)
def test_what_is_not_a_whole_sample_is_a_failure(output: str) -> None:
    with pytest.raises(ProcessFailed, match="printed no valid sample"):
        run(shell(f"echo '{output}'"))


def test_a_hang_ends(tmp_path: Path) -> None:
    pid = tmp_path / "pid"
    with pytest.raises(ProcessFailed, match=r"no sample in 0\.3 s"):
        run(shell(f"echo $$ >{pid}; exec sleep 60"), timeout_s=0.3)
    assert not Path(f"/proc/{pid.read_text().strip()}").exists()


def test_a_program_that_is_not_there_is_a_failure(tmp_path: Path) -> None:
    with pytest.raises(ProcessFailed, match=r"^cannot be started: no such file or directory$"):
        run([tmp_path / "nothing"])


def test_a_program_that_is_none_is_a_failure(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("text")
    with pytest.raises(ProcessFailed, match=r"^cannot be started: permission denied$"):
        run([tmp_path / "text"])


def test_foreign_settings_do_not_leak_into_a_process(monkeypatch: pytest.MonkeyPatch) -> None:
    foreign = [
        *("OMP_NUM_THREADS", "KMP_AFFINITY", "GOMP_CPU_AFFINITY", "TBB_VERSION", "LD_PRELOAD"),
        *("CILK_NWORKERS", "FINEGRAIN_OMP"),
    ]
    for name in foreign:
        monkeypatch.setenv(name, "foreign")
    monkeypatch.setenv("KEPT", "yes")
    environment = clean_environment({"OMP_NUM_THREADS": "2"})
    assert "foreign" not in environment.values()
    assert environment["OMP_NUM_THREADS"] == "2"
    assert environment["KEPT"] == "yes"
    assert "PATH" in environment
