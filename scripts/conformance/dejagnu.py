# SPDX-License-Identifier: Apache-2.0
"""DejaGnu's directives in the comments of gcc's tests.

Read are those that decide whether and how a program runs, and what it has to do; those about the
compiler's messages are not ours.
"""

import fnmatch
import os
import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

DEFAULT_OPTIONS = "-O2"
# What the programs may ask of the target, on 64-bit Linux without a device.
_TARGET = f"{os.uname().machine}-pc-linux-gnu"
_TRUE = {
    *("lp64", "tls", "tls_runtime", "sync_int_long", "sync_char_short", "size32plus", "pthread"),
    *("alloca", "fpic", "shared", "large_long_double", "fd_truncate", "lto", "vect_simd_clones"),
    *("sse2_runtime", "__float128", "fopenmp"),
}
_FALSE = {
    *("run_expensive_tests", "offload_device", "offload_device_nonshared_as", "ilp32"),
    *("offload_device_shared_as", "offload_target_nvptx", "offload_target_amdgcn"),
    *("offload_device_any_intel_mic", "aarch64_tiny", "offload_device_nvptx", "offload_device_gcn"),
}
_DIRECTIVE = re.compile(r"\{\s*(dg-[a-z-]+)\b")

Word = str | list["Word"]


class NotHere(Exception):  # noqa: N818, no error
    """The test is not for this machine, or asks for something unknown."""


@dataclass
class Wishes:
    """What a test's directives say."""

    options: list[str] = field(default_factory=lambda: shlex.split(DEFAULT_OPTIONS))
    more_sources: list[str] = field(default_factory=list)
    environment: dict[str, str] = field(default_factory=dict)
    output: str = ""  # a regular expression
    fails: bool = False
    runs: bool = True


def words_of(text: str, at: int = 0, end: str = "") -> tuple[list[Word], int]:
    """The words of a list in Tcl's notation, up to `end`; where it ends."""
    words: list[Word] = []
    while at < len(text):
        char = text[at]
        if char == end:
            return words, at + 1
        if char.isspace():
            at += 1
        elif char == "{":
            inner, at = words_of(text, at + 1, "}")
            words.append(inner)
        elif char == '"':
            word = re.compile(r'"((?:[^"\\]|\\.)*)"', re.DOTALL).match(text, at)
            if word is None:
                raise NotHere("a quotation without an end")
            words.append(_unescape(word[1]))
            at = word.end()
        else:
            word = re.compile(r"[^\s{}]+").match(text, at)
            if word is None:  # a brace too many
                return words, at + 1
            words.append(word[0])
            at = word.end()
    return words, at


def _unescape(text: str) -> str:
    return re.sub(r"\\(.)", lambda found: {"n": "\n", "r": "\r"}.get(found[1], found[1]), text)


def directives_of(text: str) -> Iterator[tuple[str, list[Word]]]:
    """All directives of a program, in order: names and arguments."""
    for found in _DIRECTIVE.finditer(text):
        yield found[1], words_of(text, found.end(), "}")[0]


def holds(condition: Word, language: str) -> bool:
    """Whether a selector is true: names, patterns of targets, `!`, `&&`, `||`."""
    if isinstance(condition, str):
        if condition in ("c", "c++"):
            return condition == language
        if "-" in condition:
            return fnmatch.fnmatch(_TARGET, condition)
        if condition == "avx_runtime":
            return " avx " in Path("/proc/cpuinfo").read_text()
        if condition not in _TRUE | _FALSE:
            raise NotHere(f"is it {condition}?")
        return condition in _TRUE
    if condition and condition[0] == "!":
        return not holds(condition[1:], language)
    for operator, every in (("||", any), ("&&", all)):
        if operator in condition:
            at = condition.index(operator)
            return every((holds(condition[:at], language), holds(condition[at + 1 :], language)))
    return any(holds(each, language) for each in condition)


def _is_for_here(arguments: list[Word], language: str) -> bool:
    """Whether the selector that may come last is true."""
    last = arguments[-1] if arguments else ""
    if isinstance(last, list) and last and last[0] in ("target", "xfail"):
        return last[0] == "xfail" or holds(last[1:], language)
    return True


def _is_skipped(arguments: list[Word], language: str, options: list[str]) -> bool:
    defaults: list[Word] = ["*", ""]
    selector, some, others = [*arguments[1:], *defaults[len(arguments) - 2 :]][:3]

    def has(patterns: Word) -> bool:
        return any(
            fnmatch.fnmatch(option, str(pattern))
            for pattern in (patterns if isinstance(patterns, list) else [patterns])
            for option in options
        )

    return holds(selector, language) and has(some) and not has(others)


def read(text: str, language: str) -> Wishes:
    """What the directives say for this language; NotHere if the test is not for this machine."""
    wishes = Wishes()
    for name, arguments in directives_of(text):
        if name == "dg-require-effective-target":
            if not holds(arguments[0], language):
                raise NotHere(str(arguments[0]))
        elif name == "dg-skip-if":
            if _is_skipped(arguments, language, wishes.options):
                raise NotHere("skipped")
        elif not _is_for_here(arguments, language):
            if name == "dg-do":
                raise NotHere("not for this target")
        else:
            _apply(name, arguments, wishes)
    return wishes


def _apply(name: str, arguments: list[Word], wishes: Wishes) -> None:
    first = str(arguments[0]) if arguments else ""
    if name == "dg-do":
        wishes.runs = first == "run"
    elif name == "dg-options":
        wishes.options = shlex.split(first)
    elif name == "dg-additional-options":
        wishes.options += shlex.split(first)
    elif name == "dg-additional-sources":
        wishes.more_sources += first.split()
    elif name == "dg-set-target-env-var":
        wishes.environment[first] = str(arguments[1])
    elif name == "dg-shouldfail":
        wishes.fails = True
    elif name == "dg-output":
        wishes.output += first
