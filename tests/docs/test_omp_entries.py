# SPDX-License-Identifier: Apache-2.0
"""The table of entry points in src/omp/README.md is what the built library has.

FINEGRAIN_BUILD_DIR names the build folder, for instance build/release.
"""

import json
import os
import re
import subprocess
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
README = (ROOT / "src/omp/README.md").read_text()
ENTRIES = README.partition("\n## Entry points\n")[2]
LLVM_TESTS = "llvm-toolchain-19-*/openmp/runtime/test"
ROW = re.compile(r"^\| `(\w+)` \| ([^|]+) \| ([^|]+) \| ([^|]+) \|$", re.MULTILINE)
# What compilers emit calls of.
ENTRY = re.compile(r"(?:GOMP_|__kmpc_)\w+")


@dataclass(frozen=True)
class Row:
    """A row of the table: an entry point, what becomes of its calls, and who shows it."""

    symbol: str
    handling: str
    programs: list[str]
    llvm_tests: list[str]
    untested: bool


def read_row(symbol: str, handling: str, test: str) -> Row:
    words = [word.strip() for word in test.split(",")]
    llvm = [match[1] for word in words if (match := re.fullmatch(r"LLVM's `([\w/.+-]+)`", word))]
    programs = [match[1] for word in words if (match := re.fullmatch(r"`(\w+)`", word))]
    assert len(llvm) + len(programs) == len(words) or words == ["none"], f"{symbol}: {test}"
    return Row(symbol, handling.strip(), programs, llvm, words == ["none"])


TABLE = [read_row(symbol, handling, test) for symbol, _, handling, test in ROW.findall(ENTRIES)]


def passed_on() -> list[str]:
    _, _, section = ENTRIES.partition("\n### Passed on untouched\n")
    return re.findall(r"`([\w*]+)`", section)


@pytest.fixture(scope="module")
def build() -> Path:
    folder = os.environ.get("FINEGRAIN_BUILD_DIR")
    if not folder:
        pytest.fail("FINEGRAIN_BUILD_DIR names no build folder", pytrace=False)
    return ROOT / folder


@pytest.fixture(scope="module")
def exported(build: Path) -> list[str]:
    library = build / "src/omp/libfinegrain-omp.so"
    return symbols([library], "--defined-only")[str(library)]


@pytest.fixture(scope="module")
def exported_with_regions(build: Path) -> list[str]:
    library = build / "src/omp/libfinegrain-omp-all.so"
    return symbols([library], "--defined-only")[str(library)]


@pytest.fixture(scope="module")
def imported(build: Path) -> dict[str, set[str]]:
    """What each program calls, whichever compiler built it."""
    manifest = build / "tests/omp/programs.json"
    if not manifest.exists():
        pytest.skip("a build with a sanitizer has no programs of tests/omp")
    programs = json.loads(manifest.read_text())
    files = symbols([Path(program["path"]) for program in programs], "--undefined-only")
    calls: dict[str, set[str]] = {}
    for program in programs:
        calls.setdefault(program["name"], set()).update(files[program["path"]])
    return calls


def symbols(files: list[Path], which: str) -> dict[str, list[str]]:
    """Those of each file, without their versions, which are listed as absolute symbols."""
    command = ["nm", "-D", "-A", which, "--format=posix", *map(str, files)]
    listed = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    found: dict[str, list[str]] = {str(file): [] for file in files}
    for line in listed.splitlines():
        file, _, symbol = line.partition(": ")
        name, kind, *_ = symbol.split()
        if kind != "A":
            found[file].append(name.partition("@")[0])
    return found


def test_every_exported_symbol_has_one_row(exported: list[str]) -> None:
    assert exported
    assert sorted(row.symbol for row in TABLE) == sorted(exported)


def test_handling_is_one_of_three() -> None:
    known = re.compile(r"(ours|wrapped|passed on)(; .+)?")
    assert [row for row in TABLE if not known.fullmatch(row.handling)] == []


def test_named_programs_exist() -> None:
    named = {name for row in TABLE for name in row.programs}
    sources = {file.stem for file in (ROOT / "tests/omp").glob("*.[cf]*")}
    assert named
    assert named - sources == set()


