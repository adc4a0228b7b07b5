"""Every figure as a file: drawn, and as numbers."""

import re
from collections.abc import Sequence
from pathlib import Path

from finegrain_lab.experiments import experiment_of
from finegrain_lab.report.measured import Measured
from finegrain_lab.results import writable, write_whole


def write_figures(folder: Path, all_measured: Sequence[Measured]) -> int:
    """Writes EXPERIMENT-NAME.svg and .csv; of several hosts each into a folder of its own.

    Returns how many figures there are. Raises LabError.
    """
    return sum(
        _write_figures(folder if len(all_measured) == 1 else folder / _file_name(each.name), each)
        for each in all_measured
    )


def _write_figures(folder: Path, measured: Measured) -> int:
    written = 0
    with writable(folder):
        for name, result in measured.results.items():
            for drawing in experiment_of(name).drawings(result):
                path = folder / f"{name}-{drawing.name}"
                write_whole(Path(f"{path}.svg"), drawing.standalone_svg)
                write_whole(Path(f"{path}.csv"), drawing.csv)
                written += 1
    return written


def _file_name(text: str) -> str:
    return re.sub(r"[^\w.-]+", "-", text).strip("-.")
