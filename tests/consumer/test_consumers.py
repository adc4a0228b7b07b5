# SPDX-License-Identifier: Apache-2.0
"""What an outside project finds of finegrain, by each way in: as a user would try it."""

import json
import re
import shlex
import shutil
import sys
from pathlib import Path

import pytest
from outside import (
    BUILD,
    C_PROGRAM,
    FETCHES_THIS,
    PRINTED,
    PROGRAM,
    QUICKLY,
    README_LISTS,
    README_PROGRAM,
    ROOT,
    VERSION,
    build_and_run,
    configure,
    lists_that,
    make_project,
    run,
    without_cxx,
)

PARTS = ("MAJOR", "MINOR", "PATCH")
OMP_PROGRAM = """
int main() {
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
MPI_PROGRAM = """
#include <cstdio>
#include <finegrain/mpi.hpp>
#include <mpi.h>

struct numbers : fg::mpi::stack_bag<int, int> {
  numbers() { items = {1, 2, 3}; }
  std::size_t process(std::size_t) {
    sum += items.back();
    items.pop_back();
    return 1;
  }
};

int main(int count, char** arguments) {
  int level = 0;
  MPI_Init_thread(&count, &arguments, MPI_THREAD_FUNNELED, &level);
  {
    fg::pool pool;
    std::printf("%d\\n", fg::mpi::run(MPI_COMM_WORLD, pool, numbers{}).result);
  }
  MPI_Finalize();
}
"""
OMP_LISTS = """
cmake_minimum_required(VERSION 3.25)
project(app LANGUAGES CXX)
find_package(finegrain REQUIRED COMPONENTS omp)
find_package(OpenMP REQUIRED)
add_executable(app main.cpp)
target_link_libraries(app PRIVATE finegrain::omp OpenMP::OpenMP_CXX)
"""


def unpacked(package: Path, into: Path) -> Path:
    into.mkdir()
    tool = ["dpkg-deb", "-x"] if package.suffix == ".deb" else ["tar", "-C", into, "-xf"]
    run([*tool, package, *([into] if package.suffix == ".deb" else [])])
    return into


def library_folder(prefix: Path) -> Path:
    return next(prefix.rglob("libfinegrain-c.so")).parent


def flags(prefix: Path, package: str, *options: str) -> list[str]:
    """What pkg-config says of a package of ours where it finds no other's."""
    ours_only = {"PKG_CONFIG_LIBDIR": str(library_folder(prefix) / "pkgconfig")}
    return shlex.split(run(["pkg-config", "--cflags", "--libs", *options, package], ours_only))


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An installation that was moved behind its making."""
    there = tmp_path_factory.mktemp("installed")
    run(["cmake", "--install", BUILD, "--prefix", there / "made"])
    return (there / "made").rename(there / "moved")


@pytest.fixture(scope="module")
def packages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The .deb and the .tar.gz, by what they end in."""
    there = tmp_path_factory.mktemp("packages")
    run(["cpack", "--config", BUILD / "CPackConfig.cmake", "-B", there])
    return {file.suffix: file for file in there.iterdir() if file.is_file()}


def test_the_first_program_is_short() -> None:
    assert len(README_PROGRAM.splitlines()) <= 15
    assert min(len(lists.splitlines()) for lists in README_LISTS) <= 5


@pytest.mark.parametrize("lists", README_LISTS)
def test_projects_of_the_readme(installed: Path, tmp_path: Path, lists: str) -> None:
    project = make_project(tmp_path / "app", lists, README_PROGRAM)
    configure(project, f"-DCMAKE_PREFIX_PATH={installed}", FETCHES_THIS)
    assert build_and_run(project) == PRINTED


@pytest.mark.parametrize(
    ("components", "target"),
    [
        ("COMPONENTS headers", "finegrain::headers"),
        ("COMPONENTS core", "finegrain::core"),
    ],
)
def test_installed(installed: Path, tmp_path: Path, components: str, target: str) -> None:
    lists = lists_that(f"find_package(finegrain REQUIRED {components})", target)
    project = make_project(tmp_path / "app", lists, PROGRAM)
    configure(project, f"-DCMAKE_PREFIX_PATH={installed}")
    assert build_and_run(project) == PRINTED


def test_mpi(installed: Path, tmp_path: Path) -> None:
    lists = lists_that("find_package(finegrain REQUIRED COMPONENTS mpi)", "finegrain::mpi")
    project = make_project(tmp_path / "app", lists, MPI_PROGRAM)
    configure(project, f"-DCMAKE_PREFIX_PATH={installed}")
    assert build_and_run(project) == "6\n"


