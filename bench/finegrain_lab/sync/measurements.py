"""The rows of sync.json, side by side: each over fetch-and-add on as many threads."""

from finegrain_lab.measurements import Measurement, is_ours
from finegrain_lab.sync.cases import REFERENCE
from finegrain_lab.sync.results import Result
from finegrain_lab.threads import threads_text


def measurements_of(result: Result) -> list[Measurement]:
    """Returns the rows. None is ours: these are the machine's mechanisms."""
    found = []
    for row in result.results:
        is_reference = row.runtime == REFERENCE
        reference = None if is_reference else result.row(REFERENCE, row.threads)
        found.append(
            Measurement(
                experiment=result.experiment,
                case=f"{row.case}, {threads_text(row.threads)}",
                runtime=row.runtime,
                ours=is_ours(row.runtime),
                default=False,
                samples=row.samples_ns,
                reference=None if is_reference else REFERENCE,
                reference_samples=reference.samples_ns if reference else (),
            )
        )
    return found
