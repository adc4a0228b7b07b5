"""The command as a process: the script, Ctrl-C."""

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

from fakes import SLEEP, FakeBuild

REPOSITORY = Path(__file__).resolve().parents[3]
SCRIPT = REPOSITORY / "lab"


def copy_of_the_script(tmp_path: Path) -> Path:
    root = tmp_path / "a root"
    (root / "bench").mkdir(parents=True)
    (root / "bench/finegrain_lab").symlink_to(REPOSITORY / "bench/finegrain_lab")
    return Path(shutil.copy(SCRIPT, root / "lab"))


def test_without_an_environment_the_script_says_what_to_do(tmp_path: Path) -> None:
    done = subprocess.run(
        [copy_of_the_script(tmp_path), "list"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert done.stdout == ""
    assert done.stderr == "lab: no Python environment in .venv: run 'make setup' first\n"


def test_the_script_runs_the_package_from_any_folder(tmp_path: Path, build: FakeBuild) -> None:
    script = copy_of_the_script(tmp_path)
    python = script.parent / ".venv/bin/python"
    python.parent.mkdir(parents=True)
    python.write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
    python.chmod(0o755)
    link = tmp_path / "elsewhere"
    link.symlink_to(script)
    done = subprocess.run(
        [link, "list", "--build", build.folder],
        capture_output=True,
        text=True,
        check=False,
        cwd="/",
    )
    assert done.returncode == 0, done.stderr
    assert "relic-kernels" in done.stdout


def test_ctrl_c_ends_the_children_and_leaves_no_file(tmp_path: Path) -> None:
    pid_file = tmp_path / "pid"
    build = FakeBuild(tmp_path / "b", {"relic": f"echo $$ >{pid_file}; {SLEEP}"})
    lab = subprocess.Popen(
        [
            *(sys.executable, "-m", "finegrain_lab", "run", "relic-kernels"),
            *("--build", build.folder, "--out", tmp_path / "out"),
        ],
        env=os.environ | {"PYTHONPATH": str(REPOSITORY / "bench")},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    until = time.monotonic() + 30
    while not (pid_file.exists() and pid_file.read_text()) and time.monotonic() < until:
        time.sleep(0.02)
    lab.send_signal(signal.SIGINT)  # to it alone: it must end the child itself
    output, error = lab.communicate(timeout=30)
    assert lab.returncode == 130
    assert output == ""
    assert error == "lab: interrupted: the result files are as they were\n"
    assert not Path(f"/proc/{pid_file.read_text().strip()}").exists()
    assert not (tmp_path / "out").exists()
