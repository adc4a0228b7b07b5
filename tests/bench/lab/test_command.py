# SPDX-License-Identifier: Apache-2.0
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
# A process of its own that does not look at what else runs, and so waits for nothing to end.
UNWATCHED_LAB = (
    *(sys.executable, "-c"),
    "import pathlib, sys; from finegrain_lab import cli; from finegrain_lab.run import accounts; "
    "accounts.ROOT = pathlib.Path('/none'); sys.exit(cli.main())",
)


def copy_of_the_script(tmp_path: Path) -> Path:
    root = tmp_path / "a root"
    (root / "bench").mkdir(parents=True)
    (root / "bench/finegrain_lab").symlink_to(REPOSITORY / "bench/finegrain_lab")
    return Path(shutil.copy(SCRIPT, root / "lab"))


def write_program(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True)
    path.write_text(f"#!/bin/sh\n{text}")
    path.chmod(0o755)


def run_script(script: Path, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [script, *arguments], capture_output=True, text=True, check=False, cwd="/"
    )


def test_without_an_environment_the_script_makes_one(tmp_path: Path, build: FakeBuild) -> None:
    script = copy_of_the_script(tmp_path)
    python = f"#!/bin/sh\nexec '{sys.executable}' \"\\$@\"\n"
    write_program(
        script.parent / "scripts/setup",
        f'cd "$(dirname "$0")/.." && mkdir -p .venv/bin && echo "setup $1"\n'
        f"cat >.venv/bin/python <<END\n{python}END\nchmod +x .venv/bin/python\n",
    )
    done = run_script(script, "list", "--build", build.folder)
    assert done.returncode == 0, done.stderr
    assert done.stderr == "setup python\n"
    assert "relic-kernels" in done.stdout


def test_where_none_can_be_made_it_says_so(tmp_path: Path) -> None:
    script = copy_of_the_script(tmp_path)
    write_program(script.parent / "scripts/setup", "echo 'setup: no network' >&2; exit 1\n")
    done = run_script(script, "list")
    assert done.returncode == 1
    assert done.stdout == ""
    said = "lab: no Python environment in .venv, and none could be made\n"
    assert done.stderr == "setup: no network\n" + said


def test_the_script_runs_the_package_from_any_folder(tmp_path: Path, build: FakeBuild) -> None:
    script = copy_of_the_script(tmp_path)
    write_program(script.parent / ".venv/bin/python", f'exec "{sys.executable}" "$@"\n')
    link = tmp_path / "elsewhere"
    link.symlink_to(script)
    done = run_script(link, "list", "--build", build.folder)
    assert done.returncode == 0, done.stderr
    assert "relic-kernels" in done.stdout


def test_ctrl_c_ends_the_children_and_leaves_what_it_had(tmp_path: Path) -> None:
    pid_file = tmp_path / "pid"
    build = FakeBuild(tmp_path / "b", {"relic": f"echo $$ >{pid_file}; {SLEEP}"})
    lab = subprocess.Popen(
        [
            *(*UNWATCHED_LAB, "run", "relic-kernels"),
            *("--build", build.folder, "--out", tmp_path / "out"),
        ],
        env=os.environ | {"PYTHONPATH": str(REPOSITORY / "bench")},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    until = time.monotonic() + 60
    while not (pid_file.exists() and pid_file.read_text()) and time.monotonic() < until:
        time.sleep(0.02)
    lab.send_signal(signal.SIGINT)  # to it alone: it must end the child itself
    output, error = lab.communicate(timeout=30)
    assert lab.returncode == 130
    assert output == ""
    assert error == "lab: interrupted: a run goes on if it is started again\n"
    assert not Path(f"/proc/{pid_file.read_text().strip()}").exists()
    assert [it.name for it in (tmp_path / "out").iterdir()] == ["relic-kernels.partial"]
