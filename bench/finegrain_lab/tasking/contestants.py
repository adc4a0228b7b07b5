"""Which runtimes take part: the pool under each of its policies, and the peers of the build."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from finegrain_lab.errors import LabError
from finegrain_lab.policies import POOL, policies_of
from finegrain_lab.results import Missing
from finegrain_lab.runtimes import SERIAL, Build

REFERENCE = "pool-private_deque"
# Serial processes side by side, one a CPU: what that many CPUs can do at best.
CEILING = "ceiling"


@dataclass(frozen=True)
class Contestant:
    """A runtime, or the pool under one policy."""

    name: str
    program: Path
    answers_as: str  # what the program calls itself
    policy: str | None = None
    note: str = ""

    @property
    def is_ours(self) -> bool:
        """Says whether it is the pool, or what the pool is held against."""
        return self.policy is not None or self.answers_as == SERIAL


def serial_and_ceiling(build: Build) -> tuple[Contestant, Contestant]:
    """Returns one serial process, and several of them side by side. Raises LabError."""
    program = _program(build, SERIAL)
    return (
        Contestant(SERIAL, program, SERIAL),
        Contestant(
            CEILING, program, SERIAL, note="serial processes side by side: what the CPUs can do"
        ),
    )


def choose(build: Build, names: Sequence[str] | None) -> list[Contestant]:
    """Returns the contestants of these names (all if None), the reference among them always.

    Raises LabError for a name that there is not, or that is not installed.
    """
    known = _pools(build) + _peers(build)
    missing = {line.runtime: line.how_to_get for line in missing_peers(build)}
    for name in names or ():
        if name in missing:
            raise LabError(f"{name} is not installed: {missing[name]}")
        if all(name != contestant.name for contestant in known):
            all_names = ", ".join([*(contestant.name for contestant in known), *missing])
            raise LabError(f"there is no runtime '{name}'; known are {all_names}", 2)
    if all(contestant.name != REFERENCE for contestant in known):
        raise LabError(f"the build's pool has no {REFERENCE} to compare with: run 'make build'")
    return [c for c in known if names is None or c.name in names or c.name == REFERENCE]


def missing_peers(build: Build) -> list[Missing]:
    """Returns the peers that the build could not have."""
    return [
        Missing(runtime=runtime.name, how_to_get=runtime.how_to_get)
        for runtime in build.missing("spawn")
    ]


def _pools(build: Build) -> list[Contestant]:
    program, names = _program(build, POOL), policies_of(build)
    return [Contestant(f"{POOL}-{name}", program, f"{POOL}-{name}", name) for name in names]


def _peers(build: Build) -> list[Contestant]:
    return [
        Contestant(runtime.name, _program(build, runtime.name), runtime.name, note=runtime.note)
        for runtime in build.installed("spawn")
        if runtime.name != SERIAL
    ]


def _program(build: Build, runtime: str) -> Path:
    return build.program(build.manifest.spawn / f"spawn-{runtime}")
