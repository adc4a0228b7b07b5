# SPDX-License-Identifier: Apache-2.0
"""What this tree's configuration without a preset builds, and that it needs next to nothing."""

import re
from pathlib import Path

import pytest
from outside import ROOT, run

INSTALLED = {
    *("libfinegrain-core.a", "libfinegrain-c.a", "libfinegrain-c.so"),
    *("libfinegrain-omp.so", "libfinegrain-omp-all.so"),
    *("finegrain-info", "finegrain-omp"),
}
FOR_THEM = {"libfinegrain_omp_command.a"}
TESTS_AND_LAB = ("-DFINEGRAIN_BUILD_TESTS=ON", "-DFINEGRAIN_BUILD_BENCH=ON")
GTEST = "find_package(GTest REQUIRED)"
LAB = """
find_package(CLI11 REQUIRED)
find_package(nlohmann_json REQUIRED)
find_path(FINEGRAIN_RAPIDJSON_INCLUDE_DIR rapidjson/document.h REQUIRED)
"""
HIDE_THE_REST = """
set(CMAKE_IGNORE_PREFIX_PATH / /usr /usr/local)
set(ENV{PKG_CONFIG_LIBDIR} "${CMAKE_BINARY_DIR}")
"""
UTS = "Unbalanced Tree Search, and the lab's programs spawn and omp"


def configured(build: Path, *options: str) -> str:
    return run(["cmake", "-G", "Ninja", "-S", ROOT, "-B", build, *options])


def linked(build: Path) -> set[str]:
    """The files that a build would link, without the versions in their names."""
    planned = run(["ninja", "-C", build, "-n", "-v"])
    paths = re.findall(r"(?:&& \S*ar qc| -o) (\S+)", planned)
    names = {Path(path).name for path in paths if not path.endswith(".o")}
    return {re.sub(r"\.so[.\d]+$", ".so", name) for name in names}


def test_without_options_what_is_installed_is_built(tmp_path: Path) -> None:
    configured(tmp_path)
    assert linked(tmp_path) == INSTALLED | FOR_THEM


@pytest.mark.parametrize(
    ("options", "optimizes"), [((), True), (("-DCMAKE_BUILD_TYPE=Debug",), False)]
)
def test_optimizes_unless_told(tmp_path: Path, options: tuple[str, ...], optimizes: bool) -> None:
    configured(tmp_path, *options)
    commands = (tmp_path / "compile_commands.json").read_text()
    assert (" -O3 -DNDEBUG " in commands) is optimizes


@pytest.mark.parametrize(
    ("found", "left_out"),
    [
        ("", {"the lab's programs", "the tests"}),
        (GTEST, {"the lab's programs", "tests/omp"}),
        (GTEST + LAB, {UTS, "tests/omp"}),
    ],
)
def test_no_option_fails_for_want_of_a_package(
    tmp_path: Path, found: str, left_out: set[str]
) -> None:
    """All packages hidden but these, as soon as the compiler is known."""
    hides = tmp_path / "hides.cmake"
    hides.write_text(found + HIDE_THE_REST)
    include = f"-DCMAKE_PROJECT_finegrain_INCLUDE={hides}"
    said = configured(tmp_path / "build", *TESTS_AND_LAB, include)
    assert left_out <= set(re.findall("-- left out: (.*?), for want of ", said))
