# SPDX-License-Identifier: Apache-2.0
"""scripts/setup: what it says, and what it does where it may not install."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
APT = """#!/bin/sh
case "$*" in
  *--assume-no*) echo '0 upgraded, 22 newly installed, 0 to remove and 3 not upgraded.'
                 echo 'Need to get 59.2 MB of archives.'
                 echo 'After this operation, 401 MB of additional disk space will be used.' ;;
  install*) echo "$*" >>installed ;;
esac
"""
PYTHON = """#!/bin/sh
mkdir -p .venv/bin
printf '#!/bin/sh\\necho "$*" >>pip\\n' >.venv/bin/python
chmod +x .venv/bin/python
"""


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A clone on a machine that has no package, where somebody is root."""
    (tmp_path / "scripts").mkdir()
    shutil.copy(ROOT / "scripts/setup", tmp_path / "scripts/setup")
    shutil.copytree(ROOT / "requirements", tmp_path / "requirements")
    add(tmp_path, "apt-get", APT)
    add(tmp_path, "python3", PYTHON)
    add(tmp_path, "id", "#!/bin/sh\necho 0\n")
    add(tmp_path, "dpkg-query", "#!/bin/sh\nexit 1\n")
    return tmp_path


def add(tree: Path, name: str, text: str) -> None:
    file = tree / "machine" / name
    file.parent.mkdir(exist_ok=True)
    file.write_text(text)
    file.chmod(0o755)


def setup(tree: Path, target: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [tree / "scripts/setup", target],
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | {"PATH": f"{tree}/machine:/usr/bin:/bin"} | environment,
    )


def test_it_installs_what_the_demo_needs(tree: Path) -> None:
    done = setup(tree, "demo")
    assert done.returncode == 0, done.stderr
    assert "clang-19" in (tree / "installed").read_text()
    assert "requirements/demo.txt" in (tree / "pip").read_text()


def test_it_says_what_and_how_much_before_it_installs(tree: Path) -> None:
    add(tree, "apt-get", APT.replace(">>installed", "&& exit 1"))
    done = setup(tree, "demo")
    assert done.returncode == 1
    packages, names, python, *_, duration = done.stdout.splitlines()
    assert "Debian packages (with what they need 22, 59.2 MB to fetch, 401 MB on disk)" in packages
    assert "clang-19" in names
    assert "requirements/{demo,peers}.txt in .venv (" in python
    assert "minute" in duration


def test_what_is_there_is_not_installed_again(tree: Path) -> None:
    add(tree, "dpkg-query", "#!/bin/sh\necho installed\n")
    assert setup(tree, "demo").returncode == 0
    assert not (tree / "installed").exists()
    (tree / "build/deps/taskflow/usr/include/taskflow").mkdir(parents=True)
    (tree / "build/deps/taskflow/usr/include/taskflow/taskflow.hpp").touch()
    done = setup(tree, "demo")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_without_root_the_demo_does_with_what_is_there(tree: Path) -> None:
    add(tree, "id", "#!/bin/sh\necho 1000\n")
    done = setup(tree, "demo", PATH=f"{tree}/machine:{tools_without_sudo(tree)}")
    assert done.returncode == 0, done.stderr
    assert "nobody here is root: doing without what is not here of " in done.stdout
    assert not (tree / "installed").exists()
    assert "requirements/demo.txt" in (tree / "pip").read_text()


def test_a_no_is_respected(tree: Path) -> None:
    done = setup(tree, "demo", SETUP_INSTALL="no")
    assert done.returncode == 0, done.stderr
    assert not (tree / "installed").exists()


def test_without_root_the_tests_say_what_they_need(tree: Path) -> None:
    done = setup(tree, "test", SETUP_INSTALL="no")
    assert done.returncode == 1
    (line,) = done.stderr.splitlines()
    assert "SETUP_INSTALL=no; needed once: apt-get install --no-install-recommends " in line
    assert "libgtest-dev" in line


def test_a_target_that_is_unknown(tree: Path) -> None:
    done = setup(tree, "everything")
    assert done.returncode == 1
    assert done.stderr.startswith("setup: usage: ")


def tools_without_sudo(tree: Path) -> Path:
    """A folder of all that the script calls, so that a `sudo` of this machine is not seen."""
    folder = tree / "tools"
    folder.mkdir()
    for name in (
        "bash",
        "cmp",
        "cp",
        "dirname",
        "env",
        "grep",
        "mkdir",
        "rm",
        "sed",
        "sort",
        "tail",
        "tr",
        "sh",
        "chmod",
        "head",
    ):
        (folder / name).symlink_to(shutil.which(name) or name)
    return folder
