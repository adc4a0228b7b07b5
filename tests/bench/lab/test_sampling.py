# SPDX-License-Identifier: Apache-2.0
"""A run: its order, the floor in it, and what a process that fails does to it."""

import random
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import NamedTuple

import pytest
from conftest import Silent, host_of
from fakes import FLOOR_NS, FakeBuild

from finegrain_lab.errors import LabError
from finegrain_lab.instruments import FloorMeter
from finegrain_lab.modes import Mode
from finegrain_lab.processes import Output, ProcessFailed, WrongResult
from finegrain_lab.rounds import with_spread
from finegrain_lab.runtimes import load_build
from finegrain_lab.sampling import Samples, Sampling

SHORT = Mode(name="short", min_rounds=3, max_rounds=3)


class Slot(NamedTuple):
    """One of the processes, none of which runs."""

    group: str
    name: str

    @property
    def told(self) -> str:
        return f"{self.name} of {self.group}"


class Number(Output):
    """What such a process gives."""

    value: float


GROUPS = [[Slot(group, name) for name in names] for group, names in (("a", "wxyz"), ("b", "uv"))]
SLOTS = [slot for group in GROUPS for slot in group]
W, X = GROUPS[0][:2]


def steady(slot: Slot, at: int) -> float:
    """What a process gives at its start number `at`, if a test says nothing else."""
    del slot
    return 100.0 + at


class Fake(Sampling[Slot, Number]):
    """Runs no process: `value` is asked for the number, and may raise."""

    def __init__(
        self,
        mode: Mode = SHORT,
        floor: FloorMeter | None = None,
        value: Callable[[Slot, int], float] = steady,
    ) -> None:
        super().__init__(Samples(), mode, floor)
        self.started: list[Slot] = []
        self.vital_slot: Slot | None = None
        self.ratios: list[list[float]] = []
        self._value = value

    def groups(self, round_index: int) -> Sequence[Sequence[Slot]]:
        del round_index
        return GROUPS

    def sample(self, slot: Slot) -> Number:
        self.started.append(slot)
        return Number(value=self._value(slot, self.started.count(slot) - 1))

    def vital(self, slot: Slot) -> str | None:
        assert slot in self.measured.failed
        return f"nothing goes without {slot.name}" if slot == self.vital_slot else None

    def of_interest(self) -> list[list[float]]:
        return self.ratios


class Told(Silent):
    """A reporter that keeps what was about to start."""

    def __init__(self) -> None:
        super().__init__()
        self.labels: list[str] = []

    def step(self, share: float, what: str) -> None:
        super().step(share, what)
        self.labels.append(what)


def failing(
    error: type[ProcessFailed], failed: Slot, from_start: int = 0
) -> Callable[[Slot, int], float]:
    """Lets one slot's process fail from its start of this number on."""

    def value(slot: Slot, at: int) -> float:
        if slot == failed and at >= from_start:
            raise error("boom")
        return steady(slot, at)

    return value


def many(rounds: int) -> Mode:
    return Mode(name="many", min_rounds=rounds, max_rounds=rounds)


def test_a_round_starts_every_slot_once_and_a_group_stays_together() -> None:
    run, reporter = Fake(), Told()
    run.to_the_end(reporter)
    assert len(run.started) == 3 * len(SLOTS)
    for first in range(0, len(run.started), len(SLOTS)):
        steps = run.started[first : first + len(SLOTS)]
        assert sorted(steps[:4]) == GROUPS[0]
        assert sorted(steps[4:]) == sorted(GROUPS[1])
    assert reporter.labels == [slot.told for slot in run.started]
    assert run.measured.rounds == reporter.milestones == 3
    assert run.measured.seconds > 0
    assert run.measured.by_round(W, lambda sample: sample.value) == {0: 100, 1: 101, 2: 102}


def test_no_slot_always_follows_the_same_one() -> None:
    run = Fake(many(30))
    run.to_the_end(Silent())
    before: dict[Slot, set[Slot]] = {slot: set() for slot in GROUPS[0]}
    for first in range(0, len(run.started), len(SLOTS)):
        for one, next_one in pairwise(run.started[first : first + 4]):
            before[next_one].add(one)
    assert all(len(neighbours) == 3 for neighbours in before.values())


def test_every_run_has_the_order_of_the_seed_in_the_result_file() -> None:
    order = random.Random(20240501)
    expected = [
        slot for _ in range(5) for group in GROUPS for slot in order.sample(group, k=len(group))
    ]
    for _ in range(2):
        run = Fake(many(5))
        run.to_the_end(Silent())
        assert run.started == expected


