"""Each public header alone, and each part of the library used once, by what users compile with.

No library of ours, no hwloc: the headers and threads are all there is.
"""

import itertools
import os
import subprocess
from collections.abc import Iterable, Sequence
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
NEEDS_OTHERS = {INCLUDE / "finegrain/execution/stdexec.hpp"}  # NVIDIA's stdexec, which nobody packs

Job = tuple[Sequence[str], str]  # a compiler with its options; a source text


def complaint(job: Job) -> str:
    """What the compiler says first to the source; empty where it takes it."""
    command, source = job
    language = "c" if command[0] in ("gcc", "clang-19") else "c++"
    whole = [*command, *STRICT, "-fsyntax-only", "-x", language, "-"]
    done = subprocess.run(
        whole, input=source, stderr=subprocess.PIPE, text=True, check=False, timeout=120
    )
    errors = [line for line in done.stderr.splitlines() if "error: " in line]
    first = errors[0] if errors else done.stderr
    return (
        "" if done.returncode == 0 else f"{' '.join(command)}: {source.splitlines()[0]}\n  {first}"
    )


def expect_none(jobs: Iterable[Job]) -> None:
    with ThreadPoolExecutor(os.cpu_count()) as compilers:
        complaints = [said for said in compilers.map(complaint, jobs) if said]
    if complaints:
        pytest.fail("\n".join(complaints), pytrace=False)


def including(header: Path) -> str:
    return f'#include "{header.relative_to(INCLUDE)}"\n'


@pytest.mark.parametrize(
    "command", [("g++", "-std=c++20"), ("clang++-19", "-stdlib=libc++", "-std=c++23", *WITHOUT)]
)
def test_each_header_alone(command: Sequence[str]) -> None:
    headers = sorted(set(INCLUDE.rglob("*.h*")) - NEEDS_OTHERS)
    assert len(headers) > 90
    expect_none((command, including(header)) for header in headers)


def test_every_use_in_every_dialect() -> None:
    dialects = itertools.product(COMPILERS, STANDARDS, ((), WITHOUT))
    jobs = [
        ((*compiler, standard, *less), EVERY_USE.read_text())
        for compiler, standard, less in dialects
    ]
    expect_none(jobs)


def test_c_header_in_c() -> None:
    commands = itertools.product(("gcc", "clang-19"), ("-std=c99", "-std=c11", "-std=c17"))
    header = including(INCLUDE / "finegrain/finegrain.h")
    expect_none((command, header) for command in commands)


@pytest.fixture(scope="module", params=[("g++",), ("clang++-19", "-stdlib=libc++")], ids=" ".join)
def program(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """every_use.cpp without exceptions and run-time types, linked with threads alone."""
    file = tmp_path_factory.mktemp("headers") / "every_use"
    command = [*request.param, "-std=c++20", "-O1", *WITHOUT, *STRICT, "-pthread"]
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
