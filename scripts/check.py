# SPDX-License-Identifier: Apache-2.0
"""Checks what has changed since main in a few minutes, and says what it leaves out.

`make check` runs it over build/release: format and lint of what changed, all unit tests, and the
Python tests that a changed file concerns.
"""

import json
import re
import shlex
import subprocess
import sys
import time
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from os import X_OK, access, cpu_count
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
BUILD, VENV = ROOT / "build/release", ROOT / ".venv/bin"
MOST_TIDIED = 8  # sources, of some 10 s each
LEFT_OUT = "sanitizers, stress tests, models, the drop-in, programs and packages of the lab"
# Python tests that a change in a folder may concern: all of these,
TESTS_OF = {
    "README.md": "tests/docs/test_[lr]*.py",
    "docs/": "tests/docs/test_[lr]*.py",
    "include/": "tests/headers/test_rooms.py",
}
# and of these the ones that name the changed file.
TESTS_NAMING = {
    "bench/finegrain_lab/": "tests/bench/lab/test_*.py",
    "scripts/": "tests/tools/test_*.py",
}

failed: list[str] = []


def step(name: str, *command: str | Path) -> None:
    """Runs a check, and shows what it says if it fails."""
    began = time.monotonic()
    done = subprocess.run(
        command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
    )
    if done.returncode:
        failed.append(name)
        print(done.stdout, end="")
    word = "FAILED" if done.returncode else "ok"
    print(f"{word}: {name}, {time.monotonic() - began:.0f} s", flush=True)


def at_once(steps: Iterable[tuple[str | Path, ...]]) -> None:
    """Runs checks, one on each CPU; a name and a command are one."""
    with ThreadPoolExecutor(cpu_count()) as pool:
        list(pool.map(lambda each: step(str(each[0]), *each[1:]), steps))


def git(*arguments: str) -> list[str]:
    """The lines that git writes."""
    done = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=True)
    return done.stdout.splitlines()


def changed_files() -> list[str]:
    """Those that differ from where this branch left main, committed or not, and new ones."""
    main = git("for-each-ref", "--format=%(refname)", "refs/remotes/origin/main", "refs/heads/main")
    base = git("merge-base", "HEAD", main[-1] if main else "HEAD")
    different = git("diff", "--name-only", "--diff-filter=d", base[0])
    return sorted({*different, *git("ls-files", "--others", "--exclude-standard")})


def tidied(files: Iterable[str]) -> list[str]:
    """The sources among them, and of a header of ours its own unit test."""
    tests = (
        re.sub(r"^include/finegrain/(.*)\.hpp$", r"tests/unit/\1_test.cpp", it) for it in files
    )
    return [it for it in dict.fromkeys(tests) if it.endswith(".cpp") and (ROOT / it).exists()]


def tidy_of(source: str) -> tuple[str | Path, ...]:
    """The command that checks a source as it is compiled, alone where that is several to a file.

    Empty if this build does not compile it.
    """
    tidy = (VENV / "clang-tidy", "--quiet")
    for entry in json.loads((BUILD / "compile_commands.json").read_text()):
        compiled = Path(entry["file"])
        if compiled == ROOT / source:
            return (*tidy, "-p", BUILD, source)
        if "Unity" in compiled.parts and f'"{ROOT / source}"' in compiled.read_text():
            words = shlex.split(entry["command"])
            return (*tidy, source, "--", *words[1 : words.index("-o")])
    return ()


def python_tests(files: Iterable[str]) -> list[str]:
    """The Python tests that a changed file concerns, and those that have changed."""
    chosen = {it for it in files if re.fullmatch(r"tests/(bench/lab|docs|tools)/test_\w+\.py", it)}
    for file in files:
        name = re.compile(rf"\b{re.escape(Path(file).stem)}\b")
        for start, pattern in [*TESTS_OF.items(), *TESTS_NAMING.items()]:
            if file.startswith(start):
                chosen |= {
                    str(test.relative_to(ROOT))
                    for test in ROOT.glob(pattern)
                    if start in TESTS_OF or name.search(test.read_text())
                }
    return sorted(chosen)


def main() -> int:
    """Runs all, and returns the exit status."""
    files = changed_files()
    print(f"{len(files)} changed files")
    formatted = [it for it in files if it.endswith((".hpp", ".cpp"))]
    if formatted:
        step("clang-format", "clang-format-19", "--dry-run", "--Werror", *formatted)
    step("ruff", VENV / "ruff", "check", ".")
    step("ruff format", VENV / "ruff", "format", "--check", ".")
    step("mypy", VENV / "mypy")
    step("build of the unit tests", "cmake", "--build", BUILD, "--target", "unit_tests")
    programs = [it for it in sorted((BUILD / "tests/unit").glob("*_test")) if access(it, X_OK)]
    at_once((it.name, it, "--gtest_brief=1") for it in programs)
    sources = {it: tidy for it in tidied(files) if (tidy := tidy_of(it))}
    at_once((f"clang-tidy {it}", *sources[it]) for it in [*sources][:MOST_TIDIED])
    tests = python_tests(files)
    pytest = ("env", f"FINEGRAIN_BUILD_DIR={BUILD}", VENV / "pytest", "-q")
    halves = [half for half in (tests[::2], tests[1::2]) if half]
    at_once((f"{len(half)} files of Python tests", *pytest, *half) for half in halves)
    if left := [*sources][MOST_TIDIED:]:
        print(f"left out: clang-tidy of {', '.join(left)}")
    print(f"left out: {LEFT_OUT}: `.ci/run` has all")
    print(f"FAILED: {', '.join(failed)}" if failed else "ok")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
