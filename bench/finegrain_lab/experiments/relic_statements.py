# SPDX-License-Identifier: Apache-2.0
"""What the Relic paper's text states, beside what is so here."""

from __future__ import annotations

from typing import Any, Callable, List, Tuple

from finegrain_lab.experiments import relic_paper as paper
from finegrain_lab.experiments.relic_cases import NOT_MEASURED
from finegrain_lab.experiments.relic_paper import signed
from finegrain_lab.experiments.relic_summaries import over, peers_of, summaries_of
from finegrain_lab.run.runtimes import SERIAL
from finegrain_lab.show.tables import (
    UNSURE,
    Statement,
    Statements,
    Table,
    is_sure,
)


def statements(title: str, first: str, lines: List[Statement]) -> Statements:
    """Returns statements that stand on the page alone."""
    return Statements(title, first, lines, on_terminal=False)


def task_times(result: Any) -> List[Statement]:
    """Section IV: one instance of each kernel, alone."""
    serial = {row.case: f"{row.ns / 2000:.2f} µs" for row in result.rows_of(runtime=SERIAL)}
    return [Statement(it, f"{us} µs", serial.get(it, "")) for it, us in paper.TASK_US.items()]


def averages(result: Any) -> List[Statement]:
    """Section V: the peers' geometric means."""
    return _of_peers(lambda peer: peer.average, lambda runtime: _mean_gain(result, runtime))


def _of_peers(stated: Callable[[paper.Peer], float], here: Callable[[str], str]) -> List[Statement]:
    """Returns a statement on each, by the lab's name too where one stands for several."""
    return [
        Statement(name, signed(stated(peer)), here(runtime))
        for peer in paper.PEERS
        for runtime in peer.runtimes
        for name in [peer.name if len(peer.runtimes) == 1 else f"{peer.name}: {runtime}"]
    ]


def relic_lines(result: Any) -> List[Statement]:
    """Section VII: Relic alone."""
    bfs = result.row(case="bfs", runtime="relic")
    return [
        Statement("average", signed(paper.RELIC_AVERAGE), _mean_gain(result, "relic")),
        Statement("bfs", signed(paper.RELIC_BFS), _row_gain(bfs) if bfs else NOT_MEASURED),
    ]


def best_table(result: Any) -> Table:
    """Section VII: the best peer of each kernel, and what Relic adds to it."""
    heads = ["paper:\nbest peer", "paper:\nRelic", "here:\nbest peer", "here:\nrelic (points)"]
    return Table(
        "Section VII: the best peer of each kernel, and Relic\u2019s increase over it",
        ["kernel", *heads],
        [
            [case, best.peer_text, best.increase_text, *best_here(result, case)]
            for case, best in paper.BESTS.items()
        ],
        names=3,
        on_terminal=False,
    )


def increases(result: Any) -> List[Statement]:
    """Figure 4: what Relic adds to each runtime's average without negative outliers."""
    summaries = summaries_of(result)

    def here(runtime: str) -> str:
        if "relic" not in summaries or runtime not in summaries:
            return NOT_MEASURED
        relic, peer = summaries["relic"], summaries[runtime]
        is_known = relic.speedup.is_sure and peer.speedup.is_sure
        return _increase(relic.no_negative, peer.no_negative) if is_known else UNSURE

    return _of_peers(lambda peer: peer.increase, here)


def _gain(speedup: float) -> str:
    """Returns a speedup as the paper writes it."""
    return signed(100 * (speedup - 1))


def _row_gain(row: Any) -> str:
    return _gain(row.speedup) if is_sure(row.speedup, row.speedup_ci95) else UNSURE


def _mean_gain(result: Any, runtime: str) -> str:
    speedup = over(result, runtime)
    if speedup is None:
        return NOT_MEASURED
    return _gain(speedup.value) if speedup.is_sure else UNSURE


def best_here(result: Any, case: str) -> Tuple[str, str]:
    """Returns the best peer of a kernel, and relic's increase over it."""
    rows = [row for name in peers_of(result) if (row := result.row(case=case, runtime=name))]
    if not rows:
        return NOT_MEASURED, ""
    best = max(rows, key=lambda row: row.speedup)
    relic = result.row(case=case, runtime="relic")
    return f"{_row_gain(best)} {best.runtime}", _increase_of(relic, best)


def _increase_of(relic: Any, best: Any) -> str:
    if relic is None:
        return NOT_MEASURED
    if not all(is_sure(row.speedup, row.speedup_ci95) for row in (relic, best)):
        return UNSURE
    if relic.speedup <= 1:
        return "no gain over serial"  # whoever is slower still
    return _increase(relic.speedup, best.speedup)


def _increase(ours: float, theirs: float) -> str:
    """Returns both readings of 'increases by': the ratio, and percentage points."""
    return f"{_gain(ours / theirs)} ({100 * (ours - theirs):+.1f})".replace("-", "\N{MINUS SIGN}")
