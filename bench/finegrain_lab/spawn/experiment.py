"""The experiment as the command knows it."""

from collections.abc import Mapping, Sequence

from finegrain_lab.experiment import Experiment, Request, Run, Views, run_of
from finegrain_lab.host import choose_all_cpus
from finegrain_lab.spawn import cases, contestants, report, table
from finegrain_lab.spawn.evaluate import to_result
from finegrain_lab.spawn.measure import Plan, measure
from finegrain_lab.spawn.modes import MODES, SpawnMode
from finegrain_lab.spawn.results import Result


class Spawn(Experiment[Result]):
    """spawn."""

    name = cases.NAME
    title = cases.TITLE
    result_type = Result
    modes: Mapping[str, SpawnMode] = MODES
    views = Views(table.print_result, report.render)
    options = frozenset({"--runtimes", "--peers"})

    def contents(self) -> Mapping[str, Sequence[str]]:
        """The one case; which policies the pool has, the build decides."""
        return {"case": [cases.CASE]}

    def prepare(self, request: Request) -> Run[Result]:
        """Checks the request and measures nothing. Raises LabError."""
        pair, placement, cpus = choose_all_cpus(request.cpus)
        serial, ceiling = contestants.serial_and_ceiling(request.build)
        plan = Plan(
            build=request.build,
            serial=serial,
            ceiling=ceiling,
            contestants=contestants.choose(request.build, request.runtimes),
            cpus=cpus,
            mode=self.modes[request.mode],
            peers=request.peers or "tuned",
        )
        return run_of(pair, placement, plan, measure, to_result)
