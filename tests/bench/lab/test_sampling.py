# SPDX-License-Identifier: Apache-2.0
"""A run: its order, the floor in it, and what a process that fails does to it."""

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, Self

import pytest
from conftest import Silent
from fakes import FakeBuild

from finegrain_lab.run.beside import Watch
from finegrain_lab.run.errors import LabError
from finegrain_lab.run.experiment import Command, Experiment, Plan, Ratio, Slot
from finegrain_lab.run.intervals import half_width
from finegrain_lab.run.modes import Mode
from finegrain_lab.run.processes import Processes, ProcessFailed, WrongResult
from finegrain_lab.run.runtimes import load_build
from finegrain_lab.run.sampling import Sampling, with_spread

SHORT = Mode(name="short", min_rounds=3, max_rounds=3)
GROUPS = [[Slot(group, name) for name in names] for group, names in (("a", "wxyz"), ("b", "uv"))]
SLOTS = [slot for group in GROUPS for slot in group]
W, X = GROUPS[0][:2]


@dataclass(frozen=True)
class Number:
    """What a process gives."""

    value: float


FAKE = Experiment(
    *("fake", "a title", "a heading", "an intro"),
    modes={"short": SHORT},
    plan=lambda _request: pytest.fail("it is planned here"),
    sample=Number,
    numbers={"value": lambda sample, _row: sample.value},
    ratios={"of_w": Ratio("value", lambda row: None if row == W else W)},
    complaint=lambda sample, _slot, _plan: "is too little" if sample.value < 0 else "",
    told=lambda slot: f"{slot.runtime} of {slot.case}",
)
Value = Callable[[Slot, int], float]


def steady(_slot: Slot, at: int) -> float:
    """What a process gives at its start number `at`, if a test says nothing else."""
    return 100.0 + at


class FakeProcesses(Processes):
    """Starts none but the floor's: `value` is asked for the number, and may raise."""

    def __init__(self, value: Value) -> None:
        super().__init__()
        self.started: list[Slot] = []
        self._value = value

    def run(self, command: Command, kind: Any, about: Mapping[str, Any] | None = None) -> Any:
        if about is None or "slot" not in about:
            return super().run(command, kind, about)
        slot = Slot.of(**about["slot"])
        self.started.append(slot)
        return Number(self._value(slot, self.started.count(slot) - 1))


class Told(Silent):
    """A reporter that keeps what was about to start."""

    def __init__(self) -> None:
        super().__init__()
        self.labels: list[str] = []

    def step(self, share: float, what: str) -> None:
        super().step(share, what)
        self.labels.append(what)


class Run:
    """A run of the fake experiment to its end."""

    def __init__(
        self,
        build: FakeBuild,
        mode: Mode = SHORT,
        value: Value = steady,
        described: Experiment = FAKE,
        watch: Watch | None = None,
        **changes: Any,
    ) -> None:
        self.processes, self.reporter = FakeProcesses(value), Told()
        plan = Plan(
            build=load_build(build.folder),
            mode=mode,
            cpus=(0, 1),
            placement="",
            groups=GROUPS,
            command=lambda _slot, _found: Command([]),
            cases=["a", "b"],
            runtimes=list("wxyzuv"),
        )
        self.run = Sampling(
            described, replace(plan, **changes), self.processes, self.reporter, watch
        )

    def end(self) -> Self:
        self.ending = self.run.to_the_end()
        return self

    @property
    def started(self) -> list[Slot]:
        return self.processes.started


def failing(error: type[ProcessFailed], failed: Slot, from_start: int = 0) -> Value:
    """Lets one slot's process fail from its start of this number on."""

    def value(slot: Slot, at: int) -> float:
        if slot == failed and at >= from_start:
            raise error("boom")
        return steady(slot, at)

    return value


def many(rounds: int) -> Mode:
    return Mode(name="many", min_rounds=rounds, max_rounds=rounds)


def without_x(vital: Slot) -> Experiment:
    return replace(FAKE, is_vital=lambda slot: slot == vital)


