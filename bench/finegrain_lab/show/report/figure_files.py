# SPDX-License-Identifier: Apache-2.0
"""Every figure as a file: drawn, and as numbers."""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from finegrain_lab.run.files import writable, write_whole
from finegrain_lab.show.drawing import Drawing
from finegrain_lab.show.report.answer import Answer
from finegrain_lab.show.report.measured import Measured
from finegrain_lab.show.report.plots import ANSWER, standings_drawing


def write_figures(folder: Path, all_measured: Sequence[Measured], answers: Sequence[Answer]) -> int:
    """Writes EXPERIMENT-NAME.svg and .csv; of several hosts each into a folder of its own.

    Returns how many figures there are. Raises LabError.
    """
    count = 0
    for measured, answer in zip(all_measured, answers, strict=True):
        own = folder if len(all_measured) == 1 else folder / _file_name(measured.name)
        with writable(own):
            for of, drawing in _drawings(measured, answer):
                path = own / f"{of}-{drawing.name}"
                write_whole(Path(f"{path}.svg"), drawing.standalone_svg)
                write_whole(Path(f"{path}.csv"), drawing.csv)
                count += 1
    return count


def _drawings(measured: Measured, answer: Answer) -> Iterator[tuple[str, Drawing]]:
    """Returns every figure of a host with what it is of, as the page has them."""
    if answer.compared:
        yield ANSWER, standings_drawing(answer)
    for name, drawings in measured.drawings.items():
        yield from ((name, drawing) for drawing in drawings)


def _file_name(text: str) -> str:
    return re.sub(r"[^\w.-]+", "-", text).strip("-.")
