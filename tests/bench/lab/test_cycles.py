# SPDX-License-Identifier: Apache-2.0
"""What `sync` and `queues` share: every way to fail, and when a full run ends."""

import re
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import pytest
from conftest import Ran, Refused
from fakes import CRASH, WRONG_RESULT, FakeBuild
from runs import plan_of, sampled, short

from finegrain_lab.experiments import queues, sync
from finegrain_lab.run.experiment import Experiment, Slot
from finegrain_lab.run.modes import Mode
from finegrain_lab.run.sampling import Sampling

pytestmark = pytest.mark.usefixtures("two_cpus")


class Study(NamedTuple):
    """One of the two, as these tests run it."""

    described: Experiment
    case: str  # what a fake process measures, for its shell
    mode: Mode

    @property
    def name(self) -> str:
        return self.described.name

    def trouble_in(self, build: FakeBuild, case: str, commands: str) -> None:
        """Lets the processes of one case do this first."""
        build.trouble_in(self.name, f"if [ {self.case} = {case} ]; then {commands}; fi")

    def short(self, build: FakeBuild) -> Sampling:
        """Three rounds."""
        return sampled(self.described, plan_of(self.described, build, self.mode))

    def rounds_until_sure(self, build: FakeBuild) -> int:
        """Four rounds if the ratios are sure then, else six."""
        mode = replace(
            *(self.mode,),
            **{"min_rounds": 2, "max_rounds": 6, "converged_rounds": 4},
            converged_half_width=0.02,
        )
        run = sampled(self.described, plan_of(self.described, build, mode))
        return max(max(rounds) for rounds in run.samples.by_row.values()) + 1


SYNC = Study(
    *(sync.SYNC, '"$mechanism/$threads"'), short(sync.MODES["full"], batches=3, batch_ms=7)
)
QUEUES = Study(
    *(queues.QUEUES, '"$queue/$measure"'), short(queues.MODES["full"], batches=3, round_trips=70)
)


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
                Slot.of("increment", "mutex", threads=2),
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
                Slot("one-way", "boost-spsc"),
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
    assert study.short(build).samples.failed == {slot: reason}


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
    assert study.rounds_until_sure(build) == 4
    study.trouble_in(build, has_to_be_sure, moving)
    assert study.rounds_until_sure(build) == 6
