# SPDX-License-Identifier: Apache-2.0
"""The experiment as the command knows it."""

from collections.abc import Mapping, Sequence

from finegrain_lab.experiment import Experiment, Request, Run, Views, paced, run_of
from finegrain_lab.host import choose_all_cpus
from finegrain_lab.measurements import Measurement
from finegrain_lab.sync import cases, plots, report, table
from finegrain_lab.sync.evaluate import to_result
from finegrain_lab.sync.measure import Plan, measure
from finegrain_lab.sync.measurements import measurements_of
from finegrain_lab.sync.modes import MODES, SyncMode
from finegrain_lab.sync.results import Result


class Sync(Experiment[Result]):
    """sync."""

    name = cases.NAME
    title = cases.TITLE
    heading = cases.HEADING
    result_type = Result
    modes: Mapping[str, SyncMode] = MODES
    views = Views(table.print_result, report.render, plots.drawings)

    def contents(self) -> Mapping[str, Sequence[str]]:
        """The mechanisms; how many threads, the machine decides."""
        return {"by": cases.MECHANISMS}

    def prepare(self, request: Request) -> Run[Result]:
        """Checks the request and measures nothing. Raises LabError."""
        pair, placement, cpus = choose_all_cpus(request.cpus)
        plan = Plan(build=request.build, cpus=cpus, mode=paced(self.modes[request.mode], request))
        return run_of(pair, placement, plan, measure, to_result, cpus)

    def measurements(self, result: Result) -> list[Measurement]:
        """Returns its rows."""
        return measurements_of(result)
