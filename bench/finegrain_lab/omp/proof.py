"""The proof that the drop-in serves a program, or is not there: what it says when asked to."""

import re
from collections.abc import Sequence

from finegrain_lab.omp.cases import FIB, Case
from finegrain_lab.omp.contestants import Contestant
from finegrain_lab.omp.protocol import OmpSample
from finegrain_lab.processes import ProcessFailed
from finegrain_lab.results import Record

VERBOSE = {"FINEGRAIN_OMP_VERBOSE": "1"}
PREFIX = "finegrain-omp: "
# 21,890 tasks, 2 ms of work at 0.1 us each: the timed processes need not be verbose then.
PROBE = Case(FIB, "kernel", "what a process proves", size=20)
LEAST_RUNS = 2  # of that work in such a process: to warm up, and the batch

LIBRARIES = {"gnu-openmp": "libgomp", "llvm-openmp": "libomp", "intel-openmp": "libiomp5"}


class TakenOver(Record):
    """What the drop-in said of a process."""

    policy: str
    library: str  # the runtime below it
    implicit_tasks: int
    tasks: int


def require_service(
    contestant: Contestant, sample: OmpSample, lines: Sequence[str]
) -> TakenOver | None:
    """Returns what the drop-in took over of a verbose process; None of a runtime alone.

    Raises ProcessFailed where it did not serve with this policy, over this runtime, all of the
    program's tasks; and where it spoke though it must not be there.
    """
    said = [line.removeprefix(PREFIX) for line in lines if line.startswith(PREFIX)]
    if contestant.policy is None:
        if said:
            raise ProcessFailed(f"has the drop-in in it, which says: {said[0]}")
        return None
    if not said:
        complaints = [line for line in lines if "ld.so" in line]
        raise ProcessFailed(f"the drop-in was not loaded{_behind(complaints)}")
    found = _taken_over(said)
    if found.policy != contestant.policy:
        raise ProcessFailed(f"the drop-in ran the policy {found.policy}")
    assert contestant.base is not None
    below = LIBRARIES[contestant.base]
    if not found.library.startswith(f"{below}."):
        raise ProcessFailed(f"the drop-in found {found.library} below it, not {below}")
    if not 0 < LEAST_RUNS * sample.tasks <= found.tasks:
        least = LEAST_RUNS * sample.tasks
        raise ProcessFailed(f"the drop-in took over {found.tasks} tasks of at least {least}")
    return found


def _behind(lines: Sequence[str]) -> str:
    return f": {lines[0]}" if lines else ""


def _taken_over(said: Sequence[str]) -> TakenOver:
    text = "\n".join(said)
    if passive := re.search(r"^passive: (.*)$", text, re.MULTILINE):
        raise ProcessFailed(f"the drop-in stayed passive: {passive[1]}")
    policy = re.search(r"^policy (\S+)$", text, re.MULTILINE)
    library = re.search(r"^runtime (\S+), ", text, re.MULTILINE)
    counts = re.search(r"^took over (\d+) implicit tasks of regions and (\d+) tasks$", text, re.M)
    if policy is None or library is None or counts is None:
        raise ProcessFailed(f"the drop-in did not say what it took over, but: {said[-1]}")
    return TakenOver(
        policy=policy[1],
        library=library[1],
        implicit_tasks=int(counts[1]),
        tasks=int(counts[2]),
    )