def test_named_programs_call_the_entry_point(imported: dict[str, set[str]]) -> None:
    wrong = [
        (row.symbol, name)
        for row in TABLE
        for name in row.programs
        if row.symbol not in imported.get(name, set())
    ]
    assert wrong == []


def test_nothing_is_untested_that_a_program_calls(imported: dict[str, set[str]]) -> None:
    called = set().union(*imported.values())
    assert [row.symbol for row in TABLE if row.untested and row.symbol in called] == []


def test_every_call_of_the_programs_is_accounted_for(imported: dict[str, set[str]]) -> None:
    called = {name for calls in imported.values() for name in calls if ENTRY.fullmatch(name)}
    left = called - {row.symbol for row in TABLE}
    patterns = passed_on()
    assert left
    assert {name for name in left if not any(fnmatchcase(name, each) for each in patterns)} == set()


def test_nothing_is_both_in_the_table_and_passed_on(exported: list[str]) -> None:
    patterns = passed_on()
    assert patterns
    assert [s for s in exported if any(fnmatchcase(s, each) for each in patterns)] == []


def test_the_library_with_regions_has_what_is_said(exported_with_regions: list[str]) -> None:
    _, _, section = ENTRIES.partition("\n### With regions of our own\n")
    patterns = re.findall(
        r"`((?:GOMP_|__kmpc_|omp[cd]?_|kmp_)[\w*]+)`", section.partition("\n### ")[0]
    )
    others = [s for s in exported_with_regions if s not in {row.symbol for row in TABLE}]
    assert patterns
    assert [s for s in others if not any(fnmatchcase(s, each) for each in patterns)] == []
    assert [p for p in patterns if not any(fnmatchcase(s, p) for s in exported_with_regions)] == []


def test_named_tests_of_llvm_exist() -> None:
    folders = list((ROOT / "build/conformance").glob(LLVM_TESTS))
    if not folders:
        pytest.skip("LLVM's tests are there after make conformance only")
    named = {name for row in TABLE for name in row.llvm_tests}
    assert named
    assert {name for name in named if not any((each / name).exists() for each in folders)} == set()


def test_the_rooms_are_the_files() -> None:
    folder = ROOT / "src/omp"
    files = sorted(str(file.relative_to(folder)) for file in folder.rglob("*.[ch]pp"))
    rooms = README.partition("\n## Rooms\n")[2].partition("\n## ")[0]
    named = []
    room = ""  # an indented line is of the folder above it
    for line in rooms.partition("```\n")[2].partition("```")[0].splitlines():
        if not line.startswith(" "):
            heading = re.match(r"\w+/", line)
            room = heading[0] if heading else ""
        named += [room + name for name in re.findall(r"\w+\.[ch]pp", line)]
    assert sorted(named) == files


def test_arrows_point_down() -> None:
    folder = ROOT / "src/omp"
    _, _, drawing = README.partition("\nEach line includes and calls what stands below it:\n\n")
    lines = drawing.partition("\n\n")[0].splitlines()
    level = {room: i for i, line in enumerate(lines) for room in line.split()}
    wrong = []
    for file in folder.rglob("*.[ch]pp"):
        room = file.stem if file.parent == folder else file.parent.name
        for name in re.findall(r'#include "((?:\.\./)?\w+)\.hpp"', file.read_text()):
            other = name.removeprefix("../")
            is_own = other == room or (file.parent != folder and not name.startswith("../"))
            if not is_own and level[other] <= level[room]:
                wrong.append(f"{file.relative_to(folder)} includes {other}.hpp")
    assert wrong == []


def test_each_entry_says_when_it_is_emitted_and_what_it_returns() -> None:
    entry = re.compile(
        r"((?:^//.*\n)*)^FINEGRAIN_OMP_(?:ENTRY [^(]*?\b|STUB\(\")((?:GOMP|__kmpc)_\w+)",
        re.MULTILINE,
    )
    said = {
        name: " ".join(comment.replace("//", "").split())
        for folder in ("kmpc", "gomp")
        for file in (ROOT / "src/omp" / folder).glob("*.cpp")
        for comment, name in entry.findall(file.read_text())
    }
    assert sorted(said) == sorted(row.symbol for row in TABLE if ENTRY.fullmatch(row.symbol))
    assert [name for name, text in said.items() if not re.match(r".+; returns\b", text)] == []
