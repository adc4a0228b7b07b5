# SPDX-License-Identifier: Apache-2.0
"""The experiment as the command knows it."""

from collections.abc import Mapping, Sequence

from finegrain_lab.experiment import Experiment, Request, Run, Views, chosen_cases, paced, run_of
from finegrain_lab.host import choose_all_cpus
from finegrain_lab.measurements import Measurement
from finegrain_lab.omp import cases, contestants, plots, report, table
from finegrain_lab.omp.evaluate import to_result
from finegrain_lab.omp.measure import Plan, measure
from finegrain_lab.omp.measurements import measurements_of
from finegrain_lab.omp.modes import MODES, OmpMode
from finegrain_lab.omp.results import Result
from finegrain_lab.policies import policies_of


class Omp(Experiment[Result]):
    """omp."""

    name = cases.NAME
    title = cases.TITLE
    heading = cases.HEADING
    result_type = Result
    modes: Mapping[str, OmpMode] = MODES
    views = Views(table.print_result, report.render, plots.drawings)
    options = frozenset({"--runtimes", "--cases", "--peers"})

    def contents(self) -> Mapping[str, Sequence[str]]:
        """The cases; which runtimes and policies there are, the build decides."""
        return {"cases": list(cases.CASES)}

    def prepare(self, request: Request) -> Run[Result]:
        """Checks the request and measures nothing. Raises LabError."""
        pair, placement, cpus = choose_all_cpus(request.cpus)
        chosen = chosen_cases(request.cases, list(cases.CASES))
        policies = policies_of(request.build)
        takers = contestants.choose(request.build, request.runtimes)
        plan = Plan(
            build=request.build,
            contestants=contestants.each_once(takers, policies[0]) if request.is_brief else takers,
            policies=policies,
            cases=[cases.CASES[name] for name in chosen],
            cpus=cpus,
            mode=paced(self.modes[request.mode], request),
            peers=request.peers or "tuned",
            is_asked=request.runtimes is not None,
        )
        return run_of(pair, placement, plan, measure, to_result, cpus)

    def measurements(self, result: Result) -> list[Measurement]:
        """Returns its rows."""
        return measurements_of(result)
