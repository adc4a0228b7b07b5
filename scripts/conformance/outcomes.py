# SPDX-License-Identifier: Apache-2.0
"""lit's results of tests, and the comparison of two runs."""

import enum
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field


class Outcome(enum.Enum):
    """A test's outcome. One that LLVM expects to fail counts by its actual outcome."""

    PASSED = "passed"
    FAILED = "failed"
    NOT_RUN = "not run"


_PASSED = {"PASS", "FLAKYPASS", "XPASS"}
_FAILED = {"FAIL", "XFAIL", "TIMEOUT", "UNRESOLVED"}


@dataclass(frozen=True)
class Result:
    """One run of one test: lit's code, its time, and what it printed."""

    code: str
    elapsed_s: float
    output: str

    @property
    def outcome(self) -> Outcome:
        """The outcome that lit's code means."""
        if self.code in _PASSED:
            return Outcome.PASSED
        return Outcome.FAILED if self.code in _FAILED else Outcome.NOT_RUN


Results = dict[str, Result]  # by the test's name


@dataclass
class Tally:
    """How often a test passed and failed when it was run again."""

    passed: int = 0
    failed: int = 0

    def add(self, result: Result) -> None:
        """Counts one more run."""
        self.passed += result.outcome is Outcome.PASSED
        self.failed += result.outcome is Outcome.FAILED

    def __str__(self) -> str:
        return f"{self.failed} of {self.passed + self.failed}"


@dataclass
class Difference:
    """Two runs compared: tests' names."""

    newly_failing: list[str] = field(default_factory=list)
    newly_passing: list[str] = field(default_factory=list)
    no_longer_run: list[str] = field(default_factory=list)


def compare(plain: Mapping[str, Result], served: Mapping[str, Result]) -> Difference:
    """Returns the tests of `served` whose outcome differs from that without the drop-in."""
    found = Difference()
    for name, result in sorted(served.items()):
        before = plain[name].outcome if name in plain else Outcome.NOT_RUN
        if before is Outcome.NOT_RUN or before is result.outcome:
            continue
        if result.outcome is Outcome.NOT_RUN:
            found.no_longer_run.append(name)
        elif result.outcome is Outcome.FAILED:
            found.newly_failing.append(name)
        else:
            found.newly_passing.append(name)
    return found


def is_regression(served_again: Tally, plain_again: Tally) -> bool:
    """Whether the drop-in causes a new failure, after the test was run again both ways.

    It is when the test never failed without the drop-in, however rarely it fails with it; or when
    it fails without it at times, but with it always.
    """
    if plain_again.failed == 0:
        return True
    return plain_again.passed > 0 and served_again.passed == 0


def counts(results: Mapping[str, Result]) -> str:
    """For instance `220 passed, 3 failed (1 by time), 143 not run`."""
    by_outcome = Counter(result.outcome for result in results.values())
    by_code = Counter(result.code for result in results.values())
    notes = [
        f"{by_code[code]} {words}"
        for code, words in (("XFAIL", "as LLVM expects"), ("TIMEOUT", "by time"))
        if by_code[code]
    ]
    failed = f"{by_outcome[Outcome.FAILED]} failed" + (f" ({', '.join(notes)})" if notes else "")
    return f"{by_outcome[Outcome.PASSED]} passed, {failed}, {by_outcome[Outcome.NOT_RUN]} not run"
