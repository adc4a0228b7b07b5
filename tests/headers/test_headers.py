# SPDX-License-Identifier: Apache-2.0
"""Each public header alone, and each part of the library used once, by what users compile with.

No library of ours, no hwloc: the headers and threads are all there is.
"""

import functools
import itertools
import os
import re
import subprocess
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
INCLUDE = ROOT / "include"
EVERY_USE = Path(__file__).parent / "every_use.cpp"
STRICT = ("-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Werror", f"-I{INCLUDE}")
COMPILERS = (("g++",), ("clang++-19",), ("clang++-19", "-stdlib=libc++"))
STANDARDS = ("-std=c++20", "-std=c++23")
WITHOUT = ("-fno-exceptions", "-fno-rtti")
RUN = (COMPILERS[0], COMPILERS[2])  # what compiles every_use.cpp as C++20, WITHOUT, and runs it
# NVIDIA's stdexec, which nobody packs; Windows, for which `make windows` compiles them; macOS, for
# which tests/portability does; WebAssembly, for which `make wasm` does; MPI, with which tests/mpi
# does.
NEEDS_OTHERS = {
    INCLUDE / "finegrain" / name
    for name in (
        "execution/stdexec.hpp",
        "core/windows_api.hpp",
        "core/windows_atomic.hpp",
        "core/wasm_atomic.hpp",
        "host/windows.hpp",
        "thread/macos_thread.hpp",
        "thread/wasm_thread.hpp",
        "thread/windows_priority.hpp",
        "thread/windows_thread.hpp",
        "mpi.hpp",
        "mpi/checkpoint.hpp",
        "mpi/post.hpp",
        "mpi/rank.hpp",
        "mpi/run.hpp",
    )
}

Job = tuple[Sequence[str], str]  # a compiler with its options; a source text


def said(job: Job) -> tuple[int, str]:
    """The compiler's exit status for the source, and what it writes."""
    command, source = job
    language = "c" if command[0] in ("gcc", "clang-19") else "c++"
    whole = [*command, *STRICT, "-fsyntax-only", "-x", language, "-"]
    done = subprocess.run(
        whole, input=source, stderr=subprocess.PIPE, text=True, check=False, timeout=120
    )
    return done.returncode, done.stderr


def errors_in(output: str) -> list[str]:
    return [line for line in output.splitlines() if "error: " in line]


def complaint(job: Job) -> str:
    """What the compiler says first to the source; empty where it takes it."""
    command, source = job
    status, output = said(job)
    first = (errors_in(output) or [output])[0]
    return "" if status == 0 else f"{' '.join(command)}: {source.splitlines()[0]}\n  {first}"


def not_one_line(job: Job, words: str) -> str:
    """Empty where all that the compiler says to the source is one error with these words."""
    command, source = job
    errors = errors_in(said(job)[1])
    if len(errors) == 1 and words in errors[0]:
        return ""
    return f"{' '.join(command)}: {source.splitlines()[0]}\n  {len(errors)} errors: {errors[:1]}"


def expect_none(jobs: Iterable[Job], check: Callable[[Job], str] = complaint) -> None:
    with ThreadPoolExecutor(os.cpu_count()) as compilers:
        complaints = [found for found in compilers.map(check, jobs) if found]
    if complaints:
        pytest.fail("\n".join(complaints), pytrace=False)


def including(header: Path) -> str:
    return f'#include "{header.relative_to(INCLUDE)}"\n'


def standard_includes(files: Iterable[Path]) -> str:
    """The lines with which they include standard headers of C++."""
    lines = {line for file in files for line in file.read_text().splitlines(keepends=True)}
    return "".join(sorted(line for line in lines if re.match(r"#include <\w+>", line)))


def precompiled(command: Sequence[str], source: str, file: Path) -> Sequence[str]:
    """The command with options that include `file`, the source, at once if it could be done."""
    file.write_text(source)
    whole = [*command, *STRICT, "-x", "c++-header", str(file), "-o", f"{file}.gch"]
    subprocess.run(whole, stderr=subprocess.DEVNULL, check=False, timeout=120)
    return (*command, "-include", str(file))


def public_headers(pattern: str) -> list[Path]:
    headers = sorted(set(INCLUDE.rglob(pattern)) - NEEDS_OTHERS)
    assert len(headers) > 80
    return headers


# What many headers include, the larger the later. A header that includes one of these is compiled
# behind it, precompiled: nothing is there but what the header brings itself, only sooner.
BASES = [
    INCLUDE / "finegrain" / name
    for name in (
        "core/atomic.hpp",
        "core/clock.hpp",
        "host/text_file.hpp",
        "balance/absences.hpp",
        "host/placement.hpp",
        "pool/worker.hpp",
        "pool/pool.hpp",
    )
]


@functools.cache
def included(header: Path) -> frozenset[Path]:
    """Ours that the header includes, directly or not."""
    names = re.findall(r'#include "(finegrain/.+)"', header.read_text())
    direct = [INCLUDE / name for name in names]
    return frozenset(direct).union(*map(included, direct))


@pytest.mark.parametrize(
    "command", [("g++", "-std=c++20"), ("clang++-19", "-stdlib=libc++", "-std=c++23", *WITHOUT)]
)
def test_each_header_alone(command: Sequence[str], tmp_path: Path) -> None:
    behind = {base: precompiled(command, including(base), tmp_path / base.name) for base in BASES}

    def quickest(header: Path) -> Sequence[str]:
        return next((behind[base] for base in BASES[::-1] if base in included(header)), command)

    expect_none((quickest(header), including(header)) for header in public_headers("*.h*"))