def test_a_round_starts_every_slot_once_and_a_group_stays_together(build: FakeBuild) -> None:
    run = Run(build).end()
    assert len(run.started) == 3 * len(SLOTS)
    for first in range(0, len(run.started), len(SLOTS)):
        steps = run.started[first : first + len(SLOTS)]
        assert sorted(steps[:4], key=str) == sorted(GROUPS[0], key=str)
        assert sorted(steps[4:], key=str) == sorted(GROUPS[1], key=str)
    labels = [label for label in run.reporter.labels if label != "floor"]
    assert labels == [f"{slot.runtime} of {slot.case}" for slot in run.started]
    assert run.ending["rounds"] == run.reporter.milestones == 3
    assert run.ending["seconds"] > 0
    assert run.run.samples.values(W, "value") == {0: 100, 1: 101, 2: 102}


def test_no_slot_always_follows_the_same_one(build: FakeBuild) -> None:
    run = Run(build, many(30)).end()
    before: dict[Slot, set[Slot]] = {slot: set() for slot in GROUPS[0]}
    for first in range(0, len(run.started), len(SLOTS)):
        for one, next_one in pairwise(run.started[first : first + 4]):
            before[next_one].add(one)
    assert all(len(neighbours) == 3 for neighbours in before.values())


def test_every_run_has_the_order_of_the_seed_in_the_result_file(build: FakeBuild) -> None:
    order = random.Random(20240501)
    expected = [
        slot for _ in range(5) for group in GROUPS for slot in order.sample(group, k=len(group))
    ]
    for _ in range(2):
        run = Run(build, many(5)).end()
        assert run.started == expected
        assert run.ending["seed"] == 20240501


def test_each_round_has_the_slots_that_take_part_in_it(build: FakeBuild) -> None:
    run = Run(build, takes_part=lambda slot, at: slot.case == "a" or at != 1).end()
    assert len(run.started) == 6 + 4 + 6
    assert list(run.run.samples.by_row[GROUPS[1][0]]) == [0, 2]


def test_the_floor_is_spread_over_the_round(build: FakeBuild) -> None:
    run = Run(build).end()
    for first in range(0, 30, 10):
        labels = run.reporter.labels[first : first + 10]
        assert [at for at, label in enumerate(labels) if label == "floor"] == [0, 2, 5, 7]
    assert len(build.starts()) == 3 * 4


def test_where_a_slot_is_the_floor_none_is_measured_beside(build: FakeBuild) -> None:
    own = replace(FAKE, is_floor=lambda slot, _settings: slot == W)
    run = Run(build, described=own).end()
    assert "floor" not in run.reporter.labels
    assert build.starts() == []


def test_extra_ones_are_spread_evenly_and_none_is_lost() -> None:
    items = [f"{group}{name}" for group in "ab" for name in "xyz"]
    assert with_spread(items, ["-", "+"]) == ["-", "ax", "ay", "az", "+", "bx", "by", "bz"]
    assert with_spread(items[:1], ["-", "+"]) == ["-", "+", "ax"]
    assert with_spread(items, []) == items


def test_a_slot_that_fails_is_noted_and_not_started_again(build: FakeBuild) -> None:
    run = Run(build, many(4), failing(ProcessFailed, X, from_start=1), without_x(W)).end()
    assert run.ending["failed"] == [{"slot": {"case": "a", "runtime": "x"}, "reason": "boom"}]
    assert run.started.count(X) == 2
    assert list(run.run.samples.by_row[X]) == [0]
    assert all(run.started.count(slot) == 4 for slot in SLOTS if slot != X)
    assert run.ending["rounds"] == 4


def test_a_sample_that_is_not_what_was_asked_for_is_a_failure(build: FakeBuild) -> None:
    run = Run(build, value=lambda slot, _at: -1.0 if slot == X else 1.0).end()
    assert run.run.samples.failed == {X: "is too little"}


