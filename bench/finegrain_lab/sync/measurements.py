# SPDX-License-Identifier: Apache-2.0
"""The rows of sync.json, side by side: each over fetch-and-add on as many threads."""

from finegrain_lab.cycles import measurement_of
from finegrain_lab.measurements import Measurement
from finegrain_lab.sync.cases import REFERENCE
from finegrain_lab.sync.results import Result
from finegrain_lab.threads import threads_text


def measurements_of(result: Result) -> list[Measurement]:
    """Returns the rows. None is ours: these are the machine's mechanisms."""
    return [
        measurement_of(
            result.experiment,
            f"{row.case}, {threads_text(row.threads)}",
            row,
            result.row(REFERENCE, row.threads),
            default=False,
        )
        for row in result.results
    ]
