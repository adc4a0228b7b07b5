# SPDX-License-Identifier: Apache-2.0
"""The round trips over the floor, and the cost of a task by the size of its burst."""

from finegrain_lab.drawing import Drawing, drawing
from finegrain_lab.handoff.cases import BURSTS, EMPTY, tasks_of
from finegrain_lab.handoff.protocol import Placement
from finegrain_lab.handoff.results import Result, Row
from finegrain_lab.handoff.table import placement_text
from finegrain_lab.plots import TEXT, colours, draw_intervals, figure_and_axes, line_styles


def drawings(result: Result) -> list[Drawing]:
    """Of each placement `round-trip-KIND` and `burst-KIND`, where there is something to draw."""
    placements = result.settings.placements
    kinds = (_round_trips, _bursts)
    drawn = (draw(result, placement) for placement in placements for draw in kinds)
    return [each for each in drawn if each]


def _round_trips(result: Result, placement: Placement) -> Drawing | None:
    """Bars of every runtime and policy, in floors; the last runtime's at the bottom."""
    rows = _empty_rows(result, placement)[::-1]
    if not rows:
        return None
    with figure_and_axes(1.0 + 0.3 * len(rows)) as (figure, axes):
        names = [f"{row.runtime} {row.policy}" for row in rows]
        values = [row.of_floor for row in rows]
        axes.barh(
            names,
            values,
            color=colours([row.runtime for row in rows]),
            height=0.75,
            label="round trip",
        )
        intervals = [row.of_floor_ci95 for row in rows]
        draw_intervals(axes, range(len(rows)), intervals, "round trip", horizontal=True)
        for at, row in enumerate(rows):
            axes.annotate(
                f"{row.of_floor:.2f}",
                (row.of_floor_ci95[1], at),
                xytext=(4, 0),
                textcoords="offset points",
                va="center",
            )
        axes.axvline(1, color=TEXT, linewidth=1, label="_floor")
        axes.set_xlim(0, max([1.1, *(row.of_floor_ci95[1] for row in rows)]) * 1.15)
        axes.tick_params(axis="y", length=0)
        axes.set_xlabel("round trip of an empty task, over the floor")
        caption = (
            f"{placement_text(placement)}: round trip of an empty task over the floor, by wait "
            "policy; the thin lines are the intervals."
        )
        return drawing(figure, f"round-trip-{placement.kind}", caption)


def _bursts(result: Result, placement: Placement) -> Drawing | None:
    """Lines of the runtimes that take bursts, each under its default policy."""
    if all(len(_default_rows(result, name, placement)) < 2 for name in result.runtimes):
        return None
    sizes = [1, *BURSTS]
    with figure_and_axes(4.2) as (figure, axes):
        for runtime, style in line_styles(result.runtimes):
            rows = _default_rows(result, runtime, placement)
            if len(rows) < 2:
                continue
            axes.plot(
                [tasks_of(row.case) for row in rows],
                [row.ns for row in rows],
                **style,
            )
        floor = result.floor_ns
        if placement == result.settings.placements[0]:
            axes.axhline(floor, color=TEXT, linewidth=1, linestyle=":", label="floor")
        axes.set_xscale("log", base=2)
        axes.set_xticks(sizes, [str(size) for size in sizes])
        axes.set_ylim(bottom=0)
        axes.set_xlabel("tasks submitted before a wait")
        axes.set_ylabel("ns a task")
        figure.legend(loc="outside upper left", ncols=3)
        caption = (
            f"{placement_text(placement)}: cost of one task by the size of its burst, default "
            "policies."
        )
        return drawing(figure, f"burst-{placement.kind}", caption)


def _empty_rows(result: Result, placement: Placement) -> list[Row]:
    at = placement.kind
    return [row for row in result.results if (row.case, row.placement) == (EMPTY, at)]


def _default_rows(result: Result, runtime: str, placement: Placement) -> list[Row]:
    policy = result.settings.policies[runtime][0]
    rows = (result.row(case, runtime, policy, placement.kind) for case in result.cases)
    return [row for row in rows if row]
