# SPDX-License-Identifier: Apache-2.0
"""One run of a runtime's tests with lit: its progress, its results."""

import contextlib
import json
import os
import re
import signal
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from .errors import ConformanceError
from .outcomes import Result, Results
from .toolchain import PYTHON

# lit passes some variables on to the tests, and takes options from others.
_LEAKING = re.compile(
    r"^(LD_|LIT_|FILECHECK_|OMP_|KMP_|GOMP_|FINEGRAIN_|CHECK_OPENMP_ENV$|LIBRARY_PATH$|XDG_)"
)
_RESULT_LINE = re.compile(r"^[A-Z]+: \w+ :: (.*) \((\d+) of (\d+)\)$")
_LEFT_OUT = {"EXCLUDED", "SKIPPED"}  # by --filter, by Ctrl-C
_SECONDS_TO_END = 10


@dataclass(frozen=True)
class Dropin:
    """The library for the test programs, and its policy."""

    library: Path
    policy: str


@dataclass(frozen=True)
class Limits:
    """How the tests are run."""

    jobs: int
    timeout_s: int
    threads: int = 0  # OMP_NUM_THREADS; 0: as many as the machine has


class Interrupted(Exception):  # noqa: N818, a request, not an error
    """Ctrl-C, with the results until then."""

    def __init__(self, results: Results) -> None:
        super().__init__()
        self.results = results


class Suite:
    """The tests over one runtime, with a drop-in or without, in a folder of their own."""

    def __init__(self, folder: Path, lit: Path, configuration: str) -> None:
        """`configuration`: the text of lit.site.cfg."""
        self._folder = folder
        self._lit = lit
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "lit.site.cfg").write_text(configuration)

    @property
    def log(self) -> Path:
        """All output of lit in the last run."""
        return self._folder / "lit.log"

    def run(self, limits: Limits, names: Sequence[str], pattern: str, title: str) -> Results:
        """Runs the tests of these names, or all; of those what `pattern` finds, if it is not empty.

        Ctrl-C ends it with Interrupted.
        """
        report = self._folder / "results.json"
        report.unlink(missing_ok=True)
        command = [
            *(PYTHON, str(self._lit), "--no-progress-bar", "-v", "-o", str(report)),
            *(f"-j{limits.jobs}", f"--timeout={limits.timeout_s}", "--allow-empty-runs"),
            *((f"--filter={pattern}",) if pattern else ()),
            *([str(self._folder / name) for name in names] or [str(self._folder)]),
        ]
        environment = {
            name: value for name, value in os.environ.items() if not _LEAKING.match(name)
        }
        if limits.threads:
            environment["CHECK_OPENMP_ENV"] = f"OMP_NUM_THREADS={limits.threads}"
        with self.log.open("w") as log:
            interrupted = _follow(command, environment, log, title)
        if not report.is_file():
            if interrupted:
                raise Interrupted({})
            if pattern:
                raise ConformanceError(f"no test's path has '{pattern}' in it (--filter)")
            raise ConformanceError(f"lit wrote no results (log: {self.log})")
        results = _read(report)
        if interrupted:
            raise Interrupted(results)
        return results


def write_launcher(path: Path, dropin: Dropin) -> Path:
    """A program that runs another one with the drop-in, before libraries already preloaded."""
    path.write_text(
        "#!/bin/sh\n"
        f"export FINEGRAIN_POLICY='{dropin.policy}'\n"
        f"export LD_PRELOAD='{dropin.library}'\"${{LD_PRELOAD:+:$LD_PRELOAD}}\"\n"
        'exec "$@"\n'
    )
    path.chmod(0o755)
    return path


def _follow(
    command: Sequence[str], environment: Mapping[str, str], log: IO[str], title: str
) -> bool:
    """Runs lit in its own session, shows progress; returns whether Ctrl-C ended it."""
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("{task.fields[test]}"),
    )
    console = Console(stderr=True)
    interrupted = False
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=environment,
        start_new_session=True,
    ) as lit:  # fmt: skip
        assert lit.stdout is not None
        try:
            with Progress(
                *columns, console=console, transient=True, disable=not console.is_terminal
            ) as progress:
                task = progress.add_task(title, total=None, test="")
                for line in lit.stdout:
                    log.write(line)
                    if found := _RESULT_LINE.match(line):
                        done, total = int(found[2]), int(found[3])
                        progress.update(task, completed=done, total=total, test=found[1])
                        if not console.is_terminal and (done % 50 == 0 or done == total):
                            print(f"conformance: {title}: {done} of {total}", flush=True)
        except KeyboardInterrupt:
            interrupted = True
            os.kill(lit.pid, signal.SIGINT)  # it then writes the results that it has
        finally:
            _end(lit, log)
    return interrupted


def _end(lit: subprocess.Popen[str], log: IO[str]) -> None:
    """Waits for lit, then ends the remaining processes of its session."""
    with contextlib.suppress(subprocess.TimeoutExpired, KeyboardInterrupt):
        rest, _ = lit.communicate(timeout=_SECONDS_TO_END)
        log.write(rest or "")
    with contextlib.suppress(ProcessLookupError):
        os.killpg(lit.pid, signal.SIGKILL)


def _read(report: Path) -> Results:
    tests = json.loads(report.read_text())["tests"]
    return {
        test["name"].partition(" :: ")[2]: Result(
            test["code"], test["elapsed"] or 0.0, test["output"] or ""
        )
        for test in tests
        if test["code"] not in _LEFT_OUT
    }
