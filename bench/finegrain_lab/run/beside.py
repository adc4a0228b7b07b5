# SPDX-License-Identifier: Apache-2.0
"""What else runs on the CPUs of a run: waited for ahead of it, then counted round by round."""

from __future__ import annotations

import time
from collections.abc import Callable, Container, Sequence
from dataclasses import dataclass
from typing import List

from finegrain_lab.run.accounts import TICK_S, Accounts, Process, Span
from finegrain_lab.run.errors import LabError
from finegrain_lab.run.progress import Reporter

# In shares of one CPU. Two quiet CPUs had 0.8 to 0.9 % in rounds of 2.4 s: the kernel's own work. A
# busy process beside the run had 88 to 91 %, the run's own threads the rest of that CPU; a compiler
# that ran for a fifth of a second had 7 % of its round (Xeon, model 207, Linux 6.18).
QUIET_PER_CPU = 0.005
LIMIT = 0.05  # beyond that

PATIENCE_S = 30.0  # of a run, in all: what lasts longer is not waited for
WINDOW_S = 0.5  # of a look; a tick is 2 % of it


@dataclass(frozen=True)
class Beside:
    """What else ran on a run's CPUs, by the kernel's accounts: by round, in shares of one CPU."""

    cpus: List[int]  # the run's, and their SMT siblings
    foreign: List[float]  # used by other processes and by the kernel
    stolen: List[float]  # given to others by the hypervisor
    disturbed: List[int]  # the rounds, from 0, that had more of either than a quiet machine has
    repeated: int  # how many rounds were taken again for that
    left_out: int  # and how many are not among these


