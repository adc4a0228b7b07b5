# SPDX-License-Identifier: Apache-2.0
"""What the text of X-OpenMP states, beside what is so here.

P. Nookala, K. Chard, I. Raicu, "X-OpenMP - eXtreme fine-grained tasking using lock-less work
stealing", 2024, section 2.2. Nothing is read off a figure.
"""

from finegrain_lab.comparison import Comparison
from finegrain_lab.cycle_tables import number_text
from finegrain_lab.sync.cases import REFERENCE
from finegrain_lab.sync.results import Result
from finegrain_lab.threads import threads_text

MACHINE = "Skylake with 192 cores and 384 hardware threads"


def comparisons(result: Result) -> list[Comparison]:
    """Returns the paper's statements."""
    cpus = len(result.settings.cpus)
    row = result.row(REFERENCE, cpus)
    return [
        Comparison(
            f"{REFERENCE} on as many threads as the machine has",
            f"33,592 cycles ({MACHINE}), 3,868 (Xeon Phi, 64 cores, 256 threads)",
            f"{number_text(row.cycles)} ({threads_text(cpus)})" if row else "not measured",
        ),
        Comparison(
            f"{REFERENCE} costs more than each of the others",
            f"up to 12 threads ({MACHINE})",
            _highest_text(result),
        ),
    ]


def highest_up_to(result: Result) -> int:
    """Returns the number of threads up to which the reference costs the most; 0: on none."""
    highest = 0
    for threads in result.settings.threads:
        rows = [row for row in result.results if row.threads == threads]
        others = [row.cycles for row in rows if row.runtime != REFERENCE]
        (own,) = (row.cycles for row in rows if row.runtime == REFERENCE)
        if not others or own <= max(others):
            break
        highest = threads
    return highest


def _highest_text(result: Result) -> str:
    highest = highest_up_to(result)
    return f"up to {threads_text(highest)}" if highest else "not even on 1 thread"
