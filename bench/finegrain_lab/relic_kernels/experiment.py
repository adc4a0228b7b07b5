# SPDX-License-Identifier: Apache-2.0
"""The experiment as the command knows it."""

from collections.abc import Mapping, Sequence

from finegrain_lab.experiment import Experiment, Request, Run, Views, chosen_cases, paced, run_of
from finegrain_lab.host import choose_cpus
from finegrain_lab.measurements import Measurement
from finegrain_lab.relic_kernels import cases, plots, report, table
from finegrain_lab.relic_kernels.evaluate import to_result
from finegrain_lab.relic_kernels.measure import Plan, measure
from finegrain_lab.relic_kernels.measurements import measurements_of
from finegrain_lab.relic_kernels.modes import MODES, KernelMode
from finegrain_lab.relic_kernels.results import Result


class RelicKernels(Experiment[Result]):
    """relic-kernels."""

    name = cases.NAME
    title = cases.TITLE
    heading = cases.HEADING
    result_type = Result
    modes: Mapping[str, KernelMode] = MODES
    views = Views(table.print_result, report.render, plots.drawings)
    options = frozenset({"--runtimes", "--cases", "--peers"})

    def contents(self) -> Mapping[str, Sequence[str]]:
        """The paper's kernels, and the tasks of one length."""
        return {"kernels": cases.KERNELS, "spin": cases.SPIN_CASES}

    def prepare(self, request: Request) -> Run[Result]:
        """Checks the request and measures nothing. Raises LabError."""
        chosen = chosen_cases(request.cases, cases.CASES)
        cpus, placement = choose_cpus(request.cpus)
        plan = Plan(
            build=request.build,
            runtimes=request.build.choose(request.runtimes),
            cases=chosen,
            cpus=cpus,
            mode=paced(self.modes[request.mode], request),
            peers=request.peers or "tuned",
        )
        return run_of(cpus, placement, plan, measure, to_result)

    def measurements(self, result: Result) -> list[Measurement]:
        """Returns its rows."""
        return measurements_of(result)