class Watch:
    """What else runs on some CPUs. For one run, on one thread."""

    def __init__(
        self,
        cpus: Sequence[int],
        *,
        is_strict: bool = False,
        accounts: Accounts | None = None,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        """A strict one raises LabError where a run is disturbed, and where that cannot be seen."""
        self._cpus = sorted(set(cpus))
        self._accounts = accounts or Accounts(self._cpus)
        self._sleep = sleep
        self._is_strict = is_strict
        self._patience_s = PATIENCE_S
        self._may_repeat = True  # until a round that was taken again was no better
        self._last = self._accounts.read()
        self._processes: list[Span | None] = []  # of the round under way
        self._rounds: list[Span | None] = []
        self._repeated = 0
        self._left_out = 0
        self._require_known(self._last)

    def await_quiet(self, reporter: Reporter) -> None:
        """Waits until nothing else runs, or there is no patience left.

        Raises LabError if something still runs then, and the watch is strict.
        """
        is_told = False
        while busy := self._look():
            if self._patience_s <= 0:
                if self._is_strict:
                    raise LabError(f"--strict: {busy}")
                reporter.say(f"{busy}: measuring beside it, which the result will say")
                return
            if not is_told:
                reporter.say(f"{busy}: waiting for it to end, at most {self._patience_s:.0f} s")
                is_told = True
            self._patience_s -= WINDOW_S

    def begin_round(self) -> None:
        """Begins a round, or begins it again."""
        self._processes = []
        self._last = self._accounts.read()

    def lap(self) -> Span | None:
        """Returns the accounts since the last lap, or since the round began."""
        before, self._last = self._last, self._accounts.read()
        return before.until(self._last) if before and self._last else None

    def note(self, span: Span | None) -> None:
        """Adds a process's accounts to the round; None: nobody kept them."""
        self._processes.append(span)

    def wants_again(self, reporter: Reporter) -> bool:
        """Says whether the round is to be taken again, and waits for quiet if so.

        It follows from what was noted alone: a run that was ended and goes on has to say the same.
        """
        if not self._may_repeat or not self._is_disturbed(_sum(self._processes)):
            return False
        self._repeated += 1
        reporter.say("something else ran beside that round: it is taken again")
        self.await_quiet(reporter)
        return True

    def end_round(self, *, is_again: bool) -> None:
        """Keeps the round."""
        self._rounds.append(_sum(self._processes))
        if is_again and self._is_disturbed(self._rounds[-1]):
            self._may_repeat = False

    def disturbed(self) -> set[int]:
        """Returns the rounds in which more ran than on a quiet machine."""
        return {at for at, span in enumerate(self._rounds) if self._is_disturbed(span)}

    def leave_out(self, rounds: Container[int]) -> None:
        """Forgets these rounds: the run goes without them."""
        before = len(self._rounds)
        self._rounds = [span for at, span in enumerate(self._rounds) if at not in rounds]
        self._left_out += before - len(self._rounds)

    def settle(self) -> Beside | None:
        """Returns what the result file says, None if it is not known of every round.

        Raises LabError if the watch is strict, and that is not that nothing else ran.
        """
        found = self._result()
        self._require_known(found)
        if self._is_strict and (text := disturbance(found)):
            raise LabError(f"--strict: {text}")
        return found

    def _result(self) -> Beside | None:
        spans = [span for span in self._rounds if span]
        if not spans or len(spans) < len(self._rounds):
            return None
        return Beside(
            cpus=self._cpus,
            foreign=[_share(span.foreign_s, span) for span in spans],
            stolen=[_share(span.stolen_s, span) for span in spans],
            disturbed=sorted(self.disturbed()),
            repeated=self._repeated,
            left_out=self._left_out,
        )

    def _require_known(self, known: object) -> None:
        if self._is_strict and known is None:
            raise LabError(f"--strict: nothing tells what else runs on {cpus_text(self._cpus)}")

    def _is_disturbed(self, span: Span | None) -> bool:
        if span is None:
            return False
        cpus = len(self._cpus)
        most_s = (LIMIT + QUIET_PER_CPU * cpus) * span.seconds + TICK_S * cpus
        return max(span.foreign_s, span.stolen_s) > most_s

    def _look(self) -> str:
        """Says what runs now, nothing if it is no more than on a quiet machine."""
        processes, before = self._accounts.processes(), self._accounts.read()
        if before is None:
            return ""
        self._sleep(WINDOW_S)
        after = self._accounts.read()
        if after is None or not self._is_disturbed(before.until(after)):
            return ""
        span = before.until(after)
        if span.stolen_s > span.foreign_s:
            return f"the hypervisor gives {_share(span.stolen_s, span):.0%} of a CPU to others"
        used = before.used_until(after)
        shares = [
            f"{used_s / span.seconds:.0%} of CPU {cpu}"
            for cpu, used_s in used.items()
            if 2 * used_s > max(used.values())
        ]
        who = _busiest(processes, self._accounts.processes(), LIMIT * span.seconds)
        return f"{who} uses {' and '.join(shares)}"


def _busiest(before: dict[int, Process], after: dict[int, Process], least_s: float) -> str:
    """Names the process that used most, if it used so much; what only just began has no name."""
    used = {it.name: it.used_s - before[pid].used_s for pid, it in after.items() if pid in before}
    name = max(used, key=lambda name: used[name], default="")
    return f"'{name}'" if name and used[name] > least_s else "something else"


def _sum(spans: Sequence[Span | None]) -> Span | None:
    """Returns the accounts of a round, None if those of one of its processes are not known."""
    total = Span(seconds=0, foreign_s=0, stolen_s=0)
    for span in spans:
        if span is None:
            return None
        total += span
    return total


def _share(cpu_seconds: float, span: Span) -> float:
    return max(0.0, cpu_seconds) / span.seconds


def cpus_text(cpus: Sequence[int]) -> str:
    """Returns the CPUs for a reader."""
    *others, last = map(str, cpus)
    return f"CPUs {', '.join(others)} and {last}" if others else f"CPU {last}"


def disturbance(beside: Beside | None) -> str:
    """Says how much else ran in the rounds that were disturbed; nothing if none was."""
    if beside is None or not beside.disturbed:
        return ""
    who = {"something else used": beside.foreign, "the hypervisor gave to others": beside.stolen}
    shares = {
        words: max(by_round[at] for at in beside.disturbed) for words, by_round in who.items()
    }
    words = max(shares, key=lambda words: shares[words])
    when = f"in {len(beside.disturbed)} of {len(beside.foreign)} rounds"
    return f"{words} up to {shares[words]:.0%} of a CPU ({cpus_text(beside.cpus)}) {when}"
