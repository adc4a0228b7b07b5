# SPDX-License-Identifier: Apache-2.0
"""The results of one host: a folder of `lab run`."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from finegrain_lab.experiments import experiment_of
from finegrain_lab.run.all import failed_in
from finegrain_lab.run.host import Host
from finegrain_lab.show.drawing import Drawing
from finegrain_lab.show.result import Result, results_in
from finegrain_lab.show.views import drawings_of


@dataclass(frozen=True)
class Measured:
    """What a folder holds."""

    name: str  # of the host, for a reader: its folder's
    results: Mapping[str, Result]  # by experiment, in the order of `lab list`; never empty
    failed: Mapping[str, str]  # why an experiment has no result, where a run of all has noted it

    @cached_property
    def drawings(self) -> Mapping[str, Sequence[Drawing]]:
        """The figures, by experiment."""
        return {name: drawings_of(experiment_of(name), it) for name, it in self.results.items()}

    @property
    def host(self) -> Host:
        """The machine, as the first result describes it."""
        return next(iter(self.results.values())).host


def load_measured(folders: Sequence[Path]) -> list[Measured]:
    """Reads all result files of these folders. Raises LabError."""
    names = [folder.resolve().name for folder in folders]
    return [
        Measured(
            name if names.count(name) == 1 else str(folder),
            {experiment.name: result for experiment, result in results_in(folder).items()},
            failed_in(folder),
        )
        for folder, name in zip(folders, names, strict=True)
    ]
