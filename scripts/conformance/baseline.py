# SPDX-License-Identifier: Apache-2.0
"""The tests' results without the drop-in, kept in plain.json: they do not change from run to run.

But some tests fail now and then, without the drop-in too. One that fails is therefore run again: if
it then passes it counts as passing, and is named as flaky.
"""

import dataclasses
import json
from dataclasses import dataclass, field
from pathlib import Path

from .outcomes import Outcome, Result, Results
from .suite import Limits, Suite
from .toolchain import Runtime, Toolchain

_RUNS_AGAIN = 3


@dataclass
class Baseline:
    """The results without the drop-in, and the tests that did not always fail."""

    results: Results = field(default_factory=dict)
    flaky: list[str] = field(default_factory=list)


class BaselineStore:
    """plain.json: one baseline per runtime and number of threads, valid for these versions."""

    def __init__(
        self, path: Path, tests_version: str, tools: Toolchain, runtime: Runtime, threads: int
    ) -> None:
        library = (runtime.folder / runtime.soname).stat()
        self._path = path
        self._name = f"{runtime.name}, {threads} threads" if threads else runtime.name
        compiler = tools.clang_version if runtime.is_llvms else tools.gcc_version
        self._versions = [tests_version, compiler, library.st_size, library.st_mtime_ns]

    def load(self) -> Baseline | None:
        """Returns what is kept, if it is of these versions."""
        kept = self._all().get(self._name)
        if not isinstance(kept, dict) or kept.get("versions") != self._versions:
            return None
        results = {name: Result(**result) for name, result in kept["results"].items()}
        return Baseline(results, kept["flaky"])

    def save(self, baseline: Baseline) -> None:
        """Keeps it, with the output of failed tests only."""
        kept = self._all()
        kept[self._name] = {
            "versions": self._versions,
            "flaky": sorted(baseline.flaky),
            "results": {
                name: dataclasses.asdict(
                    result
                    if result.outcome is Outcome.FAILED
                    else dataclasses.replace(result, output="")
                )
                for name, result in sorted(baseline.results.items())
            },
        }
        new = self._path.with_suffix(".new")
        new.write_text(json.dumps(kept, indent=1) + "\n")
        new.replace(self._path)

    def _all(self) -> dict[str, object]:
        try:
            kept = json.loads(self._path.read_text())
        except (FileNotFoundError, json.JSONDecodeError):
            return {}
        return kept if isinstance(kept, dict) else {}


def measure_baseline(suite: Suite, limits: Limits, pattern: str) -> Baseline:
    """Runs the tests without the drop-in, and those that fail again."""
    found = Baseline(suite.run(limits, [], pattern, "without the drop-in"))
    failed = [name for name, result in found.results.items() if result.outcome is Outcome.FAILED]
    for again in range(1, _RUNS_AGAIN + 1):
        if not failed:
            break
        title = f"failed without the drop-in, again {again} of {_RUNS_AGAIN}"
        for name, result in suite.run(limits, failed, "", title).items():
            if result.outcome is Outcome.PASSED:
                found.results[name] = result
                found.flaky.append(name)
                failed.remove(name)
    return found
