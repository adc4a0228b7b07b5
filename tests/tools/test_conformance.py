# SPDX-License-Identifier: Apache-2.0
"""What `make conformance` makes of lit's results: they decide over the drop-in."""

import subprocess
from pathlib import Path

import pytest
from scripts.conformance.baseline import Baseline, BaselineStore, measure_baseline
from scripts.conformance.outcomes import (
    Outcome,
    Result,
    Results,
    Tally,
    compare,
    counts,
    is_regression,
)
from scripts.conformance.suite import Dropin, Limits, Suite, write_launcher
from scripts.conformance.toolchain import Runtime, Toolchain

LIMITS = Limits(jobs=1, timeout_s=1)


def results(**codes: str) -> Results:
    return {name: Result(code, 0.5, f"{name} says") for name, code in codes.items()}


@pytest.mark.parametrize(
    ("code", "outcome"),
    [
        ("PASS", Outcome.PASSED),
        ("XPASS", Outcome.PASSED),
        ("FAIL", Outcome.FAILED),
        ("XFAIL", Outcome.FAILED),
        ("TIMEOUT", Outcome.FAILED),
        ("UNRESOLVED", Outcome.FAILED),
        ("UNSUPPORTED", Outcome.NOT_RUN),
    ],
)
def test_a_test_counts_by_what_it_did(code: str, outcome: Outcome) -> None:
    assert Result(code, 0.0, "").outcome is outcome


def test_compares_only_what_differs() -> None:
    plain = results(a="PASS", b="FAIL", c="PASS", d="FAIL", e="UNSUPPORTED", f="PASS", g="PASS")
    served = results(a="PASS", b="TIMEOUT", c="TIMEOUT", d="PASS", e="FAIL", f="UNSUPPORTED")
    found = compare(plain, served)
    assert found.newly_failing == ["c"]
    assert found.newly_passing == ["d"]
    assert found.no_longer_run == ["f"]  # g was not asked for
    assert compare(results(), results(a="FAIL")).newly_failing == []


@pytest.mark.parametrize(
    ("served", "plain", "ours"),
    [
        (Tally(passed=3, failed=1), Tally(passed=4), True),  # rare, but only with it
        (Tally(failed=4), Tally(passed=4), True),
        (Tally(failed=4), Tally(passed=3, failed=1), True),  # always with it
        (Tally(passed=1, failed=3), Tally(passed=3, failed=1), False),
        (Tally(failed=4), Tally(failed=4), False),
    ],
)
def test_blames_the_drop_in_unless_the_test_is_flaky(
    served: Tally, plain: Tally, ours: bool
) -> None:
    assert is_regression(served, plain) is ours


def test_counts_in_words() -> None:
    assert counts(results(a="PASS", b="UNSUPPORTED")) == "1 passed, 0 failed, 1 not run"
    assert (
        counts(results(a="FAIL", b="XFAIL", c="TIMEOUT", d="PASS"))
        == "1 passed, 3 failed (1 as LLVM expects, 1 by time), 0 not run"
    )


class ScriptedSuite(Suite):
    """A suite whose runs are given."""

    def __init__(self, *runs: Results) -> None:
        self.runs = list(runs)
        self.asked: list[list[str]] = []

    def run(self, limits: Limits, names: object, pattern: str, title: str) -> Results:  # noqa: ARG002
        assert isinstance(names, list)
        self.asked.append(list(names))
        return self.runs.pop(0)


def test_runs_what_fails_without_the_drop_in_again() -> None:
    suite = ScriptedSuite(
        results(a="PASS", b="FAIL", c="FAIL"),
        results(b="FAIL", c="PASS"),
        results(b="FAIL"),
        results(b="FAIL"),
    )
    found = measure_baseline(suite, LIMITS, "")
    assert suite.asked == [[], ["b", "c"], ["b"], ["b"]]
    assert found.flaky == ["c"]
    assert [result.code for result in found.results.values()] == ["PASS", "FAIL", "PASS"]


@pytest.fixture
def tools(tmp_path: Path) -> Toolchain:
    return Toolchain("clang", "clang++", "19.1.7", "12.2.0", *[tmp_path] * 4)


@pytest.fixture
def runtime(tmp_path: Path) -> Runtime:
    (tmp_path / "libomp.so.5").write_text("library")
    return Runtime("libomp", tmp_path, "libomp.so.5", "-fopenmp")


def test_keeps_the_baseline_for_the_same_versions(
    tmp_path: Path, tools: Toolchain, runtime: Runtime
) -> None:
    path = tmp_path / "plain.json"
    store = BaselineStore(path, "1", tools, runtime, 0)
    assert store.load() is None
    store.save(Baseline(results(a="PASS", b="FAIL"), ["a"]))
    kept = store.load()
    assert kept is not None
    assert kept.flaky == ["a"]
    assert kept.results == {"a": Result("PASS", 0.5, ""), "b": Result("FAIL", 0.5, "b says")}
    assert BaselineStore(path, "2", tools, runtime, 0).load() is None
    assert BaselineStore(path, "1", tools, runtime, 4).load() is None
    BaselineStore(path, "1", tools, runtime, 4).save(Baseline())
    assert store.load() == kept
    (tmp_path / "libomp.so.5").write_text("another library")
    assert BaselineStore(path, "1", tools, runtime, 0).load() is None
    path.write_text("{")
    assert store.load() is None


def test_the_launcher_preloads_for_its_program_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    launcher = write_launcher(tmp_path / "launcher", Dropin(Path("/nowhere/d.so"), "combining"))
    show = [str(launcher), "sh", "-c", 'echo "$LD_PRELOAD $FINEGRAIN_POLICY"']
    monkeypatch.delenv("LD_PRELOAD", raising=False)
    done = subprocess.run(show, capture_output=True, text=True, check=True)
    assert done.stdout == "/nowhere/d.so combining\n"
    monkeypatch.setenv("LD_PRELOAD", "/nowhere/tool.so")
    done = subprocess.run(show, capture_output=True, text=True, check=True)
    assert done.stdout == "/nowhere/d.so:/nowhere/tool.so combining\n"
