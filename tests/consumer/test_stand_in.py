# SPDX-License-Identifier: Apache-2.0
"""The library with regions of our own, installed, in the place of the native OpenMP runtimes.

Programs find it by LD_LIBRARY_PATH under the runtimes' names: none is changed or preloaded.
"""

import os
import re
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest
from outside import BUILD, run

NAMES = ("libgomp.so.1", "libiomp5.so", "libomp.so", "libomp.so.5")
FILE = "libfinegrain-omp-all.so.0."
COMPILERS = {"gcc": "gcc", "clang": "clang-19"}
OPENBLAS = Path("/usr/lib") / run(["gcc", "-print-multiarch"]).strip() / "openblas-openmp"

# One sum, however many threads; says which OpenMP libraries the process has and how many threads.
PROGRAM_C = """
#include <omp.h>
#include <stdio.h>
#include <string.h>
int main(void) {
  int sum = 0;
#pragma omp parallel num_threads(2) reduction(+ : sum)
#pragma omp for schedule(dynamic)
  for (int i = 0; i < 100; ++i) sum += i;
#pragma omp parallel num_threads(2)
#pragma omp single
#pragma omp task
  sum += omp_get_num_threads() == 2;
  printf("sum %d\\n", sum);
  return 0;
}
"""
PROGRAM_CXX = "#include <vector>\n" + PROGRAM_C.replace("int sum", "std::vector<int> v; int sum")
PROGRAM_FORTRAN = """
program sums
  use omp_lib
  implicit none
  integer :: i, total
  total = 0
  call omp_set_num_threads(2)
  !$omp parallel do reduction(+ : total) schedule(guided)
  do i = 0, 99
    total = total + i
  end do
  !$omp parallel
  !$omp single
  if (omp_get_num_threads() == 2) total = total + 1
  !$omp end single
  !$omp end parallel
  print '(a, i0)', 'sum ', total
end program
"""
PROGRAMS = {
    ("gcc", "c"): PROGRAM_C,
    ("clang-19", "c"): PROGRAM_C,
    ("g++", "cpp"): PROGRAM_CXX,
    ("clang++-19", "cpp"): PROGRAM_CXX,
    ("gfortran", "f90"): PROGRAM_FORTRAN,
}

# A part of a program: its threads, as the system numbers them.
PART = """
#include <omp.h>
#include <unistd.h>
void threads_of_PART(int* ids) {
#pragma omp parallel num_threads(3)
  ids[omp_get_thread_num()] = gettid();
}
"""
BOTH_PARTS = """
#include <stdio.h>
#include <string.h>
void threads_of_gcc(int* ids);
void threads_of_clang(int* ids);
int main(void) {
  int first[3], second[3];
  threads_of_gcc(first);
  threads_of_clang(second);
  printf("same %d\\n", memcmp(first, second, sizeof first) == 0);
  return 0;
}
"""
# Opens parts as Python's packages do: each for itself, and only then their runtimes.
OPENS_PARTS = """
import ctypes, os, sys
found = []
for path in sys.argv[1:]:
    part, ids = ctypes.CDLL(path), (ctypes.c_int * 3)()
    getattr(part, "threads_of_" + path.rsplit(".", 2)[-2])(ids)
    found.append(list(ids))
print("same", int(found[0] == found[1]))
maps = {line.split()[-1] for line in open("/proc/self/maps") if "omp" in line}
print("loaded", *sorted(os.path.basename(path) for path in maps))
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder for LD_LIBRARY_PATH, of an installation that was moved."""
    there = tmp_path_factory.mktemp("installed")
    run(["cmake", "--install", BUILD, "--prefix", there / "made"])
    (there / "made").rename(there / "moved")
    return Path(run([there / "moved/bin/finegrain-omp", "--folder"]).strip())


def compiled(output: Path, source: str, *options: str | Path, compiler: str = "gcc") -> Path:
    suffix = {"f90": ".f90", "cpp": ".cpp"}.get(
        next((kind for tool, kind in PROGRAMS if tool == compiler), "c"), ".c"
    )
    file = output.with_suffix(suffix)
    file.write_text(source)
    run([compiler, "-fopenmp", "-D_GNU_SOURCE", file, "-o", output, *options])
    return output


def in_place(folder: Path, **more: str) -> dict[str, str]:
    return {"LD_LIBRARY_PATH": str(folder), "OMP_NUM_THREADS": "2", **more}


def loaded(program: Path, environment: Mapping[str, str]) -> set[Path]:
    """The files that the dynamic linker finds for what a program needs, without complaint."""
    said = run(["ldd", program], environment)
    assert "not found" not in said
    return {Path(path).resolve() for path in re.findall(r"=> (/\S+)", said)}


