# SPDX-License-Identifier: Apache-2.0
"""Who takes part in an experiment whose programs are relic's, the pool's and the peers'."""

from __future__ import annotations

from finegrain_lab.run.errors import LabError
from finegrain_lab.run.experiment import Request
from finegrain_lab.run.policies import POOL
from finegrain_lab.run.runtimes import SERIAL, Programs, without_doubles

RELIC = "relic"


def chosen_runtimes(request: Request, programs: Programs) -> list[str]:
    """Returns serial and the runtimes that are asked for, by default each once. Raises LabError.

    The pool, which has no row of its own in the build, comes after relic.
    """
    how_to_get = {it.name: it.how_to_get for it in request.build.missing(programs)}
    installed: list[str] = []
    for it in request.build.installed(programs):
        installed += [it.name, POOL] if it.name == RELIC else [it.name]
    for name in request.runtimes or ():
        if name in how_to_get:
            raise LabError(f"{name} is not installed: {how_to_get[name]}")
        if name not in installed:
            raise LabError(f"there is no runtime '{name}'; known are {', '.join(installed)}", 2)
    if request.runtimes is None:
        return without_doubles(installed)
    return [name for name in installed if name == SERIAL or name in request.runtimes]
