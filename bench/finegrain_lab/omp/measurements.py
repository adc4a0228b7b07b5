# SPDX-License-Identifier: Apache-2.0
"""The rows of omp.json, side by side.

With the drop-in over the program's own runtime alone, that over the serial program.
"""

from finegrain_lab.measurements import Measurement, is_ours
from finegrain_lab.omp.results import Result, Row
from finegrain_lab.runtimes import SERIAL
from finegrain_lab.threads import threads_text


def measurements_of(result: Result) -> list[Measurement]:
    """Returns the rows."""
    return [_measurement(result, row) for row in result.results]


def _measurement(result: Result, row: Row) -> Measurement:
    name = row.base if row.policy else SERIAL if row.base else None
    reference = result.row(row.case, name) if name else None
    serial = result.row(row.case, SERIAL)
    return Measurement(
        experiment=result.experiment,
        case=f"{row.case}, {threads_text(row.threads)}",
        runtime=row.runtime,
        ours=is_ours(row.runtime),
        default=row.policy == result.settings.default_policy,
        samples=row.samples,
        reference=reference.runtime if reference else None,
        reference_samples=reference.samples if reference else (),
        size=", ".join(map(str, result.settings.sizes.get(row.case, ()))),
        serial_samples=serial.samples if serial else (),
    )
