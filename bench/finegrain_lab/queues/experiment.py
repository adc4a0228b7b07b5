# SPDX-License-Identifier: Apache-2.0
"""The experiment as the command knows it."""

from collections.abc import Mapping, Sequence

from finegrain_lab.errors import LabError
from finegrain_lab.experiment import Experiment, Request, Run, Views, paced, run_of
from finegrain_lab.host import choose_cpus
from finegrain_lab.measurements import Measurement
from finegrain_lab.processes import ProcessFailed, run_process
from finegrain_lab.queues import cases, plots, report, table
from finegrain_lab.queues.evaluate import to_result
from finegrain_lab.queues.measure import Plan, measure
from finegrain_lab.queues.measurements import measurements_of
from finegrain_lab.queues.modes import MODES, QueuesMode
from finegrain_lab.queues.protocol import Queue, QueueList
from finegrain_lab.queues.results import Result
from finegrain_lab.runtimes import Build


class Queues(Experiment[Result]):
    """queues."""

    name = cases.NAME
    title = cases.TITLE
    heading = cases.HEADING
    result_type = Result
    modes: Mapping[str, QueuesMode] = MODES
    views = Views(table.print_result, report.render, plots.drawings)

    def contents(self) -> Mapping[str, Sequence[str]]:
        """The measures; which queues there are, the build decides."""
        return {"cases": list(cases.MEASURES)}

    def prepare(self, request: Request) -> Run[Result]:
        """Checks the request and measures nothing. Raises LabError."""
        cpus, placement = choose_cpus(request.cpus)
        known = _known(request.build)
        plan = Plan(
            build=request.build,
            queues=[queue for queue in known if not queue.how_to_get],
            missing=[queue for queue in known if queue.how_to_get],
            cpus=cpus,
            mode=paced(self.modes[request.mode], request),
        )
        return run_of(cpus, placement, plan, measure, to_result)

    def measurements(self, result: Result) -> list[Measurement]:
        """Returns its rows."""
        return measurements_of(result)


def _known(build: Build) -> list[Queue]:
    """Returns the queues of the build's program, installed or not. Raises LabError."""
    try:
        known = run_process([build.program(build.manifest.queues), "--list"], QueueList).queues
    except ProcessFailed as error:
        raise LabError(f"the queues cannot be listed: {error}") from error
    if all(queue.name != cases.REFERENCE for queue in known):
        raise LabError(f"the build has no {cases.REFERENCE} to compare with: run 'make lab'")
    return known