@pytest.mark.parametrize("kind", [".deb", ".gz"])
def test_package(packages: dict[str, Path], tmp_path: Path, kind: str) -> None:
    root = unpacked(packages[kind], tmp_path / "root")
    prefix = root / "usr" if kind == ".deb" else next(root.iterdir())
    project = make_project(tmp_path / "app", lists_that(), README_PROGRAM)
    configure(project, f"-DCMAKE_PREFIX_PATH={prefix}")
    assert build_and_run(project) == PRINTED


def test_the_version_is_the_same_everywhere() -> None:
    parts = [
        f"FINEGRAIN_VERSION_{part} {number}"
        for part, number in zip(PARTS, VERSION.split("."), strict=True)
    ]
    header = (ROOT / "include/finegrain/version.h").read_text()
    assert [part for part in parts if f"#define {part}\n" not in header] == []
    port = json.loads((ROOT / "packaging/vcpkg/ports/finegrain/vcpkg.json").read_text())
    assert port["version"] == VERSION


def test_deb_says_what_it_is(packages: dict[str, Path], tmp_path: Path) -> None:
    fields = run(["dpkg-deb", "--field", packages[".deb"]])
    assert f"Version: {VERSION}\n" in fields
    assert re.search(r"Depends:.*\blibc6\b.*\blibhwloc15\b.*\blibstdc\+\+6\b", fields)
    root = unpacked(packages[".deb"], tmp_path / "root")
    run(["dpkg-deb", "--control", packages[".deb"], tmp_path / "control"])
    for library in ("libfinegrain-c", "libfinegrain-omp", "libfinegrain-omp-all"):
        assert f"{library} 0 finegrain (>= " in (tmp_path / "control/shlibs").read_text()
    assert "ldconfig" in (tmp_path / "control/postinst").read_text()
    assert (root / "usr/share/doc/finegrain/copyright").is_file()
    run([root / "usr/bin/finegrain-info", "--no-measure"])
    assert not [file for file in root.rglob("*.so*") if b"/build/" in file.read_bytes()]


@pytest.mark.parametrize(
    "name", ["libfinegrain-c.so", "libfinegrain-omp.so", "libfinegrain-omp-all.so"]
)
def test_shared_libraries_have_names_with_versions(installed: Path, name: str) -> None:
    library = library_folder(installed) / name
    assert f"Library soname: [{name}.0]" in run(["readelf", "--dynamic", library])
    assert library.is_symlink()


@pytest.mark.parametrize("command", ["finegrain-info", "finegrain-omp"])
def test_commands_tell_their_version(installed: Path, command: str) -> None:
    assert run([installed / "bin" / command, "--version"]) == f"{command} {VERSION}\n"


@pytest.mark.parametrize("target", ["c", "c_static"])
def test_c_without_a_compiler_of_cxx(installed: Path, tmp_path: Path, target: str) -> None:
    find = "find_package(finegrain REQUIRED COMPONENTS c)"
    lists = lists_that(find, f"finegrain::{target}", language="C")
    project = make_project(tmp_path / "app", lists, C_PROGRAM)
    environment = without_cxx(tmp_path / "bin")
    assert shutil.which("c++", path=environment["PATH"]) is None
    configure(project, f"-DCMAKE_PREFIX_PATH={installed}", environment=environment)
    assert build_and_run(project, environment) == PRINTED
    loads_ours = "libfinegrain-c" in run(["readelf", "--dynamic", project / "build/app"])
    assert loads_ours == (target == "c")


# For each package what a program gets besides the folders, linked as usual and with --static.
C_IS_LINKED_STATIC = {"-lfinegrain-core", "-lhwloc", "-lstdc++", "-lm", "-pthread"}
ASKED_FOR = {
    ("finegrain", ""): {"-pthread"},
    ("finegrain-core", ""): {
        *("-DFINEGRAIN_WITH_HWLOC=1", "-pthread", "-lfinegrain-core", "-lhwloc")
    },
    ("finegrain-c", ""): {"-lfinegrain-c"},
    ("finegrain-c", "--static"): {"-lfinegrain-c"} | C_IS_LINKED_STATIC,
    ("finegrain-c-static", ""): {"libfinegrain-c.a"} | C_IS_LINKED_STATIC,
    ("finegrain-c-static", "--static"): {"libfinegrain-c.a"} | C_IS_LINKED_STATIC,
}


@pytest.mark.parametrize(("package", "option"), ASKED_FOR)
def test_pkg_config_asks_for_no_more(installed: Path, package: str, option: str) -> None:
    said = flags(installed, package, *filter(None, [option]))
    words = {Path(word).name if word.endswith(".a") else word for word in said}
    found = {word for word in words if not word.startswith(("-I", "-L"))}
    assert found == ASKED_FOR[package, option]


