# SPDX-License-Identifier: Apache-2.0
"""The rows of waiting.json, side by side: the first task's latency over that when spinning."""

from finegrain_lab.measurements import Measurement, is_ours, under
from finegrain_lab.waiting.cases import REFERENCE_HINTS, REFERENCE_POLICY
from finegrain_lab.waiting.results import Result, Row


def measurements_of(result: Result) -> list[Measurement]:
    """Returns the rows."""
    return [_measurement(result, row) for row in result.results]


def _measurement(result: Result, row: Row) -> Measurement:
    reference = (REFERENCE_POLICY, REFERENCE_HINTS)
    is_reference = (row.policy, row.hints) == reference
    spinning = None if is_reference else result.row(*reference, row.gap_us)
    return Measurement(
        experiment=result.experiment,
        case=_case(row),
        runtime=under(row.runtime, row.policy),
        ours=is_ours(row.runtime),
        default=row.policy == result.settings.policies[0] and row.hints == "none",
        samples=row.samples,
        reference=None if is_reference else under(row.runtime, REFERENCE_POLICY),
        reference_samples=spinning.samples if spinning else (),
    )


def _case(row: Row) -> str:
    return row.case if row.hints == "none" else f"{row.case}, {row.hints}"
