# SPDX-License-Identifier: Apache-2.0
"""A finished run as a table of plain text, for a machine that has no more than Python."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from pathlib import Path

from finegrain_lab.run.beside import disturbance
from finegrain_lab.run.errors import LabError, reason_of
from finegrain_lab.run.experiment import Experiment, Slot
from finegrain_lab.run.finished import Finished, finished
from finegrain_lab.show.tables import number_text

GAP = "  "
NAMES = ("case", "runtime")  # columns of every table


def table_in(path: Path, experiment: Experiment) -> str:
    """Returns the table of a result file that was just written. Raises LabError."""
    try:
        text = path.read_bytes()
    except OSError as error:
        raise LabError(f"cannot read {path}: {reason_of(error)}") from error
    return table_of(finished(text, experiment), experiment)


def table_of(run: Finished, experiment: Experiment) -> str:
    """Returns a line for each row: the medians of its numbers and ratios, without intervals."""
    names = _names_of(run.rows)
    columns = [*experiment.numbers, *experiment.ratios]
    lines = [[*names, *columns]]
    for row in run.rows:
        own = [str(row.fields.get(name, "")) for name in names]
        numbers = [_median(run.samples.values(row, name)) for name in experiment.numbers]
        ratios = [_median(run.samples.ratios(row, name)) for name in experiment.ratios]
        lines.append([*own, *numbers, *ratios])
    return "\n".join([*_header(run), *_aligned(lines, len(names)), *_failures(run), ""])


def _header(run: Finished) -> list[str]:
    ending = run.ending
    told = f"{run.begun.experiment}, {run.begun.mode}: medians of {ending.rounds} rounds"
    lines = [f"{told}, floor {statistics.median(run.floors):.0f} ns"]
    if text := disturbance(ending.beside):
        lines.append(f"DISTURBED: {text}: these numbers are not to be quoted")
    return lines


def _failures(run: Finished) -> list[str]:
    failed = run.samples.failed.items()
    where = run.samples.experiment.where
    lines = [f"{slot.runtime}: failed on {where(slot)}: {why}" for slot, why in failed]
    return [*lines, *(f"{it.runtime}: not installed: {it.how_to_get}" for it in run.begun.missing)]


def _names_of(rows: Sequence[Slot]) -> list[str]:
    """Returns what tells rows apart, beside their cases and runtimes what differs."""
    fields = [row.fields for row in rows]
    others = dict.fromkeys(name for each in fields for name in each if name not in NAMES)
    return [*NAMES, *(it for it in others if len({str(each.get(it)) for each in fields}) > 1)]


def _median(by_round: Mapping[int, float]) -> str:
    return number_text(statistics.median(by_round.values())) if by_round else ""


def _aligned(lines: Sequence[Sequence[str]], names: int) -> list[str]:
    """Returns the lines with columns of one width, names to the left and numbers to the right."""
    widths = [max(map(len, column)) for column in zip(*lines)]
    return [
        GAP.join(
            cell.ljust(width) if at < names else cell.rjust(width)
            for at, (cell, width) in enumerate(zip(line, widths))
        ).rstrip()
        for line in lines
    ]
