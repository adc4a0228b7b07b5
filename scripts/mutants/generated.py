# SPDX-License-Identifier: Apache-2.0
"""Mutants generated from the sources: weaker memory orders, and removed fences."""

import re
from collections.abc import Iterator
from pathlib import Path

from .mutant import Mutant, place_of

# One step weaker. A read-modify-write's acq_rel loses either half.
_WEAKER: dict[str, dict[str, tuple[str, ...]]] = {
    "load": {"seq_cst": ("acquire",), "acquire": ("relaxed",)},
    "store": {"seq_cst": ("release",), "release": ("relaxed",)},
    "read-modify-write": {
        "seq_cst": ("acq_rel",),
        "acq_rel": ("acquire", "release"),
        "acquire": ("relaxed",),
        "release": ("relaxed",),
    },
}
_KIND = {"load": "load", "wait": "load", "store": "store"}
_SPOKEN_OF = re.compile(r'//[^\n]*|"(?:\\.|[^"\\\n])*"')
_ORDER = re.compile(r"\bmemory_order_(?P<order>acquire|release|acq_rel|seq_cst)\b")
_OPERATION = re.compile(
    r"[.>](?P<name>load|store|wait|exchange|compare_exchange_\w+|fetch_\w+)\s*$"
)
_FENCE = re.compile(r"\basymmetric_fence::(?P<name>light|heavy|full)_fence\(\)")


def generated_mutants(headers: Path) -> list[Mutant]:
    """Returns all of the headers below a folder."""
    return [
        mutant
        for path in sorted(headers.rglob("*.hpp"))
        for mutant in _mutants_of(path.relative_to(headers).as_posix(), path.read_text("utf-8"))
    ]


def _mutants_of(file: str, text: str) -> Iterator[Mutant]:
    code = _SPOKEN_OF.sub(lambda found: " " * len(found[0]), text)
    for found in _ORDER.finditer(code):
        kind = _kind_of_operation(code, found.start())
        for weaker in _WEAKER.get(kind, {}).get(found["order"], ()):
            line, said = place_of(text, found.start())
            yield Mutant(
                file,
                found.start(),
                found[0],
                f"memory_order_{weaker}",
                line,
                said,
                f"{found['order']} -> {weaker}",
            )
    for found in _FENCE.finditer(code):
        line, said = place_of(text, found.start())
        yield Mutant(
            file,
            found.start(),
            found[0],
            "static_cast<void>(0)",
            line,
            said,
            f"no {found['name']} fence",
        )


def _kind_of_operation(code: str, position: int) -> str:
    """The operation whose argument the order is; empty if it is not an atomic operation.

    A compare-exchange is a load when it fails: its second order.
    """
    begin, depth = position, 1
    while begin > 0 and depth > 0:
        begin -= 1
        depth += {")": 1, "(": -1}.get(code[begin], 0)
    operation = _OPERATION.search(code, max(begin - 64, 0), begin)
    if operation is None:
        return ""
    if operation["name"].startswith("compare_exchange") and _ORDER.search(code, begin, position):
        return "load"
    return _KIND.get(operation["name"], "read-modify-write")
