# SPDX-License-Identifier: Apache-2.0
"""Which runtimes take part: the pool under each of its policies, and the peers of the build.

An OpenMP peer is there twice, alone and with the drop-in under its default policy: `omp` has all.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from finegrain_lab.drop_in import WITH_DROP_IN, DropIn, base_of, whole_name, with_policy
from finegrain_lab.errors import LabError
from finegrain_lab.policies import POOL, policies_of
from finegrain_lab.results import Missing
from finegrain_lab.runtimes import OPENMP, SERIAL, Build, without_doubles

REFERENCE = "pool-private_deque"
MAIN_POLICIES = ("private_deque", "xqueue_nowait")
# Serial processes side by side, one a CPU: what that many CPUs can do at best.
CEILING = "ceiling"


@dataclass(frozen=True)
class Contestant:
    """A runtime, alone or with the drop-in, or the pool under one policy."""

    name: str
    program: Path
    answers_as: str  # what the program calls itself: it does not know of the drop-in
    policy: str | None = None  # the pool's
    drop_in: DropIn | None = None
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

    With the drop-in, a name without a policy is its default one. Raises LabError for a name that
    there is not, or that is not installed.
    """
    policies = policies_of(build)
    known = _pools(build, policies) + _peers(build, policies[0])
    missing = {line.runtime: line.how_to_get for line in missing_peers(build)}
    wanted = [whole_name(name, policies[0]) for name in names or ()]
    for name in wanted:
        base = base_of(name)
        if base in missing:
            raise LabError(f"{base} is not installed: {missing[base]}")
        if WITH_DROP_IN in name:
            build.drop_in()
        if all(name != contestant.name for contestant in known):
            all_names = ", ".join([*(contestant.name for contestant in known), *missing])
            raise LabError(f"there is no runtime '{name}'; known are {all_names}", 2)
    if all(contestant.name != REFERENCE for contestant in known):
        raise LabError(f"the build's pool has no {REFERENCE} to compare with: run 'make lab'")
    return [c for c in known if names is None or c.name in wanted or c.name == REFERENCE]


def each_once(chosen: Sequence[Contestant]) -> list[Contestant]:
    """Returns each runtime once, but the pool under our policy and under X-OpenMP's best one."""
    kept = without_doubles({contestant.answers_as for contestant in chosen})
    return [
        contestant
        for contestant in chosen
        if contestant.answers_as in kept and contestant.policy in (None, *MAIN_POLICIES)
    ]


def missing_peers(build: Build) -> list[Missing]:
    """Returns the peers that the build could not have."""
    return [
        Missing(runtime=runtime.name, how_to_get=runtime.how_to_get)
        for runtime in build.missing("spawn")
    ]


def _pools(build: Build, policies: Sequence[str]) -> list[Contestant]:
    program = _program(build, POOL)
    return [Contestant(f"{POOL}-{name}", program, f"{POOL}-{name}", name) for name in policies]


def _peers(build: Build, policy: str) -> list[Contestant]:
    drop_in = DropIn(build.drop_in(), policy) if build.manifest.drop_in else None
    peers = []
    for runtime in build.installed("spawn"):
        name = runtime.name
        if name == SERIAL:
            continue
        program = _program(build, name)
        peers.append(Contestant(name, program, name, note=runtime.note))
        if drop_in and name in OPENMP:
            note = f"{name}'s program as it is, its tasks on the drop-in's queues"
            peers.append(
                Contestant(with_policy(name, policy), program, name, drop_in=drop_in, note=note)
            )
    return peers


def _program(build: Build, runtime: str) -> Path:
    return build.program(build.manifest.spawn / f"spawn-{runtime}")
