# SPDX-License-Identifier: Apache-2.0
"""The command: takes options, prints the difference; status 1 if the drop-in makes a test fail."""

import os
import re
import sys
from pathlib import Path
from typing import Annotated

import typer

from . import gcc_tests, llvm_tests
from .baseline import Baseline, BaselineStore, measure_baseline
from .errors import ConformanceError
from .outcomes import Outcome, Results, Tally, compare, counts, is_regression
from .probe import probe
from .source import GCC, LLVM, get_tests
from .suite import Dropin, Interrupted, Limits, Suite, write_launcher
from .toolchain import REPOSITORY, RUNTIMES, find_runtime, find_toolchain

POLICIES = (
    *("private_deque", "xqueue_static", "xqueue_wait", "xqueue_nowait", "xqueue_nowait:2"),
    *("combining", "chase_lev"),
)
WORK = REPOSITORY / "build" / "conformance"
LIBRARY = REPOSITORY / "build" / "release" / "src" / "omp" / "libfinegrain-omp.so"
INTERRUPTED = 130  # what a shell expects of a command that Ctrl-C ended
CANNOT_RUN = 2

app = typer.Typer(add_completion=False, help=__doc__)


def main() -> int:
    """Runs the command with the process's arguments, and returns its exit status."""
    try:
        status = app(prog_name="conformance", standalone_mode=False)
    except ConformanceError as error:
        print(f"conformance: {error}", file=sys.stderr)
        return CANNOT_RUN
    except typer.TyperException as error:
        print(f"conformance: {' '.join(error.format_message().split())}", file=sys.stderr)
        return CANNOT_RUN
    except KeyboardInterrupt:
        return INTERRUPTED
    return int(status or 0)


@app.command()
def run(
    policy: Annotated[str, typer.Option(help="one of the drop-in's policies, or all")] = POLICIES[
        0
    ],
    pattern: Annotated[
        str, typer.Option("--filter", help="a regular expression: only tests whose path has it")
    ] = "",
    jobs: Annotated[int, typer.Option(min=1, help="tests at a time")] = os.cpu_count() or 1,
    timeout: Annotated[int, typer.Option(min=1, help="seconds a test may take")] = 300,
    library: Annotated[Path, typer.Option(help="the drop-in")] = LIBRARY,
    runtime: Annotated[str, typer.Option(help=" or ".join(RUNTIMES))] = "libomp",
    threads: Annotated[
        int, typer.Option(min=0, help="OMP_NUM_THREADS; 0: as many as this machine has CPUs")
    ] = 0,
    again: Annotated[
        int, typer.Option(min=0, help="how often a test that fails is run again, both ways")
    ] = 3,
    fresh: Annotated[bool, typer.Option("--fresh", help="run without the drop-in anew")] = False,
    plain: Annotated[bool, typer.Option("--plain", help="only without the drop-in")] = False,
) -> int:
    """Runs the tests of LLVM's runtime, or gcc's of libgomp, without the drop-in and with it."""
    policies = POLICIES if policy == "all" else (policy,)
    if not set(policies) <= set(POLICIES):
        raise ConformanceError(f"no policy '{policy}': it is one of {', '.join(POLICIES)}, all")
    if not plain and not library.is_file():
        raise ConformanceError(f"no {library} here: run 'make lab'")
    try:
        re.compile(pattern)
    except re.error as error:
        raise ConformanceError(f"--filter: {error}") from error
    session = _Session(runtime, Limits(jobs, timeout, threads), pattern, again)
    try:
        session.find_baseline(fresh)
        status = 0
        for name in () if plain else policies:
            status = max(status, session.check(Dropin(library.resolve(), name)))
    except Interrupted:
        print("conformance: interrupted", file=sys.stderr)
        return INTERRUPTED
    return status