def test_the_folder_holds_links_to_one_file(folder: Path) -> None:
    assert folder.parts[-3:] == (folder.parts[-3], "finegrain", "omp")
    assert sorted(each.name for each in folder.iterdir()) == sorted(NAMES)
    assert len({(folder / name).stat().st_ino for name in NAMES}) == 1
    assert not (folder / NAMES[0]).readlink().is_absolute()


@pytest.mark.parametrize(("compiler", "kind"), PROGRAMS)
@pytest.mark.parametrize("binding", ["lazy", "now"])
def test_programs_run(folder: Path, tmp_path: Path, compiler: str, kind: str, binding: str) -> None:
    program = compiled(
        tmp_path / "program", PROGRAMS[compiler, kind], f"-Wl,-z,{binding}", compiler=compiler
    )
    environment = in_place(folder, LD_DEBUG="versions", FINEGRAIN_OMP_VERBOSE="1")
    said = run([program], environment)
    assert "sum 4951\n" in said
    assert "regions are served without a runtime below" in said
    assert re.search(rf"checking for version \S+ in file {folder}/lib\S*omp", said)
    assert not re.search(r"no version information|version \S+ not found", said)
    native = {path.name for path in loaded(program, {})}
    ours = {path.name for path in loaded(program, in_place(folder))}
    assert [name for name in ours if name.startswith(FILE)] != []
    assert [name for name in native if name.startswith(FILE)] == []
    assert [name for name in ours if re.match(r"lib(gomp|iomp5|omp)\b", name)] == []


def test_packages_have_the_folder(tmp_path: Path) -> None:
    run(["cpack", "--config", BUILD / "CPackConfig.cmake", "-B", tmp_path])
    program = compiled(tmp_path / "program", PROGRAM_C)
    (tmp_path / "deb").mkdir()
    (tmp_path / "tar").mkdir()
    run(["dpkg-deb", "-x", next(tmp_path.glob("*.deb")), tmp_path / "deb"])
    run(["tar", "-C", tmp_path / "tar", "-xf", next(tmp_path.glob("*.tar.gz"))])
    for kind in ("deb", "tar"):
        (command,) = (tmp_path / kind).rglob("bin/finegrain-omp")
        folder = Path(run([command, "--folder"]).strip())
        assert folder.is_relative_to(tmp_path / kind)
        assert any(path.name.startswith(FILE) for path in loaded(program, in_place(folder)))
        assert run([program], in_place(folder)) == "sum 4951\n"


def parts(tmp_path: Path) -> list[Path]:
    return [
        compiled(
            *(tmp_path / f"part.{name}.so", PART.replace("PART", name), "-shared", "-fPIC"),
            compiler=compiler,
        )
        for name, compiler in COMPILERS.items()
    ]


def test_objects_of_both_compilers_share_a_team(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "main.c").write_text(BOTH_PARTS)
    program = tmp_path / "program"
    run(["gcc", tmp_path / "main.c", "-o", program, *parts(tmp_path)])
    assert run([program]) == "same 0\n"
    assert run([program], in_place(folder)) == "same 1\n"
    assert len([path for path in loaded(program, in_place(folder)) if "omp" in path.name]) == 1


def test_python_opens_it(folder: Path, tmp_path: Path) -> None:
    command = [sys.executable, "-c", OPENS_PARTS, *map(str, parts(tmp_path))]
    (file,) = {(folder / name).resolve().name for name in NAMES}
    assert run(command, in_place(folder)) == f"same 1\nloaded {file}\n"
    said = run(command, in_place(folder, FINEGRAIN_OMP="off"))
    assert said.startswith("finegrain-omp: FINEGRAIN_OMP=off, but the program has opened this")
    assert said.count("finegrain-omp: ") == 1
    assert said.endswith(f"same 1\nloaded {file}\n")


CALLS_BLAS = """
double cblas_ddot(int, const double*, int, const double*, int);
int main(void) { double a[2] = {1, 2}; return cblas_ddot(2, a, 1, a, 1) == 5 ? 0 : 1; }
"""


@pytest.mark.skipif(not OPENBLAS.is_dir(), reason="libopenblas-openmp-dev is not installed")
def test_programs_are_linked_while_it_is_in_the_path(folder: Path, tmp_path: Path) -> None:
    # The linker, too, looks into that folder, for what a library needs, and for its versions.
    (tmp_path / "main.c").write_text(CALLS_BLAS)
    program, blas = tmp_path / "program", OPENBLAS / "libopenblas.so"
    main, path = tmp_path / "main.c", f"-Wl,-rpath,{OPENBLAS}"
    run(["gcc", main, "-o", program, blas, path], in_place(folder))
    run([program], in_place(folder))


