# SPDX-License-Identifier: Apache-2.0
"""One process: what comes back, and every way to fail."""

from pathlib import Path

import pytest

from finegrain_lab.processes import (
    Calibration,
    Floor,
    ProcessFailed,
    Sample,
    WrongResult,
    clean_environment,
    run_process,
)

SAMPLE = (
    '{"runtime": "relic", "case": "bc", "iterations": 10, "ns": 812.4, "offloaded_share": 1.0, '
    '"main_cpu": 0, "task_cpus": [1], "version": "finegrain 0.1.0", "note": ""}'
)


def shell(script: str) -> list[str]:
    return ["/bin/sh", "-c", script]


def test_a_sample_is_read() -> None:
    sample = run_process(shell(f"echo '{SAMPLE}'"), Sample)
    assert (sample.runtime, sample.case, sample.ns) == ("relic", "bc", 812.4)
    assert sample.task_cpus == [1]


def test_floor_and_calibration_are_read() -> None:
    floor = run_process(shell("""echo '{"floor_ns": [1.5, 2], "cpus": [0, 1]}'"""), Floor)
    assert floor.floor_ns == [1.5, 2.0]
    steps = run_process(shell("""echo '{"spin_steps_per_us": 7}'"""), Calibration)
    assert steps.spin_steps_per_us == 7


def test_a_wrong_result_is_told_from_other_failures() -> None:
    with pytest.raises(WrongResult, match=r"^off by one$"):
        run_process(shell("echo off by one >&2; exit 3"), Sample)
    with pytest.raises(ProcessFailed, match=r"^exit status 1: last$") as failure:
        run_process(shell("echo first >&2; echo last >&2; exit 1"), Sample)
    assert not isinstance(failure.value, WrongResult)


def test_a_signal_is_named() -> None:
    with pytest.raises(ProcessFailed, match="killed by signal 11"):
        run_process(shell("kill -SEGV $$"), Sample)


@pytest.mark.parametrize(
    "output",
    [
        "",
        "no json",
        SAMPLE[:-20],
        SAMPLE.replace("812.4", "-1"),
        SAMPLE.replace("812.4", "NaN"),
        SAMPLE.replace("812.4", "Infinity"),
        SAMPLE.replace('"offloaded_share": 1.0', '"offloaded_share": 1.5'),
        SAMPLE.replace('"case": "bc", ', ""),
    ],
)
def test_what_is_not_a_whole_sample_is_a_failure(output: str) -> None:
    with pytest.raises(ProcessFailed, match="printed no valid sample"):
        run_process(shell(f"echo '{output}'"), Sample)


def test_a_hang_ends(tmp_path: Path) -> None:
    pid = tmp_path / "pid"
    with pytest.raises(ProcessFailed, match=r"no sample in 0\.3 s"):
        run_process(shell(f"echo $$ >{pid}; exec sleep 60"), Sample, timeout_s=0.3)
    assert not Path(f"/proc/{pid.read_text().strip()}").exists()


def test_a_program_that_is_not_there_is_a_failure(tmp_path: Path) -> None:
    with pytest.raises(ProcessFailed, match=r"^can not be started: no such file or directory$"):
        run_process([tmp_path / "nothing"], Sample)


def test_a_program_that_is_none_is_a_failure(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("text")
    with pytest.raises(ProcessFailed, match=r"^can not be started: permission denied$"):
        run_process([tmp_path / "text"], Sample)


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
