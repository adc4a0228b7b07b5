# SPDX-License-Identifier: Apache-2.0
"""The wheel, in a fresh environment: its commands, and what projects find of it."""

import os
import re
import shlex
import sys
from pathlib import Path
from zipfile import ZipFile

import pytest
from outside import (
    C_PROGRAM,
    PRINTED,
    PROGRAM,
    QUICKLY,
    ROOT,
    VERSION,
    build_and_run,
    configure,
    lists_that,
    make_project,
    run,
)

TOOLS = Path(sys.executable).parent
OMP_PROGRAM = """
int main(void) {
  int sum = 0;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 100; ++i) {
#pragma omp task shared(sum)
#pragma omp atomic
    sum += i;
  }
  return sum == 4950 ? 0 : 1;
}
"""
# A project that scikit-build-core builds and that requires the wheel.
OF_PYTHON = """
[project]
name = "app"
version = "1"
[build-system]
requires = ["scikit-build-core", "finegrain"]
build-backend = "scikit_build_core.build"
"""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Built as `make wheel` does, but not optimized, and sources together."""
    there = tmp_path_factory.mktemp("wheel")
    quickly = [f"-Ccmake.define.{name}={value}" for name, value in QUICKLY.items()]
    options = [f"-Cbuild-dir={there / 'build'}", *quickly]
    run([ROOT / "scripts/wheel", there, *options], {"CXX": "clang++-19"})
    (made,) = there.glob("*.whl")
    return made


@pytest.fixture(scope="module")
def environment(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of an environment's programs."""
    there = tmp_path_factory.mktemp("environment")
    run([sys.executable, "-m", "venv", there])
    run([there / "bin/pip", "install", "--no-index", wheel])
    return there / "bin"


def folder(environment: Path, kind: str) -> str:
    return run([environment / "python", "-m", "finegrain", f"--{kind}-dir"]).strip()


def flags(environment: Path, package: str) -> list[str]:
    only = {"PKG_CONFIG_LIBDIR": folder(environment, "pkgconfig")}
    return shlex.split(run(["pkg-config", "--cflags", "--libs", package], only))


def test_needs_no_library_of_the_system_but_those_of_its_tag(wheel: Path) -> None:
    assert re.fullmatch(rf"finegrain-{VERSION}-py3-none-manylinux_2_\d+_\w+\.whl", wheel.name)
    files = ZipFile(wheel).namelist()
    bundled = {name.split("/")[1] for name in files if name.startswith("finegrain.libs/")}
    assert {name.partition("-")[0] for name in bundled if name} == {"libelf", "libffi"}
    for library in ("libelf", "libffi"):
        assert f"finegrain/share/doc/finegrain/{library}" in files  # its licence


def test_holds_each_library_by_the_names_that_are_asked_for(wheel: Path) -> None:
    names = {Path(name).name for name in ZipFile(wheel).namelist() if "finegrain/lib/" in name}
    assert {name for name in names if re.search(r"\.(so|a)\b", name)} == {
        *("libfinegrain-c.so", "libfinegrain-c.so.0", f"libfinegrain-c.so.{VERSION}"),
        *("libfinegrain-omp.so.0", f"libfinegrain-omp.so.{VERSION}", "libfinegrain-omp-all.so.0"),
    }


@pytest.mark.parametrize("command", ["finegrain-info", "finegrain-omp"])
def test_commands(environment: Path, command: str) -> None:
    assert run([environment / command, "--version"]) == f"{command} {VERSION}\n"


@pytest.mark.parametrize("mode", ["tasks", "all"])
def test_openmp(environment: Path, tmp_path: Path, mode: str) -> None:
    (tmp_path / "main.c").write_text(OMP_PROGRAM)
    run(["gcc", "-fopenmp", tmp_path / "main.c", "-o", tmp_path / "app"])
    verbose = {"FINEGRAIN_OMP": mode, "FINEGRAIN_OMP_VERBOSE": "1", "OMP_NUM_THREADS": "2"}
    said = run([environment / "finegrain-omp", tmp_path / "app"], verbose)
    assert "and 100 tasks" in said
    assert ("regions are served without a runtime below" in said) is (mode == "all")


def test_openmp_linked(environment: Path, tmp_path: Path) -> None:
    lists = lists_that(
        "find_package(finegrain REQUIRED COMPONENTS omp)\nfind_package(OpenMP REQUIRED)",
        "finegrain::omp OpenMP::OpenMP_CXX",
    )
    project = make_project(tmp_path / "app", lists, OMP_PROGRAM)
    configure(project, f"-Dfinegrain_DIR={folder(environment, 'cmake')}")
    run(["cmake", "--build", project / "build"])
    assert "and 100 tasks" in run([project / "build/app"], {"FINEGRAIN_OMP_VERBOSE": "1"})


@pytest.mark.parametrize(
    ("target", "language", "program"),
    [("finegrain", "CXX", PROGRAM), ("c", "C", C_PROGRAM)],
)
def test_cmake(environment: Path, tmp_path: Path, target: str, language: str, program: str) -> None:
    lists = lists_that(target=f"finegrain::{target}", language=language)
    project = make_project(tmp_path / "app", lists, program)
    configure(project, f"-Dfinegrain_DIR={folder(environment, 'cmake')}")
    assert build_and_run(project) == PRINTED


@pytest.mark.parametrize(
    ("compiler", "package", "name", "program"),
    [
        ("g++ -std=c++20", "finegrain", "main.cpp", PROGRAM),
        ("gcc -std=c99", "finegrain-c", "main.c", C_PROGRAM),
    ],
)
def test_pkg_config(
    environment: Path, tmp_path: Path, compiler: str, package: str, name: str, program: str
) -> None:
    (tmp_path / name).write_text(program)
    libraries = f"-Wl,-rpath,{folder(environment, 'pkgconfig')}/.."
    asked = [*flags(environment, package), f"-I{folder(environment, 'include')}", libraries]
    run([*compiler.split(), tmp_path / name, "-o", tmp_path / "app", *asked])
    assert run([tmp_path / "app"]) == PRINTED


def test_scikit_build_core_finds_it(environment: Path, tmp_path: Path) -> None:
    install = "install(TARGETS app DESTINATION ${SKBUILD_SCRIPTS_DIR})\n"
    project = make_project(tmp_path / "app", lists_that() + install, PROGRAM)
    (project / "pyproject.toml").write_text(OF_PYTHON)
    tools = {"PYTHONPATH": os.pathsep.join(sys.path)}  # with its build back end
    build = ["-m", "pip", "wheel", "--no-index", "--no-build-isolation", "--no-deps"]
    run([environment / "python", *build, "-w", tmp_path, project], tools)
    run([environment / "pip", "install", "--no-index", *tmp_path.glob("app-*.whl")])
    assert run([environment / "app"]) == PRINTED