before_cxx20 = functools.partial(
    not_one_line, words="finegrain needs C++20: compile with -std=c++20 or later"
)


def test_one_line_before_cxx20() -> None:
    """Of each header by one compiler; by all of them, of a program that includes the headers."""
    command = ("g++", "-std=c++17")
    headers = public_headers("*.hpp")
    expect_none(((command, including(header)) for header in headers), before_cxx20)


def test_one_line_to_a_program_before_cxx20() -> None:
    dialects = itertools.product(COMPILERS, ("-std=c++11", "-std=c++17"))
    jobs = [((*compiler, standard), EVERY_USE.read_text()) for compiler, standard in dialects]
    expect_none(jobs, before_cxx20)


def test_one_line_where_the_library_is_too_old(tmp_path: Path) -> None:
    (tmp_path / "version").write_text("#undef __cpp_lib_atomic_wait\n")
    one_line = functools.partial(not_one_line, words="finegrain needs the library of C++20: libst")
    jobs = [
        ((*compiler, "-std=c++20", f"-I{tmp_path}"), EVERY_USE.read_text())
        for compiler in COMPILERS
    ]
    expect_none(jobs, one_line)


def test_asks_microsofts_compiler_for_its_own_standard() -> None:
    one_line = functools.partial(not_one_line, words="compile with /std:c++20")
    command = ("g++", "-std=c++20", "-D_MSVC_LANG=201703L")
    expect_none([(command, including(INCLUDE / "finegrain/core/config.hpp"))], one_line)


def test_every_use_in_pairs_of_dialects() -> None:
    """Each pair of a compiler, a standard, and WITHOUT or not, with the programs below."""
    jobs = [
        (COMPILERS[0], "-std=c++23", ()),
        (COMPILERS[1], "-std=c++20", ()),
        (COMPILERS[1], "-std=c++23", WITHOUT),
        (COMPILERS[2], "-std=c++23", ()),
    ]
    dialects = {*jobs, *((compiler, "-std=c++20", WITHOUT) for compiler in RUN)}
    for kinds in itertools.combinations((COMPILERS, STANDARDS, ((), WITHOUT)), 2):
        for pair in itertools.product(*kinds):
            assert any(set(pair) <= set(dialect) for dialect in dialects), pair
    expect_none(
        ((*compiler, standard, *less), EVERY_USE.read_text()) for compiler, standard, less in jobs
    )


# What an include of ours costs, in lines after preprocessing: 84,000 of a relic's and 92,000 of a
# pool's are the standard headers' (libstdc++ 12), which take clang 19 0.7 to 0.8 s of 1.2 for a
# relic and 1.7 for a pool.
MOST_LINES = {
    "finegrain/relic.hpp": 92_000,
    "finegrain/pool.hpp": 104_000,
    "finegrain/finegrain.hpp": 108_500,
}


def preprocessed(compiler: str, source: str, *options: str) -> list[str]:
    command = [compiler, "-std=c++20", f"-I{INCLUDE}", "-x", "c++", "-E", *options, "-"]
    done = subprocess.run(
        command, input=source, stdout=subprocess.PIPE, text=True, check=True, timeout=120
    )
    return done.stdout.splitlines()


@pytest.mark.parametrize("header", MOST_LINES)
@pytest.mark.parametrize("compiler", ["g++", "clang++-19"])
def test_an_include_stays_light(compiler: str, header: str) -> None:
    assert len(preprocessed(compiler, f'#include "{header}"\n')) <= MOST_LINES[header]


def macros(compiler: str, source: str) -> set[str]:
    lines = preprocessed(compiler, source, "-dM")
    return {line.split()[1].partition("(")[0] for line in lines}


@pytest.mark.parametrize("header", MOST_LINES)
@pytest.mark.parametrize("compiler", ["g++", "clang++-19"])
def test_an_include_defines_no_macros_of_others(compiler: str, header: str) -> None:
    """All that are not ours come from the standard headers of C++ that ours include."""
    source = f'#include "{header}"\n'
    rule = " ".join(preprocessed(compiler, source, "-MM")).replace("\\", " ")
    ours = [Path(word) for word in rule.split() if word.startswith(str(INCLUDE))]
    assert len(ours) > 40
    added = macros(compiler, source) - macros(compiler, standard_includes(ours))
    assert {name for name in added if not name.startswith("FINEGRAIN_")} == set()


def test_c_header_in_c() -> None:
    commands = itertools.product(("gcc", "clang-19"), ("-std=c99", "-std=c11", "-std=c17"))
    header = including(INCLUDE / "finegrain/finegrain.h")
    expect_none((command, header) for command in commands)


@pytest.fixture(scope="module", params=RUN, ids=" ".join)
def program(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """every_use.cpp without exceptions and run-time types, linked with threads alone."""
    file = tmp_path_factory.mktemp("headers") / "every_use"
    command = [*request.param, "-std=c++20", *WITHOUT, *STRICT, "-pthread"]
    subprocess.run([*command, EVERY_USE, "-o", file], check=True, timeout=120)
    return file


def test_runs_without_exceptions(program: Path) -> None:
    done = subprocess.run([program], capture_output=True, text=True, check=False, timeout=60)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_says_what_it_would_throw(program: Path) -> None:
    done = subprocess.run(
        [program, "tea"], stderr=subprocess.PIPE, text=True, check=False, timeout=60
    )
    assert done.returncode == -6  # SIGABRT
    assert done.stderr.startswith("finegrain: there is no balancing policy 'tea'; there are: ")
    assert done.stderr.count("\n") == 1
