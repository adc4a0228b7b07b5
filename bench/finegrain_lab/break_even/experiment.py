# SPDX-License-Identifier: Apache-2.0
"""The experiment as the command knows it."""

from collections.abc import Mapping, Sequence

from finegrain_lab.break_even import cases, plots, report, table
from finegrain_lab.break_even.evaluate import to_result
from finegrain_lab.break_even.measure import Plan, measure
from finegrain_lab.break_even.measurements import measurements_of
from finegrain_lab.break_even.modes import MODES, BreakEvenMode
from finegrain_lab.break_even.results import Result
from finegrain_lab.experiment import Experiment, Request, Run, Views, chosen_cases, paced, run_of
from finegrain_lab.host import choose_cpus
from finegrain_lab.measurements import Measurement


class BreakEven(Experiment[Result]):
    """break-even."""

    name = cases.NAME
    title = cases.TITLE
    heading = cases.HEADING
    result_type = Result
    modes: Mapping[str, BreakEvenMode] = MODES
    views = Views(table.print_result, report.render, plots.drawings)
    options = frozenset({"--cases"})

    def contents(self) -> Mapping[str, Sequence[str]]:
        """The grains of each ratio, and the sites that change."""
        words = {ratio: f"{ratio}-" for ratio in cases.RATIOS} | {"changes": "change-"}
        names = [site.name for site in cases.SITES]
        return {
            word: [name for name in names if name.startswith(start)]
            for word, start in words.items()
        }

    def prepare(self, request: Request) -> Run[Result]:
        """Checks the request and measures nothing. Raises LabError."""
        by_name = {site.name: site for site in cases.SITES}
        chosen = chosen_cases(request.cases, list(by_name))
        cpus, placement = choose_cpus(request.cpus)
        plan = Plan(
            build=request.build,
            sites=[by_name[name] for name in chosen],
            cpus=cpus,
            mode=paced(self.modes[request.mode], request),
        )
        return run_of(cpus, placement, plan, measure, to_result)

    def measurements(self, result: Result) -> list[Measurement]:
        """Returns its rows."""
        return measurements_of(result)
