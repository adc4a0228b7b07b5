# SPDX-License-Identifier: Apache-2.0
"""The experiment as the command knows it."""

from collections.abc import Mapping, Sequence

from finegrain_lab.experiment import Experiment, Request, Run, Views, chosen_cases, paced, run_of
from finegrain_lab.handoff import cases, plots, report, table
from finegrain_lab.handoff.candidates import choose_candidates, list_candidates
from finegrain_lab.handoff.evaluate import to_result
from finegrain_lab.handoff.measure import Plan, measure
from finegrain_lab.handoff.measurements import measurements_of
from finegrain_lab.handoff.modes import MODES, HandoffMode
from finegrain_lab.handoff.placements import choose_placements
from finegrain_lab.handoff.results import Result
from finegrain_lab.measurements import Measurement


class Handoff(Experiment[Result]):
    """handoff."""

    name = cases.NAME
    title = cases.TITLE
    heading = cases.HEADING
    result_type = Result
    modes: Mapping[str, HandoffMode] = MODES
    views = Views(table.print_result, report.render, plots.drawings)
    options = frozenset({"--runtimes", "--cases"})

    def contents(self) -> Mapping[str, Sequence[str]]:
        """One task at a time, and bursts."""
        return {"cases": cases.CASES}

    def prepare(self, request: Request) -> Run[Result]:
        """Checks the request and measures nothing. Raises LabError."""
        chosen = chosen_cases(request.cases, cases.CASES)
        placements = choose_placements(request.build, request.cpus)
        known = list_candidates(request.build)
        plan = Plan(
            build=request.build,
            candidates=choose_candidates(known, request.runtimes),
            missing=[candidate for candidate in known if not candidate.policies],
            cases=chosen,
            placements=placements,
            mode=paced(self.modes[request.mode], request),
        )
        first = placements[0]
        why = f"{first.kind}, {'as asked for' if request.cpus else 'as finegrain-info has it'}"
        pair = (first.main_cpu, first.assistant_cpu)
        all_cpus = [cpu for it in placements for cpu in (it.main_cpu, it.assistant_cpu)]
        return run_of(pair, why, plan, measure, to_result, all_cpus)

    def measurements(self, result: Result) -> list[Measurement]:
        """Returns its rows."""
        return measurements_of(result)