def test_has_the_versions_of_the_native_runtimes(folder: Path, tmp_path: Path) -> None:
    def versions(library: Path) -> set[tuple[str, str]]:
        said = run(["nm", "-D", "--defined-only", "--with-symbol-versions", library])
        return set(re.findall(r"(\w+)@+(\S+)", said))

    ours = versions(folder / "libomp.so.5")
    for compiler in COMPILERS.values():
        program = compiled(tmp_path / "program", PROGRAM_C, compiler=compiler)
        (native,) = (path for path in loaded(program, {}) if re.search("libg?omp", path.name))
        # Locks from before gcc 4.4; plugins of the runtime; variables that no compiler refers to.
        left_out = r"_nest_lock_?@OMP_1\.0|GOMP_PLUGIN|_mem_(alloc|space)@|_allocator@"
        called = {f"{name}@{version}" for name, version in versions(native)}
        missing = called - {f"{name}@{version}" for name, version in ours}
        of_compilers = {each for each in missing if re.match("(omp|GOMP|__kmpc)_", each)}
        assert {each for each in of_compilers if not re.search(left_out, each)} == set()
        assert len(called) > 300


# ---- what it does not serve ----


@pytest.mark.parametrize("mode", ["tasks", "off"])
@pytest.mark.parametrize("compiler", COMPILERS.values())
def test_the_native_runtime_takes_over(
    folder: Path, tmp_path: Path, mode: str, compiler: str
) -> None:
    program = compiled(tmp_path / "program", PROGRAM_C, compiler=compiler)
    after = f"{folder}:{tmp_path}"
    said = run([program], in_place(Path(after), FINEGRAIN_OMP=mode, FINEGRAIN_OMP_VERBOSE="1"))
    assert "sum 4951\n" in said
    assert "regions are served" not in said
    words = {"tasks": r"runtime lib\S+, entry points \w+\n", "off": r"passive: FINEGRAIN_OMP=off\n"}
    assert re.search("finegrain-omp: " + words[mode], said)


CALLS_REFUSED = """
#include <omp.h>
void kmp_set_defaults(const char* text);
int main(int count, char** arguments) {
  (void)arguments;
  if (count > 1) kmp_set_defaults("KMP_BLOCKTIME=0");
  return omp_get_max_threads() == 2 ? 0 : 1;
}
"""
# A library of a name that no system has, which a program needs.
STUB = (
    "void kmp_set_defaults(const char* t) { (void)t; } int omp_get_max_threads(void) { return 0; }"
)


def test_says_what_a_program_calls(folder: Path, tmp_path: Path) -> None:
    program = compiled(tmp_path / "program", CALLS_REFUSED, compiler="clang-19")
    said = run([program], in_place(folder))
    assert said == (
        "finegrain-omp: FINEGRAIN_OMP=tasks instead of all: the program calls kmp_set_defaults\n"
    )


def test_says_that_there_is_no_native_runtime(folder: Path, tmp_path: Path) -> None:
    name = "libnowhere.so.5"
    stub, main = tmp_path / "stub.c", tmp_path / "main.c"
    stub.write_text(STUB)
    main.write_text(CALLS_REFUSED)
    run(["gcc", "-shared", f"-Wl,-soname,{name}", stub, "-o", tmp_path / "stub.so"])
    program = tmp_path / "program"
    run(["gcc", "-fopenmp", "-c", main, "-o", tmp_path / "main.o"])
    run(["gcc", tmp_path / "main.o", tmp_path / "stub.so", "-o", program])
    only = tmp_path / "only"
    only.mkdir()
    (only / name).symlink_to(os.path.relpath((folder / NAMES[0]).resolve(), only))
    goes_on = f"but there is no other {name}: OpenMP is served without a runtime below\n"
    calls = f"finegrain-omp: the program calls kmp_set_defaults, {goes_on}"
    assert run([program], in_place(only)) == calls
    assert run([program, "call"], in_place(only), fails=True).startswith(
        f"{calls}finegrain-omp: kmp_set_defaults is not served"
    )
    for more, why in (
        ({"FINEGRAIN_OMP": "tasks"}, "FINEGRAIN_OMP=tasks"),
        ({"FINEGRAIN_OMP": "off"}, "FINEGRAIN_OMP=off"),
        ({"OMP_TOOL_LIBRARIES": "/tool.so"}, "an OMPT tool is present and must see the runtime's"),
        ({"FINEGRAIN_POLICY": "none"}, "FINEGRAIN_POLICY is unknown"),
    ):
        said = run([program], in_place(only, **more))
        assert f"finegrain-omp: {why}" in said
        assert goes_on in said
