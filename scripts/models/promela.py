# SPDX-License-Identifier: Apache-2.0
"""Protocols in Promela: what a file promises in its first comment, and whether spin finds it so."""

import re
import subprocess
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from .errors import ModelError

ASSERTION = "assertion"
END_STATE = "end_state"
# pan's messages when it has found a violation of one of the two, or of a formula.
_FOUND = {ASSERTION: "assertion violated", END_STATE: "invalid end state"}
_FOUND_FORMULA = "acceptance cycle"
# What a search without errors must not report. Every line of a model is reached except its ends.
_IN_VAIN = ("max search depth too small", "out of memory", "Search not completed", "hash-compact")
_UNREACHED = re.compile(r"^\t\S+:\d+, state \d+, (?!\"-end-\")", re.MULTILINE)

_SECTION = re.compile(r"^ \* (Sizes|Guaranteed|Not guaranteed|Broken on purpose):$")
_ROW = re.compile(r"^ \*   (?P<name>\S+)\s*(?P<rest>.*)$")
_FORMULA = re.compile(r"^ltl (\w+)", re.MULTILINE)
_STATES = re.compile(r"(\d+(?:\.\d+)?(?:e\+\d+)?) states, stored")

_SEARCH_DEPTH = 2_000_000
_HASH_TABLE_BITS = 21
# A search that ends early is shorter than the compiler's work.
_WHOLE, _UNTIL_FOUND = "-O1", "-O0"


@dataclass(frozen=True)
class Promises:
    """The first comment of a model."""

    sizes: tuple[tuple[str, ...], ...]  # the macros of each
    guaranteed: tuple[str, ...]
    not_guaranteed: tuple[str, ...]
    broken: dict[str, str]  # which property a macro breaks


@dataclass(frozen=True)
class Explored:
    """What spin has found in a model and its broken variants."""

    states: int
    wrong: tuple[str, ...]
    seconds: float


def promises_of(model: Path) -> Promises:
    """Reads a model's first comment.

    Raises ModelError where it promises what nothing can break, or does not name what it has.
    """
    text = model.read_text("utf-8")
    rows: dict[str, list[re.Match[str]]] = {}
    section = ""
    for line in text[: text.index("*/")].splitlines():
        if header := _SECTION.fullmatch(line):
            section = header[1]
        elif (row := _ROW.fullmatch(line)) and section and not row["name"].startswith("*"):
            rows.setdefault(section, []).append(row)
        elif not line.startswith(" *   "):
            section = ""
    promises = Promises(
        sizes=tuple((row["name"], *row["rest"].split()) for row in rows.get("Sizes", [])),
        guaranteed=tuple(_properties(rows.get("Guaranteed", []))),
        not_guaranteed=tuple(_properties(rows.get("Not guaranteed", []))),
        broken={
            row["name"].removeprefix("-D"): row["rest"].split()[0]
            for row in rows.get("Broken on purpose", [])
        },
    )
    _require_complete(model, text, promises)
    return promises


def title_of(model: Path) -> str:
    """Returns the beginning of a model's first comment: one sentence, or up to a colon."""
    first = model.read_text("utf-8").split("\n\n")[0].removeprefix("/*").replace("\n *", " ")
    return " ".join(re.split(r"[:.](?:\s|$)", first)[0].split())


def explore(model: Path) -> Explored:
    """Searches a model in all its sizes, and each of its broken variants until it is found."""
    promises = promises_of(model)
    before = time.monotonic()
    states, wrong = 0, []
    for size in promises.sizes:
        of_size, faults = _explore_size(model, promises, size)
        states += of_size
        wrong += faults
    for macro, name in promises.broken.items():
        if not any(_is_found(model, (*size, f"-D{macro}"), name) for size in promises.sizes):
            wrong.append(f"-D{macro} does not break {name}")
    return Explored(states, tuple(wrong), time.monotonic() - before)


def _properties(rows: list[re.Match[str]]) -> Iterator[str]:
    """The names; a row that is indented more continues the one before."""
    return (row["name"] for row in rows if re.match(r" \*   \S", row[0]))


