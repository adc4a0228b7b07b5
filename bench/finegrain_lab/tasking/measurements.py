# SPDX-License-Identifier: Apache-2.0
"""The rows of such a result file, side by side.

Each over the ceiling of as many threads, where there is one: what that many CPUs could do in the
same rounds. Else, and the ceiling itself, over the serial process.
"""

from finegrain_lab.drop_in import WITH_DROP_IN
from finegrain_lab.measurements import Measurement, is_ours
from finegrain_lab.runtimes import SERIAL
from finegrain_lab.tasking.contestants import CEILING
from finegrain_lab.tasking.results import Result, Row
from finegrain_lab.threads import threads_text


def measurements_of(result: Result) -> list[Measurement]:
    """Returns the rows. The drop-in takes part under its default policy alone."""
    return [_measurement(result, row) for row in result.results]


def _measurement(result: Result, row: Row) -> Measurement:
    reference = _reference(result, row)
    serial = result.row(row.case, SERIAL, 1)
    return Measurement(
        experiment=result.experiment,
        case=f"{row.case}, {threads_text(row.threads)}",
        runtime=row.runtime,
        ours=is_ours(row.runtime),
        default=row.runtime == result.settings.reference or WITH_DROP_IN in row.runtime,
        samples=row.samples,
        reference=reference.runtime if reference else None,
        reference_samples=reference.samples if reference else (),
        size=result.settings.sizes.get(row.case, ""),
        serial_samples=serial.samples if serial else (),
    )


def _reference(result: Result, row: Row) -> Row | None:
    if row.runtime == SERIAL:
        return None
    serial = result.row(row.case, SERIAL, 1)
    if row.runtime == CEILING:
        return serial
    return result.row(row.case, CEILING, row.threads) or serial
