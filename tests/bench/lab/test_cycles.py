# SPDX-License-Identifier: Apache-2.0
"""What `sync` and `queues` share: every way to fail, and when a full run ends."""

import dataclasses
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from conftest import Ran, Refused, Silent
from cycle_plans import queues_plan, sync_plan
from fakes import CRASH, WRONG_RESULT, FakeBuild

from finegrain_lab.cycles import CycleMode, CycleSamples
from finegrain_lab.queues import measure as queues
from finegrain_lab.queues.modes import FULL as FULL_QUEUES
from finegrain_lab.sync import measure as sync
from finegrain_lab.sync.modes import FULL as FULL_SYNC

pytestmark = pytest.mark.usefixtures("two_cpus")


class Study(NamedTuple):
    """One of the two, as these tests run it."""

    name: str
    case: str  # what a fake process measures, for its shell
    plan: Callable[[FakeBuild], Any]
    measure: Callable[[Any, Silent], CycleSamples[Any, Any]]
    full: CycleMode

    def trouble_in(self, build: FakeBuild, case: str, commands: str) -> None:
        """Lets the processes of one case do this first."""
        build.trouble_in(self.name, f"if [ {self.case} = {case} ]; then {commands}; fi")

    def short(self, build: FakeBuild) -> CycleSamples[Any, Any]:
        """Three rounds."""
        return self.measure(self.plan(build), Silent())

    def steady(self, build: FakeBuild) -> CycleSamples[Any, Any]:
        """Four rounds if the ratios are sure then, else six."""
        mode = dataclasses.replace(
            self.full, min_rounds=2, max_rounds=6, converged_rounds=4, converged_half_width=0.02
        )
        return self.measure(dataclasses.replace(self.plan(build), mode=mode), Silent())


SYNC = Study("sync", '"$mechanism/$threads"', sync_plan, sync.measure, FULL_SYNC)
QUEUES = Study("queues", '"$queue/$measure"', queues_plan, queues.measure, FULL_QUEUES)


@pytest.mark.parametrize(
    ("study", "case", "failed", "whole_rows", "line_of_table"),
    [
        (SYNC, "spinlock/4", ("spinlock", "4 threads"), 4 * 3, r"spinlock +50\.0 +100 +failed"),
        (
            QUEUES,
            "boost-spsc/one-way",
            ("boost-spsc", "one-way"),
            3 * 3,
            r"boost-spsc +failed +20\.0",
        ),
    ],
)
def test_a_process_that_fails_is_left_out_and_told(
    ran: Ran,
    build: FakeBuild,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    study: Study,
    case: str,
    failed: tuple[str, str],
    whole_rows: int,
    line_of_table: str,
) -> None:
    study.trouble_in(build, case, CRASH)
    result = ran(study.name, status=1)
    runtime, name = failed
    reason = "exit status 1: boom"
    assert result["failed"] == [{"runtime": runtime, "case": name, "reason": reason}]
    assert len(result["results"]) == whole_rows - 1
    output = capsys.readouterr().out
    assert f"{runtime}: failed on {name}: {reason}" in output
    assert re.search(line_of_table, output)
    assert 'class="failed"' in (tmp_path / f"out/{study.name}.html").read_text()


@pytest.mark.parametrize(
    ("study", "case", "commands", "text"),
    [
        (SYNC, "mutex/2", f"case=m; {WRONG_RESULT}", "wrong result from mutex on 2 threads"),
        (SYNC, "fetch-and-add/2", CRASH, "fetch-and-add on 2 threads failed: exit status 1: boom"),
        (
            QUEUES,
            "mutex-mpmc/one-way",
            f"case=q; {WRONG_RESULT}",
            "wrong result from mutex-mpmc, one-way",
        ),
        (
            QUEUES,
            "finegrain-spsc/push-pop",
            CRASH,
            "finegrain-spsc, push-pop failed: exit status 1: boom",
        ),
    ],
)
def test_what_ends_a_run_leaves_no_file(
    refused: Refused, build: FakeBuild, study: Study, case: str, commands: str, text: str
) -> None:
    study.trouble_in(build, case, commands)
    refused(study.name, text=text)


OTHER = "answered with a sample of something else"


@pytest.mark.parametrize(
    ("study", "case", "slot", "commands", "reason"),
    [
        (study, case, slot, commands, reason)
        for study, case, slot, ways in (
            (
                SYNC,
                "mutex/2",
                sync.Slot("mutex", 2),
                {
                    "mechanism=spinlock": OTHER,
                    "threads=1": OTHER,
                    "batches=2": "gave other than 3 batches",
                    "cpus=0,6": "ran on CPUs 0,6",
                    "cpus=0": "ran on CPUs 0",
                },
            ),
            (
                QUEUES,
                "boost-spsc/one-way",
                queues.Slot("one-way", "boost-spsc"),
                {
                    "queue=finegrain-spsc": OTHER,
                    "measure=push-pop": OTHER,
                    "items=7": OTHER,
                    "batches=2": "gave other than 3 batches",
                },
            ),
        )
        for commands, reason in ways.items()
    ],
)
def test_half_a_sample_is_a_failure(
    build: FakeBuild, study: Study, case: str, slot: object, commands: str, reason: str
) -> None:
    study.trouble_in(build, case, commands)
    assert study.short(build).failed == {slot: reason}


@pytest.mark.parametrize(
    ("study", "case", "commands"),
    [(SYNC, "mutex/4", "cpus=0,6"), (QUEUES, "mutex-mpmc/one-way", "assistant=6")],
)
def test_a_thread_on_another_cpu_is_told(
    ran: Ran,
    build: FakeBuild,
    capsys: pytest.CaptureFixture[str],
    study: Study,
    case: str,
    commands: str,
) -> None:
    study.trouble_in(build, case, commands)
    ran(study.name)
    runtime = case.split("/")[0]
    text = f"{runtime}: was seen on a CPU that is not its own: [6]"
    assert text in capsys.readouterr().out


@pytest.mark.parametrize(
    ("study", "may_move", "has_to_be_sure"),
    [
        (SYNC, "mutex/4", "mutex/2"),  # threads that share CPUs may move as they like
        (QUEUES, "none", "boost-spsc/one-way"),
    ],
)
def test_a_full_run_ends_when_the_ratios_are_sure(
    build: FakeBuild, study: Study, may_move: str, has_to_be_sure: str
) -> None:
    every_other = f"[ -e {build.folder}/at ] && rm {build.folder}/at || : >{build.folder}/at"
    moving = f"{every_other}; [ -e {build.folder}/at ] || slower=2"
    study.trouble_in(build, may_move, moving)
    assert study.steady(build).rounds == 4
    study.trouble_in(build, has_to_be_sure, moving)
    assert study.steady(build).rounds == 6
