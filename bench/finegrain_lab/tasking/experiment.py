# SPDX-License-Identifier: Apache-2.0
"""These experiments as the command knows them."""

from collections.abc import Mapping, Sequence
from functools import partial

from finegrain_lab.allocators import Allocator
from finegrain_lab.experiment import (
    Experiment,
    Request,
    Run,
    Views,
    chosen_cases,
    paced,
    run_of,
)
from finegrain_lab.host import choose_all_cpus
from finegrain_lab.measurements import Measurement
from finegrain_lab.tasking import (
    bots,
    cholesky,
    contestants,
    producers,
    queue_size,
    report,
    spawn,
    spawn_heterogeneous,
    spawn_homogeneous,
    stealing_efficiency,
    strassen,
    syrk,
    table,
    task_distribution,
    tasking_overhead,
    uts,
)
from finegrain_lab.tasking.evaluate import to_result
from finegrain_lab.tasking.measure import Plan, measure
from finegrain_lab.tasking.measurements import measurements_of
from finegrain_lab.tasking.modes import TaskingMode
from finegrain_lab.tasking.results import Result
from finegrain_lab.tasking.study import Study


class Tasking(Experiment[Result]):
    """One study."""

    result_type = Result
    options = frozenset({"--runtimes", "--cases", "--peers", "--allocator", "--numa-binding"})

    def __init__(self, study: Study) -> None:
        self.name = study.name
        self.title = study.title
        self.heading = study.heading
        self.modes: Mapping[str, TaskingMode] = study.modes
        self.views = Views(
            partial(table.print_result, study),
            partial(report.render, study),
            partial(report.drawings, study),
        )
        self._study = study

    def contents(self) -> Mapping[str, Sequence[str]]:
        """The cases, and those of modes with others; which policies the pool has the build says."""
        names = {mode: [case.name for case in self._study.cases_of(mode)] for mode in self.modes}
        first = next(iter(names.values()))
        others = {f"--{mode}": own for mode, own in names.items() if own != first}
        return {"case": first, **others}

    def prepare(self, request: Request) -> Run[Result]:
        """Checks the request and measures nothing. Raises LabError."""
        pair, placement, cpus = choose_all_cpus(request.cpus)
        known = [case.name for case in self._study.cases_of(request.mode)]
        cases = chosen_cases(request.cases, known)
        allocator = request.allocator or Allocator.GLIBC
        allocator.require()
        serial, ceiling = contestants.serial_and_ceiling(request.build)
        plan = Plan(
            study=self._study,
            build=request.build,
            serial=serial,
            ceiling=ceiling,
            contestants=self._contestants(request),
            cases=[self._study.case(name, request.mode) for name in cases],
            cpus=cpus,
            mode=paced(self.modes[request.mode], request),
            peers=request.peers or "tuned",
            allocator=allocator,
            numa_binding=request.numa_binding or "on",
        )
        return run_of(pair, placement, plan, measure, to_result, cpus)

    def measurements(self, result: Result) -> list[Measurement]:
        """Returns its rows."""
        return measurements_of(result)

    def _contestants(self, request: Request) -> list[contestants.Contestant]:
        chosen = contestants.choose(request.build, request.runtimes)
        if request.is_brief and not self._study.is_about_policies:
            return contestants.each_once(chosen)
        return chosen


SPAWN = Tasking(spawn.STUDY)
TASKING_OVERHEAD = Tasking(tasking_overhead.STUDY)
TASK_DISTRIBUTION = Tasking(task_distribution.STUDY)
STEALING_EFFICIENCY = Tasking(stealing_efficiency.STUDY)
QUEUE_SIZE = Tasking(queue_size.STUDY)
PRODUCERS = Tasking(producers.STUDY)
UTS = Tasking(uts.STUDY)
SYRK = Tasking(syrk.STUDY)
CHOLESKY = Tasking(cholesky.STUDY)
SPAWN_HOMOGENEOUS = Tasking(spawn_homogeneous.STUDY)
SPAWN_HETEROGENEOUS = Tasking(spawn_heterogeneous.STUDY)
STRASSEN = Tasking(strassen.STUDY)
BOTS = Tasking(bots.STUDY)
