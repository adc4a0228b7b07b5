# SPDX-License-Identifier: Apache-2.0
"""Who takes part: each OpenMP runtime alone, and with the drop-in under each policy."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from finegrain_lab.drop_in import DropIn, base_of, whole_name, with_policy
from finegrain_lab.errors import LabError
from finegrain_lab.policies import policies_of
from finegrain_lab.results import Missing
from finegrain_lab.runtimes import OPENMP, SERIAL, Build, without_doubles


@dataclass(frozen=True)
class Contestant:
    """A program, alone or with the drop-in."""

    name: str
    program: Path
    base: str | None = None  # the program's own runtime; None: serial
    drop_in: DropIn | None = None  # None: alone
    note: str = ""

    @property
    def answers_as(self) -> str:
        """What the program calls itself: it does not know of the drop-in."""
        return self.base or SERIAL

    @property
    def policy(self) -> str | None:
        """The drop-in's; None: alone."""
        return self.drop_in.policy if self.drop_in else None

    @property
    def variables(self) -> dict[str, str]:
        """What loads the drop-in."""
        return self.drop_in.variables if self.drop_in else {}


def choose(build: Build, names: Sequence[str] | None) -> list[Contestant]:
    """Returns serial and the contestants of these names, each with its own runtime alone.

    All if None. Of a name without a policy the default one. Raises LabError for a name that there
    is not or that is not installed, and without serial or the drop-in.
    """
    policies = policies_of(build)
    known = _all(build, policies)
    if names is None:
        return known
    wanted = {SERIAL, *(whole_name(name, policies[0]) for name in names)}
    missing = {line.runtime: line.how_to_get for line in missing_runtimes(build)}
    for name in wanted:
        base = base_of(name)
        if base in missing:
            raise LabError(f"{base} is not installed: {missing[base]}")
        if all(name != contestant.name for contestant in known):
            all_names = ", ".join(contestant.name for contestant in known)
            raise LabError(f"there is no runtime '{name}'; known are {all_names}", 2)
    own = {contestant.base for contestant in known if contestant.name in wanted}
    return [c for c in known if c.name in wanted | own]


def each_once(chosen: Sequence[Contestant], policy: str) -> list[Contestant]:
    """Returns each runtime once, alone and with the drop-in under this policy."""
    kept = without_doubles({contestant.answers_as for contestant in chosen})
    return [
        contestant
        for contestant in chosen
        if contestant.answers_as in kept and contestant.policy in (None, policy)
    ]


def missing_runtimes(build: Build) -> list[Missing]:
    """Returns the OpenMP runtimes that the build could not have."""
    return [
        Missing(runtime=runtime.name, how_to_get=runtime.how_to_get)
        for runtime in build.missing("spawn")
        if runtime.name in OPENMP
    ]


def _all(build: Build, policies: Sequence[str]) -> list[Contestant]:
    library = build.drop_in()
    contestants = [Contestant(SERIAL, _program(build, SERIAL))]
    for runtime in build.installed("spawn"):
        if runtime.name in OPENMP:
            base, program = runtime.name, _program(build, runtime.name)
            contestants.append(Contestant(base, program, base, note=runtime.note))
            contestants += [
                Contestant(with_policy(base, policy), program, base, DropIn(library, policy))
                for policy in policies
            ]
    return contestants


def _program(build: Build, runtime: str) -> Path:
    return build.program(build.manifest.omp / f"omp-{runtime}")