# C++ beside the C library takes the headers as they are.
@pytest.mark.parametrize(
    ("compiler", "package"),
    [("g++", "finegrain"), ("clang++-19", "finegrain-core"), ("g++", "finegrain-c")],
)
def test_pkg_config_for_cxx(installed: Path, tmp_path: Path, compiler: str, package: str) -> None:
    (tmp_path / "main.cpp").write_text(PROGRAM)
    app = tmp_path / "app"
    run([compiler, "-std=c++20", tmp_path / "main.cpp", "-o", app, *flags(installed, package)])
    assert run([app], {"LD_LIBRARY_PATH": str(library_folder(installed))}) == PRINTED


@pytest.mark.parametrize("option", ["", "--static"])
@pytest.mark.parametrize("package", ["finegrain-c", "finegrain-c-static"])
def test_pkg_config_for_c(installed: Path, tmp_path: Path, package: str, option: str) -> None:
    (tmp_path / "main.c").write_text(C_PROGRAM)
    app = tmp_path / "app"
    asked = flags(installed, package, *filter(None, [option]))
    environment = without_cxx(tmp_path / "bin")
    run(["cc", "-std=c99", tmp_path / "main.c", "-o", app, *asked], environment)
    shared = {"LD_LIBRARY_PATH": str(library_folder(installed))}
    assert run([app], shared if package == "finegrain-c" else {}) == PRINTED


def test_openmp(installed: Path, tmp_path: Path) -> None:
    project = make_project(tmp_path / "app", OMP_LISTS, OMP_PROGRAM)
    configure(project, f"-DCMAKE_PREFIX_PATH={installed}", "-DCMAKE_CXX_COMPILER=g++")
    run(["cmake", "--build", project / "build"])
    verbose = {"FINEGRAIN_OMP_VERBOSE": "1"}
    assert "and 100 tasks" in run([project / "build/app"], verbose)
    run(["g++", "-fopenmp", project / "main.cpp", "-o", tmp_path / "plain"])
    # The name without a version is for linking, and may be in another package.
    there = shutil.copytree(installed, tmp_path / "there", symlinks=True)
    (library_folder(there) / "libfinegrain-omp.so").unlink()
    for program in (tmp_path / "plain", project / "build/app"):
        said = run([there / "bin/finegrain-omp", program], verbose)
        assert said.count("and 100 tasks") == 1
    all_ours = verbose | {"FINEGRAIN_OMP": "all"}
    assert "and 100 tasks" in run([there / "bin/finegrain-omp", tmp_path / "plain"], all_ours)


# ---- the source tree ----

TELL_TARGETS = """
get_property(targets DIRECTORY "${finegrain_SOURCE_DIR}" PROPERTY BUILDSYSTEM_TARGETS)
get_property(tests DIRECTORY "${finegrain_SOURCE_DIR}" PROPERTY TESTS)
message(STATUS "leaked: [${CMAKE_MODULE_PATH}] [${CMAKE_EXPORT_COMPILE_COMMANDS}] [${tests}]")
message(STATUS "leaked: [${CMAKE_CXX_FLAGS}] [${CMAKE_CXX_EXTENSIONS}] [${CMAKE_INSTALL_LIBDIR}]")
"""


FETCH = "include(FetchContent)\nFetchContent_Declare(finegrain {}URL https://example.invalid)\n"
OF_THE_SOURCE_TREE = {
    "fetched": FETCH.format("") + "FetchContent_MakeAvailable(finegrain)",
    "found": FETCH.format("OVERRIDE_FIND_PACKAGE ") + "find_package(finegrain REQUIRED)",
    "subdirectory": f"add_subdirectory({ROOT} finegrain)",
}


@pytest.mark.parametrize(
    ("how", "target"),
    [
        ("fetched", "finegrain::finegrain"),
        ("found", "finegrain::finegrain"),
        ("subdirectory", "finegrain::finegrain"),
        ("subdirectory", "finegrain::core"),
    ],
)
def test_source_tree(tmp_path: Path, how: str, target: str) -> None:
    lists = lists_that(OF_THE_SOURCE_TREE[how], target)
    project = make_project(tmp_path / "app", lists + TELL_TARGETS, PROGRAM)
    exports = "-DCMAKE_EXPORT_COMPILE_COMMANDS=1"
    said = configure(project, exports, FETCHES_THIS, environment={"CXXFLAGS": ""})
    assert re.findall("leaked: (.*)", said) == ["[] [1] []", "[] [] []"]
    assert build_and_run(project) == PRINTED

    # Of ours only what the program links; of our options only what it asks for.
    built = {file.name for file in (project / "build").rglob("*.[aos]*") if file.is_file()}
    core = {"hwloc_topology.cpp.o", "libfinegrain-core.a"}
    ours = core if target == "finegrain::core" else set()
    assert {name for name in built if name.endswith((".o", ".a", ".so"))} == {"main.cpp.o"} | ours
    commands = json.loads((project / "build/compile_commands.json").read_text())
    of_main = next(each["command"] for each in commands if each["file"].endswith("/app/main.cpp"))
    kinds = {word for word in shlex.split(of_main)[1:] if word.startswith("-")} - {"-o", "-c"}
    allowed = {f"-I{ROOT}/include", "-std=gnu++20", "-DFINEGRAIN_WITH_HWLOC=1"}
    assert kinds <= allowed
    cache = (project / "build/CMakeCache.txt").read_text()
    entries = set(re.findall(r"^([A-Za-z]\w+):", cache, flags=re.MULTILINE))
    of_others = ("CMAKE_", "FETCHCONTENT_", "PKG_CONFIG", "FIND_PACKAGE_", "app_", "prefix_result")
    strange = {entry for entry in entries if not entry.startswith(of_others)}
    assert {entry for entry in strange if "finegrain" not in entry.lower()} == set()


