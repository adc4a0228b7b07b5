# SPDX-License-Identifier: Apache-2.0
"""The OpenMP drop-in ahead of a program's own runtime: what loads it, the proof that it serves."""

from __future__ import annotations

import re
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Callable, Dict, Iterable, Mapping, Optional, Sequence, TypeVar

from finegrain_lab.run.errors import LabError
from finegrain_lab.run.processes import ProcessFailed, WrongResult

WITH_DROP_IN = "+finegrain"
PRELOAD = "LD_PRELOAD"
VERBOSE = {"FINEGRAIN_OMP_VERBOSE": "1"}
# A process takes its tasks over more than once: to warm up, and in the one batch of a proof.
LEAST_RUNS = 2

# What the proof of all says to a reader.
PROVED = (
    "proved ahead: each process with the drop-in said that it runs the policy of its row, over the "
    "runtime of its row, and took over all tasks of the program"
)

_PREFIX = "finegrain-omp: "
_OWN_REGIONS = "regions are served without a runtime below"
_LIBRARIES = {"gnu-openmp": "libgomp", "llvm-openmp": "libomp", "intel-openmp": "libiomp5"}

SlotT = TypeVar("SlotT")


@dataclass(frozen=True)
class DropIn:
    """The library, under one of its policies."""

    library: Path
    policy: str

    @property
    def variables(self) -> dict[str, str]:
        """The environment variables of a process that it shall serve."""
        return {PRELOAD: str(self.library), "FINEGRAIN_POLICY": self.policy}


@dataclass(frozen=True)
class TakenOver:
    """What the drop-in said of a process."""

    policy: str
    library: str  # the runtime below it
    implicit_tasks: int
    tasks: int


def with_policy(base: str, policy: str) -> str:
    """Returns the name of a runtime with the drop-in."""
    return f"{base}{WITH_DROP_IN}:{policy}"


def whole_name(name: str, default: str) -> str:
    """Returns the name with the default policy where it has the drop-in and no policy."""
    return f"{name}:{default}" if name.endswith(WITH_DROP_IN) else name


def base_of(name: str) -> str:
    """Returns the name of the program's own runtime: the name itself without the drop-in."""
    return name.partition(WITH_DROP_IN)[0]


def policy_of(name: str) -> Optional[str]:
    """Returns the drop-in's policy in the name of a runtime; None without the drop-in."""
    return name.partition(f"{WITH_DROP_IN}:")[2] or None


def shown_name(name: str) -> str:
    """Returns the name without the drop-in's policy, for where there is little room."""
    return name.partition(":")[0] if WITH_DROP_IN in name else name


def told(variables: dict[str, str], drop_in: DropIn | None) -> dict[str, str]:
    """Returns a process's variables for a reader: of the drop-in's path the file's name alone."""
    return {**variables, **({PRELOAD: drop_in.library.name} if drop_in else {})}


def proved(
    name: str,
    prove: Callable[[], TakenOver | None],
    failed: dict[SlotT, str],
    slots: Iterable[SlotT],
) -> TakenOver | None:
    """Returns what a proof found; where it fails so have all of the runtime's slots.

    Raises LabError for a wrong result.
    """
    try:
        return prove()
    except WrongResult as error:
        raise LabError(f"wrong result from {name}: {error}") from error
    except ProcessFailed as error:
        failed.update(dict.fromkeys(slots, str(error)))
        return None


def take_over(
    run: Any, proofs: Mapping[str, Callable[[], Optional[TakenOver]]]
) -> Dict[str, Dict[str, Any]]:
    """Proves these runtimes ahead of the rounds of a run; returns what each took over.

    Of a runtime whose proof fails no slot takes part. Raises LabError for a wrong result.
    """
    found = {}
    for name, prove in proofs.items():
        run.reporter.step(0.0, f"proof of {name}")
        slots = [slot for slot in run.plan.slots if slot.runtime == name]
        if one := proved(name, prove, run.samples.failed, slots):
            found[name] = asdict(one)
    return found


def require_absence(lines: Sequence[str]) -> None:
    """Raises ProcessFailed where the drop-in spoke in a verbose process, but must not be there."""
    if said := _said(lines):
        raise ProcessFailed(f"has the drop-in in it, which says: {said[0]}")


def require_service(base: str, drop_in: DropIn, tasks: int, lines: Sequence[str]) -> TakenOver:
    """Returns what the drop-in took over of a verbose process that ran so many tasks, or more.

    Raises ProcessFailed where it did not serve with this policy, over this runtime, all of them.
    """
    said = _said(lines)
    if not said:
        complaints = [line for line in lines if "ld.so" in line]
        raise ProcessFailed(f"the drop-in was not loaded{_behind(complaints)}")
    found = _taken_over(said)
    if found.policy != drop_in.policy:
        raise ProcessFailed(f"the drop-in ran the policy {found.policy}")
    below = _LIBRARIES[base]
    if not found.library.startswith(f"{below}."):
        raise ProcessFailed(f"the drop-in found {found.library} below it, not {below}")
    if not 0 < tasks <= found.tasks:
        raise ProcessFailed(f"the drop-in took over {found.tasks} tasks of at least {tasks}")
    return found


def require_regions(least: int, lines: Sequence[str]) -> int:
    """Returns the implicit tasks of a verbose process whose regions the drop-in itself served.

    Raises ProcessFailed where it did not, or where they are fewer than these.
    """
    said = _said(lines)
    if not said:
        complaints = [line for line in lines if "ld.so" in line]
        raise ProcessFailed(f"the drop-in was not loaded{_behind(complaints)}")
    if _OWN_REGIONS not in said:
        raise ProcessFailed(f"the drop-in did not serve the regions, but said: {said[-1]}")
    found = _took_over("\n".join(said))
    if found is None or int(found[1]) < least:
        served = found[1] if found else "no"
        raise ProcessFailed(f"the drop-in served {served} implicit tasks of at least {least}")
    return int(found[1])


def _took_over(text: str) -> re.Match[str] | None:
    pattern = r"^took over (\d+) implicit tasks of regions and (\d+) tasks$"
    return re.search(pattern, text, re.MULTILINE)


def _said(lines: Sequence[str]) -> list[str]:
    return [line[len(_PREFIX) :] for line in lines if line.startswith(_PREFIX)]


def _behind(lines: Sequence[str]) -> str:
    return f": {lines[0]}" if lines else ""


def _taken_over(said: Sequence[str]) -> TakenOver:
    text = "\n".join(said)
    if passive := re.search(r"^passive: (.*)$", text, re.MULTILINE):
        raise ProcessFailed(f"the drop-in stayed passive: {passive[1]}")
    policy = re.search(r"^policy (\S+)$", text, re.MULTILINE)
    library = re.search(r"^runtime (\S+), ", text, re.MULTILINE)
    counts = _took_over(text)
    if policy is None or library is None or counts is None:
        raise ProcessFailed(f"the drop-in did not say what it took over, but: {said[-1]}")
    return TakenOver(
        policy=policy[1],
        library=library[1],
        implicit_tasks=int(counts[1]),
        tasks=int(counts[2]),
    )
