# SPDX-License-Identifier: Apache-2.0
"""The rows of relic-kernels.json, side by side: each over the serial process."""

from finegrain_lab.measurements import Measurement, is_ours
from finegrain_lab.relic_kernels.results import Result
from finegrain_lab.runtimes import OURS, SERIAL


def measurements_of(result: Result) -> list[Measurement]:
    """Returns the rows. relic is the headline; the others of ours are the papers' designs."""
    serial = {row.case: row.samples for row in result.results if row.runtime == SERIAL}
    return [
        Measurement(
            experiment=result.experiment,
            case=row.case,
            runtime=row.runtime,
            ours=is_ours(row.runtime),
            default=row.runtime == OURS[0],
            samples=row.samples,
            reference=None if row.runtime == SERIAL else SERIAL,
            reference_samples=() if row.runtime == SERIAL else serial.get(row.case, ()),
            serial_samples=serial.get(row.case, ()),
        )
        for row in result.results
    ]
