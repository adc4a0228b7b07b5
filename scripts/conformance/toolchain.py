# SPDX-License-Identifier: Apache-2.0
"""The programs that the tests need: clang 19 or gcc, lit and its helpers, and a runtime."""

import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from .errors import ConformanceError

LLVM = Path("/usr/lib/llvm-19")
# lit kills a test that exceeds its time only with psutil, which Debian's Python has as a package.
PYTHON = "/usr/bin/python3"
HEADERS = ("omp.h", "omp-tools.h", "ompt.h", "ompx.h")
REPOSITORY = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Runtime:
    """An OpenMP runtime to test with."""

    name: str
    folder: Path  # holds its library
    soname: str
    openmp_flag: str
    is_llvms: bool = True  # or GNU's


# By the languages of gcc's tests.
GCC_COMPILERS = {"c": "gcc", "c++": "g++", "f": "gfortran"}

RUNTIMES = {
    runtime.name: runtime
    for runtime in (
        Runtime("libomp", LLVM / "lib", "libomp.so.5", "-fopenmp"),
        Runtime("libiomp5", REPOSITORY / ".venv" / "lib", "libiomp5.so", "-fopenmp=libiomp5"),
        Runtime(
            "libgomp",
            Path(f"/usr/lib/{os.uname().machine}-linux-gnu"),
            "libgomp.so.1",
            "-fopenmp",
            is_llvms=False,
        ),
    )
}


@dataclass(frozen=True)
class Toolchain:
    """The programs' paths; the versions of the compilers."""

    clang: str
    clangxx: str
    clang_version: str
    gcc_version: str
    lit: Path
    filecheck: Path
    not_: Path
    headers: Path


def find_toolchain() -> Toolchain:
    """Finds the programs, or says which package is missing."""
    clang, clangxx = shutil.which("clang-19"), shutil.which("clang++-19")
    if clang is None or clangxx is None:
        raise ConformanceError("no clang-19 here: install Debian's clang-19 (scripts/setup test)")
    headers = LLVM / "lib" / "clang" / "19" / "include"
    lit = LLVM / "build" / "utils" / "lit" / "lit.py"
    filecheck, not_ = LLVM / "bin" / "FileCheck", LLVM / "bin" / "not"
    for path, package in (
        (headers / HEADERS[0], "libomp-19-dev"),
        (lit, "llvm-19-tools"),
        (filecheck, "llvm-19-tools"),
        (not_, "llvm-19-tools"),
    ):
        if not path.is_file():
            raise ConformanceError(f"no {path} here: install {package} (scripts/setup test)")
    if subprocess.run([PYTHON, "-c", "import psutil"], capture_output=True, check=False).returncode:
        raise ConformanceError(
            f"{PYTHON} has no psutil: install Debian's python3-psutil (scripts/setup test)"
        )
    for compiler in GCC_COMPILERS.values():
        if shutil.which(compiler) is None:
            raise ConformanceError(f"no {compiler} here: install Debian's (scripts/setup test)")
    versions = (_version(clang), _version(GCC_COMPILERS["c"]))
    return Toolchain(clang, clangxx, *versions, lit, filecheck, not_, headers)


def _version(compiler: str) -> str:
    return subprocess.run(
        [compiler, "-dumpfullversion", "-dumpversion"], capture_output=True, text=True, check=True
    ).stdout.strip()


def find_runtime(name: str) -> Runtime:
    """The runtime of that name, if its library is there."""
    if name not in RUNTIMES:
        raise ConformanceError(f"no runtime '{name}': it is one of {', '.join(RUNTIMES)}")
    runtime = RUNTIMES[name]
    if not (runtime.folder / runtime.soname).is_file():
        library = runtime.folder / runtime.soname
        raise ConformanceError(f"no {library} here: run 'scripts/setup test'")
    return runtime


def has_symbol(library: Path, symbol: str) -> bool:
    """Whether a library defines that dynamic symbol."""
    names = subprocess.run(
        ["nm", "-D", "--defined-only", library], capture_output=True, text=True, check=True
    ).stdout
    return any(line.split()[-1].split("@")[0] == symbol for line in names.splitlines())
