# SPDX-License-Identifier: Apache-2.0
"""The experiment as the command knows it."""

from collections.abc import Mapping, Sequence

from finegrain_lab.errors import LabError
from finegrain_lab.experiment import Experiment, Request, Run, Views, paced, run_of
from finegrain_lab.handoff.candidates import list_candidates
from finegrain_lab.host import choose_cpus
from finegrain_lab.measurements import Measurement
from finegrain_lab.runtimes import Build
from finegrain_lab.waiting import cases, plots, report, table
from finegrain_lab.waiting.evaluate import to_result
from finegrain_lab.waiting.measure import Plan, measure
from finegrain_lab.waiting.measurements import measurements_of
from finegrain_lab.waiting.modes import MODES, WaitingMode
from finegrain_lab.waiting.results import Result


class Waiting(Experiment[Result]):
    """waiting."""

    name = cases.NAME
    title = cases.TITLE
    heading = cases.HEADING
    result_type = Result
    modes: Mapping[str, WaitingMode] = MODES
    views = Views(table.print_result, report.render, plots.drawings)

    def contents(self) -> Mapping[str, Sequence[str]]:
        """The gaps; which policies there are, the machine decides."""
        return {"gaps": [cases.gap_text(gap_us) for gap_us in cases.GAPS_US], "hints": cases.HINTS}

    def prepare(self, request: Request) -> Run[Result]:
        """Checks the request and measures nothing. Raises LabError."""
        cpus, placement = choose_cpus(request.cpus)
        plan = Plan(
            build=request.build,
            policies=_policies(request.build),
            cpus=cpus,
            mode=paced(self.modes[request.mode], request),
        )
        return run_of(cpus, placement, plan, measure, to_result)

    def measurements(self, result: Result) -> list[Measurement]:
        """Returns its rows."""
        return measurements_of(result)


def _policies(build: Build) -> list[str]:
    """Returns relic's wait policies on this machine, its default first. Raises LabError."""
    for candidate in list_candidates(build):
        if candidate.name == cases.RUNTIME and cases.REFERENCE_POLICY in candidate.policies:
            return candidate.policies
    raise LabError(
        f"the build's handoff has no {cases.RUNTIME} under {cases.REFERENCE_POLICY} to compare "
        "with: run 'make lab'"
    )
