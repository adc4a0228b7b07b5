# SPDX-License-Identifier: Apache-2.0
"""The rows of break-even.json, side by side: the controller's over the oracle's.

The times of the serial arm, which the others are held against, are not in the file.
"""

from finegrain_lab.break_even.cases import ADAPTIVE, ORACLE
from finegrain_lab.break_even.results import Result, Row
from finegrain_lab.measurements import Measurement, is_ours
from finegrain_lab.runtimes import SERIAL


def measurements_of(result: Result) -> list[Measurement]:
    """Returns the rows."""
    return [_measurement(result, row) for row in result.results]


def _measurement(result: Result, row: Row) -> Measurement:
    is_default = row.runtime == ADAPTIVE
    oracle = result.row(row.case, ORACLE) if is_default else None
    return Measurement(
        experiment=result.experiment,
        case=row.case,
        runtime=row.runtime,
        ours=is_ours(row.runtime),
        default=is_default,
        samples=row.samples,
        reference=ORACLE if is_default else SERIAL,
        reference_samples=oracle.samples if oracle else (),
    )
