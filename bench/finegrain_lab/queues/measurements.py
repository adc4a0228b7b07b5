"""The rows of queues.json, side by side: each over our ring."""

from finegrain_lab.measurements import Measurement, is_ours
from finegrain_lab.queues.cases import REFERENCE
from finegrain_lab.queues.results import Result


def measurements_of(result: Result) -> list[Measurement]:
    """Returns the rows."""
    found = []
    for row in result.results:
        is_reference = row.runtime == REFERENCE
        reference = None if is_reference else result.row(row.case, REFERENCE)
        found.append(
            Measurement(
                experiment=result.experiment,
                case=row.case,
                runtime=row.runtime,
                ours=is_ours(row.runtime),
                default=is_reference,
                samples=row.samples_ns,
                reference=None if is_reference else REFERENCE,
                reference_samples=reference.samples_ns if reference else (),
            )
        )
    return found