def test_the_failure_of_a_vital_slot_ends_the_run(build: FakeBuild) -> None:
    run = Run(build, SHORT, failing(ProcessFailed, X, from_start=1), without_x(X))
    with pytest.raises(LabError, match=r"^x of a failed: boom$"):
        run.end()
    assert run.started[-1] == X
    assert run.started.count(X) == 2


def test_a_run_of_which_all_fails_is_over(build: FakeBuild) -> None:
    run = Run(build, value=lambda _slot, _at: -1.0)
    with pytest.raises(LabError, match=r"^nothing could be measured: is too little$"):
        run.end()
    assert len(run.started) == len(SLOTS)


def test_a_wrong_result_ends_the_run_whose_ever_it_is(build: FakeBuild) -> None:
    run = Run(build, value=failing(WrongResult, X, from_start=1))
    with pytest.raises(LabError, match=r"^wrong result from x of a: boom$"):
        run.end()
    assert run.started[-1] == X
    assert run.started.count(X) == 2


def test_several_processes_give_one_sample(build: FakeBuild) -> None:
    summed = replace(FAKE, joined=lambda them: Number(sum(it.value for it in them)))
    run = Run(build, described=summed, processes_of=lambda slot: 2 if slot == X else 1).end()
    assert run.run.samples.values(X, "value") == {0: 201, 1: 205, 2: 209}
    assert run.run.samples.values(W, "value") == {0: 100, 1: 101, 2: 102}


def test_what_is_found_ahead_reaches_every_process(build: FakeBuild) -> None:
    seen: list[dict[str, Any]] = []

    def command(_slot: Slot, found: dict[str, Any]) -> Command:
        seen.append(found)
        return Command([])

    run = Run(build, begin=lambda run: {"slots": len(run.plan.slots)}, command=command).end()
    assert seen == [{"slots": 6}] * len(run.started)
    assert run.ending["found"] == {"slots": 6}


@pytest.mark.parametrize(
    ("moves", "decides", "rounds"),
    [
        ([], [X], 3),
        ([X], [X], 5),
        ([X], [], 5),  # what no ratio speaks for has not converged
        ([X], [SLOTS[2]], 3),
    ],
)
def test_a_run_ends_when_every_ratio_that_decides_is_sure(
    build: FakeBuild, moves: Sequence[Slot], decides: Sequence[Slot], rounds: int
) -> None:
    mode = Mode(name="m", min_rounds=1, max_rounds=5, converged_half_width=0.01, converged_rounds=3)
    sure = replace(FAKE, deciding="of_w", decides=lambda row, _settings: row in decides)
    run = Run(build, mode, lambda slot, at: 1.0 + at % 2 if slot in moves else 1.0, sure).end()
    assert run.ending["rounds"] == rounds


def test_an_interval_is_between_two_of_the_values() -> None:
    # Of 10 values the second and the last but one: 1 - 2 * 11 / 1024 is 98 %, less is below 95 %.
    assert half_width([1.0, 2, 3, 4, 5, 6, 7, 8, 9, 10]) == pytest.approx((9 - 2) / 2 / 5.5)
    assert half_width([1.0, 3.0]) == 0.5  # too few: all of them
    assert half_width([7.0] * 20) == 0
    assert half_width([1.0, *[2.0] * 8, 900.0]) == 0


def test_ratios_are_of_rounds_that_both_have(build: FakeBuild) -> None:
    samples = Run(build).run.samples
    for at, value in ((0, 4.0), (2, 8.0), (1, 6.0)):
        samples.add(X, at, Number(value))
    for at in (2, 0):
        samples.add(W, at, Number(2.0))
    assert samples.ratios(X, "of_w") == {0: 2.0, 2: 4.0}
    assert samples.ratios(W, "of_w") == {}
    assert [it.value for it in samples.of([W, X])] == [2, 2, 4, 8, 6]
    assert samples.values(SLOTS[2], "value") == {}
    assert list(samples.by_row) == [X, W]
    samples.add(W, 0, Number(0.0))  # an overhead that drowned in the clock's noise
    assert samples.ratios(X, "of_w") == {}
