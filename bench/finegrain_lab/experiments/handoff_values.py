# SPDX-License-Identifier: Apache-2.0
"""The cases of `handoff` in which a task carries a value, or has a result."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple

from finegrain_lab.experiments.handoff_rows import (
    EMPTY,
    default_row,
    ns_cell,
    paired,
    with_half_width,
)
from finegrain_lab.show.figures import Axis, Figure, Point, Series, mark
from finegrain_lab.show.tables import AnyCell, Cell, Part, Section, Table, ratio_text

RESULT, REFERENCE = "value-out-8", "reference-out"  # what a result costs, by either way home
VALUE_CASES = ("value-in", RESULT, "value-out-32", REFERENCE, "in-and-out")

MEANING = (
    "value-in: the task carries a long by value and adds it to a count on the assistant's line. "
    "value-out-8, value-out-32: it returns 8 or 32 bytes, which the main thread adds up. "
    "reference-out: it stores 8 bytes into a variable of the main thread, which reads them after "
    "the wait. in-and-out: it carries a long and returns another one. Each is a lone round trip, "
    "and every runtime carries the value in the way that costs it least."
)


def of_empty(result: Any, row: Any) -> Tuple[Any, Any]:
    """Returns a row's time over that of the same runtime's empty task, and the interval."""
    at = {name: row[name] for name in ("runtime", "policy", "placement")}
    return paired(row, result.row(case=EMPTY, **at))


def result_text(result: Any, runtime: str, kind: str) -> str:
    """Says what a result costs under the runtime's default policy; nothing where that is unknown.

    It may come home with the completion, or be stored into a variable of the main thread.
    """
    ratios = []
    for case in (RESULT, REFERENCE):
        row = default_row(result, case, runtime, kind)
        ratios.append(ratio_text(*of_empty(result, row)) if row else "")
    returned, stored = ratios
    if not (returned and stored):
        return ""
    return f"one with a result of 8 bytes takes {returned} of it, stored into a variable {stored}"


def value_section(result: Any, kind: str, place: str) -> Optional[Section]:
    """Returns a figure and tables of what was measured of these cases at a placement."""
    if not _cases(result):
        return None
    figure = _figure(result, kind, place)
    parts: List[Part] = [MEANING, *([figure] if figure else []), *_tables(result, kind, place)]
    return Section(f"Tasks with values: {place}", parts)


def _tables(result: Any, kind: str, place: str) -> List[Table]:
    """Returns the times and, where there are empty tasks, what they are over those of these."""
    tables = [_table(result, kind, f"{place}: ns of a round trip with values", ns_cell)]
    if EMPTY in result.cases:
        title = f"{place}: a round trip with values, over the same runtime's empty one"
        tables += [
            replace(_table(result, kind, title, _of_empty_cell(result)), on_terminal=False),
            replace(
                _table(result, kind, f"{title} ± half of ci95", _of_empty_cell(result, True)),
                on_page=False,
            ),
        ]
    return tables


def _cases(result: Any) -> List[str]:
    return [case for case in result.cases if case in VALUE_CASES]


def _table(result: Any, kind: str, title: str, cell: Callable[[Any], AnyCell]) -> Table:
    cases = _cases(result)
    lines: List[Sequence[AnyCell]] = []
    for runtime in result.runtimes:
        for policy in result.settings.policies[runtime]:
            at = {"runtime": runtime, "policy": policy, "placement": kind}
            cells = [result.at(cell, case=case, **at) for case in cases]
            if any(cells):  # a floor carries none
                lines.append([runtime, policy, *cells])
    return Table(title, ["runtime", "policy", *cases], lines, names=2)


def _of_empty_cell(result: Any, on_terminal: bool = False) -> Callable[[Any], AnyCell]:
    def cell(row: Any) -> AnyCell:
        ratio, ci95 = of_empty(result, row)
        if ratio is None:
            return ""
        return with_half_width(ratio, ci95) if on_terminal else Cell(ratio_text(ratio, ci95), ci95)

    return cell


def _figure(result: Any, kind: str, place: str) -> Optional[Figure]:
    """Returns a group of bars a case, a bar for each runtime under its default policy."""
    cases = [case for case in result.cases if case == EMPTY or case in VALUE_CASES]
    found: Dict[str, List[Point]] = {}
    for runtime in result.runtimes:
        rows = [default_row(result, case, runtime, kind) for case in cases]
        points = [Point(row.of_floor, row.case, *row.of_floor_ci95) for row in rows if row]
        if any(point.y in VALUE_CASES for point in points):
            found[runtime] = points
    if not found:
        return None
    return Figure(
        f"values-{kind}",
        f"{place}: round trip of a task with values over the floor, default policies; the thin "
        "lines are the intervals.",
        [
            *(Series(runtime, points, "bars") for runtime, points in found.items()),
            mark("floor", x=1, line=":", is_named=True),
        ],
        x=Axis("round trip, over the floor", low=0),
        height_in=1.0 + 0.15 * sum(len(points) for points in found.values()),
        legend=3,
    )