class _Session:
    """One call of the command: the tests, one runtime, its baseline."""

    def __init__(self, runtime: str, limits: Limits, pattern: str, again: int) -> None:
        WORK.mkdir(parents=True, exist_ok=True)
        self._runtime = find_runtime(runtime)
        self._tools = find_toolchain()
        self._tests = get_tests(WORK, LLVM if self._runtime.is_llvms else GCC)
        self._limits = limits
        self._pattern = pattern
        self._again = again
        self._plain_suite = self._suite("plain", None)
        self._baseline = Baseline()

    def find_baseline(self, fresh: bool) -> None:
        """Takes the kept results without the drop-in, or produces them; prints them."""
        store = BaselineStore(
            WORK / "plain.json",
            self._tests.version,
            self._tools,
            self._runtime,
            self._limits.threads,
        )
        kept = None if fresh else store.load()
        if kept is None:
            # A part of the tests is not kept, as the next call may ask for another part.
            kept = measure_baseline(self._plain_suite, self._limits, self._pattern)
            if not self._pattern:
                store.save(kept)
        self._baseline = kept
        print(f"{self._runtime.name} without the drop-in: {counts(kept.results)}")
        for name, result in kept.results.items():
            if result.outcome is Outcome.FAILED and self._is_asked_for(name):
                self._print(name, f"{result.code}, log {self._log('plain', name, result.output)}")
        for name in filter(self._is_asked_for, kept.flaky):
            self._print(name, "flaky: failed, and passed when run again")

    def check(self, dropin: Dropin) -> int:
        """Runs the tests with the drop-in and prints the difference; 1 if some are its failures."""
        said = probe(WORK / "probe", self._tools, self._runtime, dropin)
        print(f"{self._runtime.name} with {dropin.policy} ({said})", flush=True)
        suite = self._suite(dropin.policy, dropin)
        try:
            served = suite.run(self._limits, [], self._pattern, f"with {dropin.policy}")
        except Interrupted as interrupted:
            print(f"  until it was interrupted: {counts(interrupted.results)}")
            self._print_difference(dropin, suite, interrupted.results, 0)
            raise
        print(f"  {counts(served)}")
        return self._print_difference(dropin, suite, served, self._again)

    def _print_difference(self, dropin: Dropin, suite: Suite, served: Results, again: int) -> int:
        difference = compare(self._baseline.results, served)
        with_it, without = self._run_again(suite, served, difference.newly_failing, again)
        regressions = 0
        for name in difference.newly_failing:
            ours = is_regression(with_it[name], without[name])
            regressions += ours
            log = self._log(dropin.policy, name, served[name].output)
            self._print(
                name,
                f"{'FAILS' if ours else 'flaky'} ({served[name].code}), failures: {with_it[name]} "
                f"with, {without[name]} without; log {log}",
            )
        flaky = len(difference.newly_failing) - regressions
        for name in difference.no_longer_run:
            self._print(name, f"NO LONGER RUN: {served[name].code}")
        for name in difference.newly_passing:
            log = self._log("plain", name, self._baseline.results[name].output)
            self._print(name, f"passes, fails without; log of that {log}")
        regressions += len(difference.no_longer_run)
        print(
            f"  {regressions} fail with {dropin.policy} that pass without, "
            f"{len(difference.newly_passing)} pass that fail without, "
            f"{flaky} flaky; all of lit's words: {suite.log}",
            flush=True,
        )
        return int(regressions > 0)

    def _run_again(
        self, suite: Suite, served: Results, names: list[str], times: int
    ) -> tuple[dict[str, Tally], dict[str, Tally]]:
        """How often each of the tests fails with the drop-in and without, the first runs included.

        What ran into its time limit is not run again with the drop-in: it would take that long.
        """
        with_it = {name: Tally(failed=1) for name in names}
        without = {name: Tally(passed=1) for name in names}
        quick = [name for name in names if served[name].code != "TIMEOUT"]
        for number in range(1, times + 1 if names else 1):
            title = f"again {number} of {times}"
            for run_suite, tallies, some in (
                (self._plain_suite, without, names),
                (suite, with_it, quick),
            ):
                if some:
                    for name, result in run_suite.run(self._limits, some, "", title).items():
                        tallies[name].add(result)
        return with_it, without

    def _suite(self, policy: str, dropin: Dropin | None) -> Suite:
        folder = WORK / f"{self._runtime.name}-{policy.replace(':', '-')}"
        folder.mkdir(exist_ok=True)
        launcher = write_launcher(folder / "with-dropin", dropin) if dropin is not None else None
        tests = self._tests.folder
        configuration = (
            llvm_tests.configuration_of(folder, tests, self._tools, self._runtime, launcher)
            if self._runtime.is_llvms
            else gcc_tests.configuration_of(folder, tests, launcher)
        )
        return Suite(folder, self._tools.lit, configuration)

    def _log(self, kind: str, name: str, output: str) -> Path:
        """Writes a test's output to a file of its own."""
        folder = WORK / "logs" / f"{self._runtime.name}-{kind.replace(':', '-')}"
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"{name.replace('/', '.')}.log"
        path.write_text(output)
        return path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path

    def _is_asked_for(self, name: str) -> bool:
        return re.search(self._pattern, name, re.IGNORECASE) is not None  # as lit does

    @staticmethod
    def _print(name: str, words: str) -> None:
        print(f"  {name}: {words}")
