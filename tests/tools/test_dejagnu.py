# SPDX-License-Identifier: Apache-2.0
"""The directives of gcc's tests, as `make conformance` reads them."""

import os

import pytest
from scripts.conformance.dejagnu import DEFAULT_OPTIONS, NotHere, holds, read, words_of

MACHINE = os.uname().machine


def test_words_are_tcls() -> None:
    words, _ = words_of(r'run { target { c && { ! ilp32 } } } "a \"b\n" c')
    assert words == ["run", ["target", ["c", "&&", ["!", "ilp32"]]], 'a "b\n', "c"]


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        ("c", True),
        ("c++", False),
        (["lp64", "&&", ["!", "lp64"]], False),
        (["!", "run_expensive_tests"], True),
        ([f"{MACHINE}-*-*", "alpha*-*-*"], True),
        (["alpha*-*-*"], False),
        (["ilp32", "||", "lp64"], True),
    ],
)
def test_selectors(condition: list[object] | str, expected: bool) -> None:
    assert holds(condition, "c") is expected  # type: ignore[arg-type]


def test_what_is_unknown_is_not_guessed() -> None:
    with pytest.raises(NotHere, match="martian"):
        holds("martian", "c")


def test_reads_what_decides_over_a_run() -> None:
    wishes = read(
        """
/* { dg-do run { target lp64 } } */
/* { dg-additional-options "-std=gnu99" { target c } } */
/* { dg-additional-options "-msse2" { target { ilp32 } } } */
/* { dg-set-target-env-var OMP_PLACES "{6,7}:4:-2,!{2,3}" } */
/* { dg-shouldfail "" } */
/* { dg-output "at \\[0-9\\]+(\\n|\\r)" } */
/* { dg-warning "of the compiler" } */
""",
        "c",
    )
    assert wishes.options == [DEFAULT_OPTIONS, "-std=gnu99"]
    assert wishes.environment == {"OMP_PLACES": "{6,7}:4:-2,!{2,3}"}
    assert wishes.fails
    assert wishes.runs
    assert wishes.output == "at [0-9]+(\n|\r)"


def test_what_is_not_run() -> None:
    assert not read("{ dg-do compile }", "c").runs
    assert read("no directive", "c").runs
    for text in (
        "{ dg-do run { target ilp32 } }",
        "{ dg-require-effective-target offload_device }",
        '{ dg-skip-if "" { *-*-* } }',
        '{ dg-skip-if "" { *-*-* } { "*" } { "-O0" } }',
    ):
        with pytest.raises(NotHere):
            read(text, "c")
    assert read('{ dg-skip-if "" { *-*-* } { "*" } { "-O2" } }', "c").runs
    assert read('{ dg-skip-if "" { *-*-* } { "-O3" } }', "c").runs