def test_each_round_has_the_groups_of_its_index() -> None:
    class Changing(Fake):
        def groups(self, round_index: int) -> Sequence[Sequence[Slot]]:
            return GROUPS[:1] if round_index == 1 else GROUPS

    run = Changing()
    run.to_the_end(Silent())
    assert len(run.started) == 6 + 4 + 6
    assert list(run.measured.samples[GROUPS[1][0]]) == [0, 2]


def test_the_floor_is_spread_over_the_round(build: FakeBuild) -> None:
    run, reporter = Fake(floor=FloorMeter(load_build(build.folder), (0, 1))), Told()
    run.to_the_end(reporter)
    for first in range(0, 30, 10):
        labels = reporter.labels[first : first + 10]
        assert [at for at, label in enumerate(labels) if label == "floor"] == [0, 2, 5, 7]
    assert run.measured.floor_samples == [FLOOR_NS] * (3 * 4 * 5)
    assert len(build.starts()) == 3 * 4


def test_extra_ones_are_spread_evenly_and_none_is_lost() -> None:
    items = [f"{group}{name}" for group in "ab" for name in "xyz"]
    assert with_spread(items, ["-", "+"]) == ["-", "ax", "ay", "az", "+", "bx", "by", "bz"]
    assert with_spread(items[:1], ["-", "+"]) == ["-", "+", "ax"]
    assert with_spread(items, []) == items


def test_a_slot_that_fails_is_noted_and_not_started_again() -> None:
    run = Fake(many(4), value=failing(ProcessFailed, X, from_start=1))
    run.vital_slot = W
    run.to_the_end(Silent())
    assert run.measured.failed == {X: "boom"}
    assert run.started.count(X) == 2
    assert list(run.measured.samples[X]) == [0]
    assert all(run.started.count(slot) == 4 for slot in SLOTS if slot != X)
    assert run.measured.rounds == 4


def test_the_failure_of_a_vital_slot_ends_the_run() -> None:
    run = Fake(value=failing(ProcessFailed, X, from_start=1))
    run.vital_slot = X
    with pytest.raises(LabError, match=r"^nothing goes without x: boom$"):
        run.to_the_end(Silent())
    assert run.started[-1] == X
    assert run.started.count(X) == 2


def test_a_wrong_result_ends_the_run_whose_ever_it_is() -> None:
    run = Fake(value=failing(WrongResult, X, from_start=1))
    with pytest.raises(LabError, match=r"^wrong result from x of a: boom$"):
        run.to_the_end(Silent())
    assert run.started[-1] == X
    assert run.started.count(X) == 2


@pytest.mark.parametrize(
    ("ratios", "rounds"),
    [
        ([[1.0, 1.001], [2.0, 2.001]], 3),
        ([[1.0, 1.001], [2.0, 3.0]], 5),
        ([], 5),  # what no ratio speaks for has not converged
    ],
)
def test_a_run_converges_when_every_ratio_is_sure(ratios: list[list[float]], rounds: int) -> None:
    mode = Mode(name="m", min_rounds=1, max_rounds=5, converged_half_width=0.01, converged_rounds=3)
    run = Fake(mode)
    run.ratios = ratios
    run.to_the_end(Silent())
    assert run.measured.rounds == rounds


def test_samples_are_given_slot_by_slot_and_asking_adds_none() -> None:
    measured: Samples[Slot, Number] = Samples()
    measured.samples[X] = {1: Number(value=3), 0: Number(value=4)}
    measured.samples[W] = {0: Number(value=5)}
    assert [sample.value for sample in measured.of([W, X])] == [5, 3, 4]
    assert measured.of(SLOTS[2:]) == []
    assert measured.by_round(SLOTS[2], lambda sample: sample.value) == {}
    assert list(measured.samples) == [X, W]


def test_the_header_is_of_the_mode_and_of_what_was_measured(build: FakeBuild) -> None:
    measured: Samples[Slot, Number] = Samples(
        floor_samples=[90.0, 300.0, 100.0], rounds=7, seconds=1.5
    )
    host = host_of(load_build(build.folder))
    assert measured.header("spawn", SHORT, host) == {
        **{
            "schema": 3,
            "experiment": "spawn",
            "mode": "short",
            "host": host,
            "resumed": 0,
            "beside": None,
        },
        **{"floor_ns": 100.0, "floor_samples": [90.0, 300.0, 100.0]},
        **{"rounds": 7, "seconds": 1.5, "seed": 20240501},
    }
