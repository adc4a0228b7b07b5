"""These experiments as the command knows them."""

from collections.abc import Mapping, Sequence
from functools import partial

from finegrain_lab.experiment import (
    Experiment,
    Request,
    Run,
    Views,
    chosen_cases,
    run_of,
)
from finegrain_lab.flat_loops import producers, report, table, tasking_overhead
from finegrain_lab.flat_loops.evaluate import to_result
from finegrain_lab.flat_loops.measure import Plan, measure
from finegrain_lab.flat_loops.modes import MODES, FlatMode
from finegrain_lab.flat_loops.results import Result
from finegrain_lab.flat_loops.study import Study
from finegrain_lab.host import choose_all_cpus
from finegrain_lab.spawn import contestants


class FlatLoops(Experiment[Result]):
    """One study."""

    result_type = Result
    modes: Mapping[str, FlatMode] = MODES
    options = frozenset({"--runtimes", "--cases", "--peers"})

    def __init__(self, study: Study) -> None:
        self.name = study.name
        self.title = study.title
        self.views = Views(table.print_result, partial(report.render, study))
        self._study = study

    def contents(self) -> Mapping[str, Sequence[str]]:
        """The cases; which policies the pool has, the build decides."""
        return {"case": [case.name for case in self._study.cases]}

    def prepare(self, request: Request) -> Run[Result]:
        """Checks the request and measures nothing. Raises LabError."""
        pair, placement, cpus = choose_all_cpus(request.cpus)
        known = [case.name for case in self._study.cases]
        cases = chosen_cases(request.cases, known)
        serial, _ = contestants.serial_and_ceiling(request.build)
        plan = Plan(
            study=self._study,
            build=request.build,
            serial=serial,
            contestants=contestants.choose(request.build, request.runtimes),
            cases=[self._study.case(name) for name in cases],
            cpus=cpus,
            mode=self.modes[request.mode],
            peers=request.peers or "tuned",
        )
        return run_of(pair, placement, plan, measure, to_result)


TASKING_OVERHEAD = FlatLoops(tasking_overhead.STUDY)
PRODUCERS = FlatLoops(producers.STUDY)
