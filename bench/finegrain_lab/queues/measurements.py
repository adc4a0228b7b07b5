# SPDX-License-Identifier: Apache-2.0
"""The rows of queues.json, side by side: each over our ring."""

from finegrain_lab.cycles import measurement_of
from finegrain_lab.measurements import Measurement
from finegrain_lab.queues.cases import REFERENCE
from finegrain_lab.queues.results import Result


def measurements_of(result: Result) -> list[Measurement]:
    """Returns the rows."""
    return [
        measurement_of(
            result.experiment,
            row.case,
            row,
            result.row(row.case, REFERENCE),
            default=row.runtime == REFERENCE,
        )
        for row in result.results
    ]
