# SPDX-License-Identifier: Apache-2.0
"""The checks that a mutant is run against: models or test programs, from changed headers."""

import json
import shlex
import subprocess
import time
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from .errors import MutantError

# Where the headers are that models and tests include.
HEADER_FOLDERS = ("include", "src/omp")


class Verdict(StrEnum):
    """The outcome of one check of one mutant."""

    KILLED = "killed"
    KILLED_BY_TIME = "does not end"
    SURVIVED = "survived"
    NOT_COMPILED = "does not compile"


@dataclass(frozen=True)
class Paths:
    """The repository, and the folder that the models were built in."""

    repository: Path
    build: Path

    @property
    def headers(self) -> Path:
        """The folder with the shipped headers."""
        return self.repository / "include" / "finegrain"


@dataclass(frozen=True)
class Check:
    """A program: the build's commands that compile its sources, and its link command."""

    name: str
    compilations: tuple[tuple[str, ...], ...]
    libraries: tuple[str, ...]

    def try_on(self, tree: Path, work: Path, paths: Paths, limit_s: float) -> Verdict:
        """Compiles it from a copy of the repository's folders with headers, and runs it."""
        objects = []
        for number, command in enumerate(self.compilations):
            objects.append(str(work / f"{self.name}_{number}.o"))
            changed = _with_headers(command, paths.repository, tree)
            if not _succeeds([*changed, "-o", objects[-1]], paths.build):
                return Verdict.NOT_COMPILED
        program = work / self.name
        link = ["clang++-19", *objects, *self.libraries, "-o", str(program)]
        if not _succeeds(link, paths.build):
            raise MutantError(f"{self.name} cannot be linked: {shlex.join(link)}")
        return _run(program, limit_s)


class Checks:
    """The models and tests of a build, by name."""

    def __init__(self, paths: Paths) -> None:
        self._paths = paths
        database = paths.build / "compile_commands.json"
        if not database.is_file():
            raise MutantError(f"no {database}: run 'make mutants'")
        commands = [shlex.split(entry["command"]) for entry in json.loads(database.read_bytes())]
        self._compilations = {words[words.index("-o") + 1]: words for words in commands}

    def models(self) -> list[str]:
        """Returns the names of all models."""
        return sorted(path.name for path in (self._paths.build / "tests" / "model").glob("*_model"))

    def find(self, name: str) -> Check:
        """Returns a model, by its name, or a test, by its source below tests.

        Raises MutantError where there is none.
        """
        return self._test(name) if name.endswith(".cpp") else self._model(name)

    def _model(self, name: str) -> Check:
        objects = self._objects_of(name)
        commands = [_without_output(self._compilations[each]) for each in objects]
        tests = self._paths.build / "tests"
        libraries = (tests / "model/libmodel_checker.a", tests / "virtual/libvirtual_threads.a")
        return Check(name, tuple(commands), (*map(str, libraries), "-lpthread"))

    def _objects_of(self, name: str) -> list[str]:
        query = ["ninja", "-t", "query", f"tests/model/{name}"]
        done = subprocess.run(
            query, cwd=self._paths.build, capture_output=True, text=True, check=False
        )
        objects = [line.strip() for line in done.stdout.splitlines() if line.endswith(".o")]
        if done.returncode != 0 or not objects:
            raise MutantError(f"there is no model '{name}'")
        return objects

    def _test(self, source: str) -> Check:
        tests = self._paths.repository / "tests"
        path = tests / source
        if not path.is_file():
            raise MutantError(f"there is no test '{source}'")
        include = self._paths.repository / "include"
        command = ("clang++-19", "-std=c++20", "-O1", f"-I{include}", f"-I{tests}", "-c", str(path))
        return Check(path.stem, (command,), ("-lgtest", "-lgtest_main", "-lpthread"))


def measured_s(check: Check, paths: Paths, work: Path) -> float:
    """Returns the seconds of a check without any mutant, including its compilation.

    Raises MutantError where it is red then.
    """
    start = time.monotonic()
    if check.try_on(paths.repository, work, paths, 600) is not Verdict.SURVIVED:
        raise MutantError(f"{check.name} is red without any mutant")
    return time.monotonic() - start


def _without_output(words: Sequence[str]) -> tuple[str, ...]:
    at = words.index("-o")
    # Its header dependencies are not needed here.
    dropped = {words.index(flag) for flag in ("-MD",) if flag in words}
    for flag in ("-MF", "-MT"):
        if flag in words:
            dropped |= {words.index(flag), words.index(flag) + 1}
    return tuple(word for i, word in enumerate(words) if i not in dropped and i not in (at, at + 1))


def _with_headers(command: Sequence[str], original: Path, copy: Path) -> list[str]:
    moved = {f"-I{original / folder}": f"-I{copy / folder}" for folder in HEADER_FOLDERS}
    return [moved.get(word, word) for word in command]


def _succeeds(command: Sequence[str], folder: Path) -> bool:
    done = subprocess.run(command, cwd=folder, capture_output=True, check=False)
    return done.returncode == 0


def _run(program: Path, limit_s: float) -> Verdict:
    try:
        done = subprocess.run(
            [str(program)], capture_output=True, check=False, timeout=limit_s, stdin=None
        )
    except subprocess.TimeoutExpired:
        return Verdict.KILLED_BY_TIME
    return Verdict.SURVIVED if done.returncode == 0 else Verdict.KILLED
