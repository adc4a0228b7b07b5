# SPDX-License-Identifier: Apache-2.0
"""The rows of handoff.json, side by side: each over the floor at its placement.

A burst's floor, measured beside it, is not in the file.
"""

from finegrain_lab.handoff.cases import EMPTY, FLOOR, FLOOR_POLICY, RELIC
from finegrain_lab.handoff.results import Result
from finegrain_lab.measurements import Measurement, is_ours, under


def measurements_of(result: Result) -> list[Measurement]:
    """Returns the rows."""
    relic_policies = result.settings.policies.get(RELIC, [])
    floor = under(FLOOR, FLOOR_POLICY)
    found = []
    for row in result.results:
        is_floor = under(row.runtime, row.policy) == floor
        beside = (
            result.row(EMPTY, FLOOR, FLOOR_POLICY, row.placement)
            if row.case == EMPTY and not is_floor
            else None
        )
        found.append(
            Measurement(
                experiment=result.experiment,
                case=f"{row.case}, {row.placement}",
                runtime=under(row.runtime, row.policy),
                ours=is_ours(row.runtime),
                default=row.runtime == RELIC and row.policy == relic_policies[0],
                samples=row.samples,
                reference=None if is_floor else floor,
                reference_samples=beside.samples if beside else (),
            )
        )
    return found
