# SPDX-License-Identifier: Apache-2.0
"""JSON that is read into types: what fits, and what is told of the rest."""

from dataclasses import dataclass
from typing import Any

import pytest

from finegrain_lab.run.shapes import Misfit, fit, parse_json


@dataclass(frozen=True)
class Inner:
    """A part."""

    name: str
    count: int = 3


@dataclass(frozen=True)
class Outer:
    """A whole."""

    parts: list[Inner]
    pair: tuple[int, float]
    by_name: dict[str, float]
    either: int | str
    none: Inner | None = None


def outer(**changes: Any) -> dict[str, Any]:
    whole = {"parts": [{"name": "a"}], "pair": [1, 2], "by_name": {"x": 1}, "either": "b"}
    return whole | changes


def test_what_fits_is_made() -> None:
    expected = Outer([Inner("a")], (1, 2.0), {"x": 1.0}, "b")
    assert fit(outer(more="is left out"), Outer) == expected
    assert fit(outer(none={"name": "c", "count": 4}), Outer).none == Inner("c", 4)
    assert isinstance(fit(outer(), Outer).pair[1], float)


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({"parts": {}}, "parts: is not "),
        ({"parts": [{"name": "a"}, {}]}, "parts.1.name: is missing"),
        ({"parts": [{"name": "a", "count": 1.5}]}, "parts.0.count: is not int"),
        ({"parts": [{"name": "a", "count": True}]}, "parts.0.count: is not int"),
        ({"pair": [1]}, "pair: is not "),
        ({"pair": [1, "2"]}, "pair.1: is not float"),
        ({"by_name": {"x": float("nan")}}, "by_name.x: is not a finite number"),
        ({"by_name": {"x": 10**400}}, "by_name.x: is not float"),
        ({"by_name": []}, "by_name: is not "),
        ({"either": 1.5}, "either: is not int"),
        ({"none": "c"}, "none: is not an object"),
    ],
)
def test_what_does_not_fit_is_told_with_its_place(changes: dict[str, Any], text: str) -> None:
    with pytest.raises(Misfit, match=rf"^{text}"):
        fit(outer(**changes), Outer)


def test_a_mapping_of_types_is_of_the_names_that_it_has() -> None:
    assert fit({"a": 1, "b": 2}, {"a": float}) == {"a": 1.0}
    with pytest.raises(Misfit, match="a: is missing"):
        fit({}, {"a": float})
    with pytest.raises(Misfit, match=r"^all of it: is not an object$"):
        fit([], {"a": float})


@pytest.mark.parametrize("text", ["{", "", b"\xff", "[" * 100_000])
def test_what_is_no_json_is_told(text: str | bytes) -> None:
    with pytest.raises(Misfit, match="no JSON"):
        parse_json(text)
