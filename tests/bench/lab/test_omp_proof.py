# SPDX-License-Identifier: Apache-2.0
"""The proof that the drop-in serves: every way not to, and that no number follows."""

from pathlib import Path

import pytest
from conftest import Ran
from fakes import FakeBuild
from omp_plans import GNU, SERVED, measured, plan_of
from runs import sampled

from finegrain_lab.experiments.omp import OMP
from finegrain_lab.experiments.omp_programs import CASES
from finegrain_lab.run.experiment import Slot

pytestmark = pytest.mark.usefixtures("two_cpus")

VERBOSE = 'if [ -n "$FINEGRAIN_OMP_VERBOSE" ] && [ -n "$LD_PRELOAD" ]; then {}; fi'


@pytest.mark.parametrize(
    ("commands", "reason"),
    [
        ("passive='FINEGRAIN_OMP=off'", "the drop-in stayed passive: FINEGRAIN_OMP=off"),
        ("speaks=", "the drop-in was not loaded: ERROR: ld.so: object "),
        ("ran=chase_lev", "the drop-in ran the policy chase_lev"),
        ("ran=private_dequeue", "the drop-in ran the policy private_dequeue"),
        ("below=libomp.so.5", "the drop-in found libomp.so.5 below it, not libgomp"),
        ("below=libgomp-plugin.so.1", "the drop-in found libgomp-plugin.so.1 below it"),
        ("taken=0", "the drop-in took over 0 tasks of at least 43780"),
        ("taken=43779", "the drop-in took over 43779 tasks of at least 43780"),
        ("tasks=0", "the drop-in took over 65670 tasks of at least 0"),
        ("cut=1", "the drop-in did not say what it took over, but: runtime libgomp.so.1, "),
        ("size=21", "answered with a sample of something else"),
        ("echo no >&2; exit 1", "exit status 1: no"),
    ],
)
def test_a_runtime_that_the_drop_in_does_not_serve_gives_no_number(
    build: FakeBuild, commands: str, reason: str
) -> None:
    build.trouble_in("omp/omp-gnu-openmp", VERBOSE.format(commands))
    run = sampled(OMP, plan_of(build, [SERVED], "sort", "barrier-overhead"))
    failed = [Slot("sort", SERVED), Slot("barrier-overhead", SERVED)]
    assert list(run.samples.failed) == failed
    assert all(why.startswith(reason) for why in run.samples.failed.values())
    assert not any(slot.runtime == SERVED for slot in run.samples.by_row)
    assert Slot("sort", GNU) in run.samples.by_row
    assert run.found["taken_over"] == {}


def test_a_runtime_alone_with_the_drop_in_in_it_gives_no_number(build: FakeBuild) -> None:
    build.trouble_in("omp/omp-gnu-openmp", "speaks=yes ran=private_deque")
    samples = measured(plan_of(build, [SERVED], "sort"))
    assert samples.failed[Slot("sort", GNU)] == (
        "has the drop-in in it, which says: policy private_deque"
    )
    assert Slot("sort", GNU) not in samples.by_row


def test_it_is_told_case_by_case(
    ran: Ran, build: FakeBuild, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    build.trouble_in("omp/omp-gnu-openmp", VERBOSE.format("passive=why"))
    result = ran("omp", "--runtimes", "gnu-openmp+finegrain", status=1)
    reason = "the drop-in stayed passive: why"
    assert [(line["case"], line["reason"]) for line in result["failed"]] == [
        (case, reason) for case in CASES
    ]
    assert {line["runtime"] for line in result["failed"]} == {SERVED}
    assert all(row["runtime"] != SERVED for row in result["results"])
    assert result["settings"]["taken_over"] == {}
    output = capsys.readouterr().out
    assert f"{SERVED}: failed on sort: {reason}" in output
    assert "proved ahead" not in output
    assert result["settings"]["summary"] == []
    page = (tmp_path / "out/omp.html").read_text()
    in_tables = 5 * len(CASES) - 2  # two cases have no speedup over serial
    assert page.count('class="failed"') == in_tables
    assert "took over" not in page