def test_shared(tmp_path: Path) -> None:
    prefix, build = tmp_path / "there", tmp_path / "build"
    options = {
        **QUICKLY,
        "BUILD_SHARED_LIBS": "ON",
        **dict.fromkeys(("FINEGRAIN_BUILD_TESTS", "FINEGRAIN_BUILD_OMP"), "OFF"),
        "FINEGRAIN_BUILD_TOOLS": "OFF",
        "CMAKE_INSTALL_PREFIX": str(prefix),
        "CMAKE_INSTALL_LIBDIR": "lib/" + run(["cc", "-print-multiarch"]).strip(),
    }
    defined = [f"-D{name}={value}" for name, value in options.items()]
    run(["cmake", "-G", "Ninja", "-S", ROOT, "-B", build, *defined])
    run(["cmake", "--build", build, "--target", "install"])
    lists = lists_that("find_package(finegrain REQUIRED COMPONENTS core)", "finegrain::core")
    project = make_project(tmp_path / "app", lists, PROGRAM)
    hidden = {"PKG_CONFIG_LIBDIR": str(tmp_path)}  # hwloc is no concern of a program's any more
    configure(project, f"-DCMAKE_PREFIX_PATH={prefix}", environment=hidden)
    assert build_and_run(project) == PRINTED
    assert "[libfinegrain-core.so.0]" in run(["readelf", "--dynamic", project / "build/app"])
    (tmp_path / "main.c").write_text(C_PROGRAM)
    app = tmp_path / "c_app"
    run(["cc", tmp_path / "main.c", "-o", app, *flags(prefix, "finegrain-c")])
    assert run([app], {"LD_LIBRARY_PATH": str(library_folder(prefix))}) == PRINTED


def test_conan(tmp_path: Path) -> None:
    environment = {"CONAN_HOME": str(tmp_path)}
    conan = Path(sys.executable).parent / "conan"
    run([conan, "profile", "detect"], environment)
    options = ["-s", "compiler.cppstd=20", "-c", "tools.cmake.cmake_layout:test_folder=$TMP"]
    options += ["-c", f"tools.cmake.cmaketoolchain:extra_variables={QUICKLY}"]
    said = run([conan, "create", ROOT / "packaging/conan", *options], environment)
    assert said.endswith(f"finegrain/{VERSION} (test package): RUN: ./app\n{PRINTED}\n")


# ---- what goes wrong ----


@pytest.mark.parametrize(
    ("wanted", "hides_hwloc", "why"),
    [
        ("REQUIRED COMPONENTS tea", False, "component 'tea' is no part of this installation"),
        ("REQUIRED COMPONENTS core", True, "component 'core' needs hwloc 2.5 or newer"),
        ("99.0 REQUIRED", False, 'compatible with requested version "99.0"'),
    ],
)
def test_not_found(
    installed: Path, tmp_path: Path, wanted: str, hides_hwloc: bool, why: str
) -> None:
    lists = lists_that(f"find_package(finegrain {wanted})")
    project = make_project(tmp_path / "app", lists, PROGRAM)
    environment = {"PKG_CONFIG_LIBDIR": str(tmp_path)} if hides_hwloc else {}
    prefix = f"-DCMAKE_PREFIX_PATH={installed}"
    said = configure(project, prefix, environment=environment, fails=True)
    assert why in re.sub(r"\s+", " ", said)


def test_without_hwloc(installed: Path, tmp_path: Path) -> None:
    project = make_project(tmp_path / "app", lists_that(), PROGRAM)
    hidden = {"PKG_CONFIG_LIBDIR": str(tmp_path)}
    configure(project, f"-DCMAKE_PREFIX_PATH={installed}", environment=hidden)
    assert build_and_run(project) == PRINTED
