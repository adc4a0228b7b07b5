"""The rows of break-even.json, side by side: the controller's over the oracle's.

The times of the serial arm, which the others are held against, are not in the file.
"""

from finegrain_lab.break_even.cases import ADAPTIVE, ORACLE
from finegrain_lab.break_even.results import Result
from finegrain_lab.measurements import Measurement, is_ours
from finegrain_lab.runtimes import SERIAL


def measurements_of(result: Result) -> list[Measurement]:
    """Returns the rows."""
    oracle = {row.case: row.samples for row in result.results if row.runtime == ORACLE}
    return [
        Measurement(
            experiment=result.experiment,
            case=row.case,
            runtime=row.runtime,
            ours=is_ours(row.runtime),
            default=row.runtime == ADAPTIVE,
            samples=row.samples,
            reference=ORACLE if row.runtime == ADAPTIVE else SERIAL,
            reference_samples=oracle.get(row.case, ()) if row.runtime == ADAPTIVE else (),
        )
        for row in result.results
    ]
