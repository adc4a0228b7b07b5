# SPDX-License-Identifier: Apache-2.0
"""The kernel's accounts of the CPUs, and what they leave over for others than this run.

/proc/stat says how long each CPU was idle, and how long a hypervisor gave it to others; the rest of
the time something ran, and getrusage says how much of that was ours. The time that is counted as
busy there would do as well, but it is counted by ticks: over rounds of 2.4 s on two quiet CPUs it
said -2 to 5 % of a CPU, the idle time 0.8 to 0.9 % (Xeon, model 207, Linux 6.18, 10 ms ticks).
"""

from __future__ import annotations

import os
import resource
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path("/")
TICK_S = 1 / os.sysconf("SC_CLK_TCK")  # the accounts' unit
_FIELDS = 8  # of a CPU in /proc/stat: user nice system idle iowait irq softirq steal
# A line of /proc/PID/stat behind the name in brackets.
_USER, _SYSTEM, _PROCESSOR = 11, 12, 36


@dataclass(frozen=True)
class Span:
    """What the accounts say of a while; of several whiles, added, no less exactly."""

    seconds: float
    foreign_s: float  # of CPUs, used by others; below 0 by as much as ticks are coarse
    stolen_s: float  # of CPUs, given to others by the hypervisor

    def __add__(self, other: Span) -> Span:
        """Returns the accounts of both whiles."""
        return Span(
            seconds=self.seconds + other.seconds,
            foreign_s=self.foreign_s + other.foreign_s,
            stolen_s=self.stolen_s + other.stolen_s,
        )


@dataclass(frozen=True)
class Reading:
    """The accounts at one time, in seconds."""

    at: float
    own: float
    unused: Mapping[int, float]  # by CPU: idle or stolen
    stolen: float

    def until(self, later: Reading) -> Span:
        """Returns what happened since."""
        seconds = later.at - self.at
        used = sum(self.used_until(later).values())
        return Span(
            seconds=seconds,
            foreign_s=used - (later.own - self.own),
            stolen_s=later.stolen - self.stolen,
        )

    def used_until(self, later: Reading) -> dict[int, float]:
        """Returns how long each CPU ran something since."""
        seconds = later.at - self.at
        return {cpu: seconds - (later.unused[cpu] - unused) for cpu, unused in self.unused.items()}


@dataclass(frozen=True)
class Process:
    """A process that is not ours."""

    name: str
    cpu: int  # where it ran last
    used_s: float


def own_seconds() -> float:
    """Returns the CPU time of this process and of those of its children that have ended."""
    kinds = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    return sum(used.ru_utime + used.ru_stime for used in map(resource.getrusage, kinds))


class Accounts:
    """Reads the accounts of these CPUs."""

    def __init__(
        self,
        cpus: Sequence[int],
        root: Path | None = None,
        clock: Callable[[], float] = time.monotonic,
        own: Callable[[], float] = own_seconds,
    ) -> None:
        self.cpus = cpus
        self._proc = (root or ROOT) / "proc"
        self._clock = clock
        self._own = own

    def read(self) -> Reading | None:
        """Returns the accounts of now, None where the system does not keep them."""
        try:
            text = (self._proc / "stat").read_text(encoding="ascii")
            told = {cpu: fields for cpu, fields in _by_cpu(text) if cpu in self.cpus}
        except (OSError, ValueError):
            return None
        # Some sandboxes have the lines, and nothing but zeros in them.
        if told.keys() != set(self.cpus) or not all(map(any, told.values())):
            return None
        unused, stolen = {}, 0.0
        for cpu, (_, _, _, idle, iowait, _, _, steal) in told.items():
            unused[cpu] = TICK_S * (idle + iowait + steal)
            stolen += TICK_S * steal
        return Reading(self._clock(), self._own(), unused, stolen)

    def processes(self) -> dict[int, Process]:
        """Returns the others' processes that ran last on one of these CPUs, by their numbers.

        Those of another container are not among them.
        """
        found = {}
        for path in self._proc.glob("[0-9]*/stat"):
            pid = int(path.parent.name)
            try:
                head, _, rest = path.read_text(encoding="utf-8", errors="replace").rpartition(")")
                user, system, cpu = (int(rest.split()[at]) for at in (_USER, _SYSTEM, _PROCESSOR))
            except (OSError, IndexError):
                continue  # it has ended
            if pid != os.getpid() and cpu in self.cpus:
                found[pid] = Process(head.partition("(")[2], cpu, TICK_S * (user + system))
        return found


def _by_cpu(text: str) -> Iterator[tuple[int, list[int]]]:
    for line in text.splitlines():
        name, *fields = line.split()
        if name.startswith("cpu") and name != "cpu":
            numbers = list(map(int, fields[:_FIELDS]))
            if len(numbers) < _FIELDS:
                raise ValueError(f"too few numbers: {line}")
            yield int(name[len("cpu") :]), numbers