def _require_complete(model: Path, text: str, promises: Promises) -> None:
    formulas = set(_FORMULA.findall(text))
    named = {*promises.guaranteed, *promises.not_guaranteed}
    broken = set(promises.broken.values())
    if not promises.sizes:
        raise ModelError(f"{model.name}: no sizes")
    for each in formulas ^ (named - {ASSERTION, END_STATE}):
        raise ModelError(f"{model.name}: {each} is a formula or a promise, but not both")
    for each in set(promises.guaranteed) ^ broken:
        raise ModelError(f"{model.name}: {each} is guaranteed or broken on purpose, but not both")
    for macro in promises.broken:
        if not re.search(rf"^#ifn?def {macro}$", text, re.MULTILINE):
            raise ModelError(f"{model.name}: nothing depends on {macro}")


def _explore_size(model: Path, promises: Promises, size: tuple[str, ...]) -> tuple[int, list[str]]:
    """The states of the search for the promises, and the faults found."""
    said = " ".join(size)
    states, wrong = 0, []
    formulas = [each for each in promises.guaranteed if each not in _FOUND]
    with tempfile.TemporaryDirectory() as folder:
        output = _search(_compiled(model, size, Path(folder), safety=True, optimized=_WHOLE))
        found = re.findall(r"^pan:1: (.*)$", output, re.MULTILINE)
        wrong += [f"{said}: {each}" for each in found]
        wrong += [f"{said}: unreached:{each}" for each in _unreached(output)]
        states += _states(output, wrong)
        if formulas or promises.not_guaranteed:
            program = _compiled(model, size, Path(folder), safety=False, optimized=_WHOLE)
            for name in formulas:
                output = _search(program, "-a", "-f", "-N", name)
                if "errors: 0" not in output:
                    wrong.append(f"{said}: {name} is violated")
                states += _states(output, wrong)
            for name in promises.not_guaranteed:
                if _FOUND_FORMULA not in _search(program, "-a", "-f", "-N", name):
                    wrong.append(f"{said}: {name} holds, which was not said")
    return states, wrong


def _unreached(output: str) -> list[str]:
    return [line for line in output.splitlines() if _UNREACHED.match(line) and ".pml:" in line]


def _states(output: str, wrong: list[str]) -> int:
    wrong += [each for each in _IN_VAIN if each in output]
    stored = _STATES.search(output)
    if stored is None:
        raise ModelError(f"not a search: {output}")
    return int(float(stored[1]))


def _is_found(model: Path, macros: tuple[str, ...], name: str) -> bool:
    with tempfile.TemporaryDirectory() as folder:
        program = _compiled(
            model, macros, Path(folder), safety=name in _FOUND, optimized=_UNTIL_FOUND
        )
        if name == ASSERTION:
            output = _search(program, "-E")
        elif name == END_STATE:
            output = _search(program, "-A")
        else:
            output = _search(program, "-A", "-a", "-f", "-N", name)
    return _FOUND.get(name, _FOUND_FORMULA) in output


def _compiled(
    model: Path, macros: tuple[str, ...], folder: Path, *, safety: bool, optimized: str
) -> Path:
    """Spin's program that searches the model."""
    _call(["spin", *macros, "-a", str(model.resolve())], folder)
    program = folder / ("safety" if safety else "formulas")
    kind = ("-DSAFETY", "-DNOCLAIM") if safety else ("-DNFAIR=3",)
    _call(["cc", "-w", optimized, *kind, "-o", str(program), "pan.c"], folder)
    return program


def _search(program: Path, *options: str) -> str:
    return _call(
        [str(program), f"-m{_SEARCH_DEPTH}", f"-w{_HASH_TABLE_BITS}", *options], program.parent
    )


def _call(command: list[str], folder: Path) -> str:
    try:
        done = subprocess.run(
            command,
            cwd=folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
    except FileNotFoundError as missing:
        raise ModelError(f"{command[0]} is missing: run scripts/setup") from missing
    if done.returncode != 0:
        raise ModelError(f"{' '.join(command)}: status {done.returncode}: {done.stdout.strip()}")
    return done.stdout
