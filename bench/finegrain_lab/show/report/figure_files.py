# SPDX-License-Identifier: Apache-2.0
"""Every figure as a file: drawn, and as numbers."""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from finegrain_lab.run.files import writable, write_whole
from finegrain_lab.show.drawing import Drawing
from finegrain_lab.show.report.answer import Answer
from finegrain_lab.show.report.many_cores import MANY_CORES, Comparison
from finegrain_lab.show.report.measured import Measured
from finegrain_lab.show.report.plots import ANSWER, standings_drawing


def write_figures(
    folder: Path,
    all_measured: Sequence[Measured],
    answers: Sequence[Answer],
    many_cores: Sequence[Comparison],
) -> int:
    """Writes EXPERIMENT-NAME.svg and .csv; of several hosts each into a folder of its own.

    Returns how many figures there are. Raises LabError.
    """
    count = sum(_write(folder, MANY_CORES, each.drawings) for each in many_cores)
    for measured, answer in zip(all_measured, answers, strict=True):
        own = folder if len(all_measured) == 1 else folder / _file_name(measured.name)
        for of, drawings in _drawings(measured, answer):
            count += _write(own, of, drawings)
    return count


def _write(folder: Path, of: str, drawings: Sequence[Drawing]) -> int:
    with writable(folder):
        for drawing in drawings:
            path = folder / f"{of}-{drawing.name}"
            write_whole(Path(f"{path}.svg"), drawing.standalone_svg)
            write_whole(Path(f"{path}.csv"), drawing.csv)
    return len(drawings)


def _drawings(measured: Measured, answer: Answer) -> Iterator[tuple[str, Sequence[Drawing]]]:
    """Returns the figures of a host by what they are of, as the page has them."""
    if answer.compared:
        yield ANSWER, [standings_drawing(answer)]
    yield from measured.drawings.items()


def _file_name(text: str) -> str:
    return re.sub(r"[^\w.-]+", "-", text).strip("-.")
