# SPDX-License-Identifier: Apache-2.0
"""What the text of X-OpenMP states, beside what is so here.

P. Nookala, K. Chard, I. Raicu, "X-OpenMP - eXtreme fine-grained tasking using lock-less work
stealing", 2024, section 2.2. Nothing is read off a figure.
"""

from collections.abc import Callable

from finegrain_lab.comparison import Comparison
from finegrain_lab.cycle_tables import number_text
from finegrain_lab.queues.cases import MUTEX, PUSH_POP, THROUGHPUT
from finegrain_lab.queues.results import Result, Row

MACHINE = "Skylake with 192 cores"


def comparisons(result: Result) -> list[Comparison]:
    """Returns the paper's statements."""
    rings = [queue for queue in result.runtimes if queue != MUTEX]
    return [
        Comparison(
            "an operation of a single-producer ring",
            "29 to 68 cycles, by machine",
            _of_each(result, PUSH_POP, rings, _pair_text),
        ),
        Comparison(
            "throughput of a single-producer ring",
            f"270 million operations a second ({MACHINE})",
            _of_each(result, THROUGHPUT, rings, stream_text),
        ),
        Comparison(
            "throughput of a mutex queue",
            f"5 million operations a second at best, 810 a thread on 384 threads ({MACHINE})",
            _of_each(result, THROUGHPUT, [MUTEX], stream_text),
        ),
    ]


def stream_text(row: Row) -> str:
    """Returns the throughput."""
    if row.million_per_s is None:
        return ""
    return f"{number_text(row.million_per_s)} million items a second"


def _pair_text(row: Row) -> str:
    return f"{number_text(row.cycles)} cycles for two"


def _of_each(result: Result, measure: str, queues: list[str], text: Callable[[Row], str]) -> str:
    rows = [row for queue in queues if (row := result.row(measure, queue))]
    return "; ".join(f"{row.runtime} {text(row)}" for row in rows) or "not measured"
