# SPDX-License-Identifier: Apache-2.0
"""`./lab pack` of the real build: what is unpacked elsewhere runs on what it brought along."""

import json
import os
import re
import subprocess
import sys
import tarfile
from pathlib import Path
from typing import Any

import pytest

from finegrain_lab.pack import Contents, pack
from finegrain_lab.run.host import choose_cpus
from finegrain_lab.run.instruments import FloorSample, floor_command
from finegrain_lab.run.loader import start_of
from finegrain_lab.run.processes import Processes, clean_environment
from finegrain_lab.run.runtimes import Build, load_build

REPOSITORY = Path(__file__).resolve().parents[3]
BUILD = load_build(Path(os.environ["FINEGRAIN_BUILD_DIR"]))
SHOW = {"LD_TRACE_LOADED_OBJECTS": "1"}  # the loader then only tells what it would load
MIB = 2**20


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return pack(BUILD, REPOSITORY, tmp_path_factory.mktemp("archive"), None)


@pytest.fixture(scope="module")
def root(archive: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("elsewhere")
    with tarfile.open(archive) as tar:
        tar.extractall(folder, filter="data")
    (found,) = folder.iterdir()
    return found


@pytest.fixture(scope="module")
def build(root: Path) -> Build:
    return load_build(root / "build")


def command(root: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-I", "-S", root / "finegrain-lab", *arguments],
        capture_output=True,
        text=True,
        check=False,
    )


def loaded_by(words: list[str], environment: dict[str, str]) -> list[Path]:
    done = subprocess.run(
        words, env=clean_environment(environment), capture_output=True, text=True, check=True
    )
    parts = (line.split(" => ")[-1].split() for line in done.stdout.splitlines())
    return [Path(part[0]) for part in parts if part[0].startswith("/")]


def test_it_is_small(archive: Path) -> None:
    assert archive.stat().st_size <= 60 * MIB


def test_the_same_contents_make_the_same_archive(tmp_path: Path) -> None:
    contents = Contents()
    contents.add("some/program", b"\x7fELF", is_executable=True)
    contents.add("README.txt", b"It runs.\n")
    first, second = tmp_path / "first", tmp_path / "second"
    for path in (first, second):
        contents.write(path, "top", 1_000_000_000)
    assert first.read_bytes() == second.read_bytes()
    with tarfile.open(first) as tar:
        modes = {entry.name: entry.mode for entry in tar}
    assert modes == {"top/README.txt": 0o644, "top/some/program": 0o755}


def test_its_files_are_whole(root: Path, archive: Path) -> None:
    check = ["sha256sum", "--check", "--quiet"]
    subprocess.run([*check, "SHA256SUMS"], cwd=root, check=True)
    subprocess.run([*check, f"{archive.name}.sha256"], cwd=archive.parent, check=True)
    (root / "COMMIT").rename(root / "gone")
    assert subprocess.run([*check, "SHA256SUMS"], cwd=root, check=False).returncode == 1
    (root / "gone").rename(root / "COMMIT")


def test_every_program_loads_what_came_along(root: Path, build: Build) -> None:
    programs = [path for path in (root / "build/bench").rglob("*") if path.stat().st_mode & 0o100]
    assert len(programs) > 20
    for program in [*(it for it in programs if it.is_file()), build.program(build.manifest.info)]:
        loaded = loaded_by(*start_of([str(program)], SHOW))
        assert loaded, program
        assert [path for path in loaded if not path.is_relative_to(root)] == [], program


def test_the_drop_in_is_preloaded_with_what_it_needs(root: Path, build: Build) -> None:
    if build.manifest.drop_in_all is None:
        pytest.skip("the build has no OpenMP drop-in")
    floor = str(build.program(build.manifest.floor))
    drop_in = str(build.drop_in_all())
    loaded = loaded_by(*start_of([floor], {**SHOW, "LD_PRELOAD": drop_in}))
    assert [path for path in loaded if not path.is_relative_to(root)] == []
    assert Path(drop_in) in loaded
    assert any(path.name.startswith("libffi.") for path in loaded)


def test_its_programs_measure(build: Build) -> None:
    cpus, _ = choose_cpus(None)
    assert Processes().run(floor_command(build, cpus), FloorSample).floor_ns


def test_it_has_the_blas_that_programs_open(root: Path) -> None:
    here = Path(f"/usr/lib/{os.uname().machine}-linux-gnu/openblas-pthread/libopenblas.so.0")
    assert (root / "build/lib/libopenblas.so.0").is_file() == here.is_file()
    assert (root / "build/lib/libgfortran.so.5").is_file() == here.is_file()


def test_its_command_needs_no_package(root: Path) -> None:
    told = command(root, "info", "--json")
    assert (told.returncode, told.stderr) == (0, "")
    assert json.loads(told.stdout)
    assert "relic-kernels: " in command(root, "list").stdout
    assert command(root).returncode == 2
    refused = command(root, "run", "sync", "--cases", "none")
    assert (refused.returncode, refused.stderr) == (2, "lab: sync takes no --cases\n")


def test_what_may_not_be_passed_on_is_not_there(root: Path, archive: Path) -> None:
    with tarfile.open(archive) as tar:
        names = tar.getnames()
    assert [name for name in names if "iomp5" in name] == []
    said: Any = json.loads((root / "build/bench/runtimes.json").read_text())
    intel = next(it for it in said["runtimes"] if it["name"] == "intel-openmp")
    assert intel["executable"] is None
    assert intel["how_to_get"]


def test_licences_are_there(root: Path) -> None:
    names = {path.name for path in (root / "licences").iterdir()}
    assert {"libc6.txt", "libstdc++6.txt", "libgcc-s1.txt"} <= names
    assert (root / "licences/common-licenses/LGPL-2.1").is_file()
    assert re.search(
        r"^libc6 2\.\S+, of the source glibc 2\.", said_by_packages(root), re.MULTILINE
    )


def said_by_packages(root: Path) -> str:
    return (root / "licences/PACKAGES.txt").read_text()


@pytest.mark.parametrize(
    ("given", "ran"),
    [
        ([], ["run", "all"]),
        (["--quick"], ["run", "all", "--quick"]),
        (["sync", "--full"], ["run", "sync", "--full"]),
    ],
)
def test_the_job_measures_all_unless_told(
    root: Path, tmp_path: Path, given: list[str], ran: list[str]
) -> None:
    srun = tmp_path / "srun"
    srun.write_text('#!/bin/sh\nshift 4\nprintf "%s " "$@"\n')
    srun.chmod(0o755)
    environment = {**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}", "SLURM_JOB_ID": "7"}
    done = subprocess.run(
        ["sh", root / "finegrain-lab.sbatch", *given],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.split() == [*ran, "--out", "results/job-7"]
