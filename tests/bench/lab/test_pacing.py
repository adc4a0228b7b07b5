# SPDX-License-Identifier: Apache-2.0
"""When a run ends."""

import dataclasses

import pytest

from finegrain_lab.experiments import EXPERIMENTS
from finegrain_lab.experiments.relic_cases import MODES, has_spin
from finegrain_lab.run import instruments
from finegrain_lab.run.experiment import Experiment
from finegrain_lab.run.modes import Mode
from finegrain_lab.run.pacing import Pacer

MODE = Mode(name="test", work={"spin_every": 3}, min_rounds=2, max_rounds=8)


class Clock:
    """A clock that a test moves."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def rounds_of(mode: Mode, seconds: float, spin_seconds: float, converged: bool = False) -> int:
    clock = Clock()
    pacer = Pacer(mode, clock, lambda at: has_spin(mode, at))
    while pacer.another(lambda: converged):
        pacer.begin_round()
        clock.now += spin_seconds if has_spin(mode, pacer.rounds) else seconds
        pacer.end_round()
    return pacer.rounds


def test_spin_cases_are_in_the_first_rounds_and_in_every_nth() -> None:
    assert [at for at in range(8) if has_spin(MODE, at)] == [0, 1, 3, 6]


def test_without_a_budget_all_rounds_are_run() -> None:
    assert rounds_of(MODE, 1000.0, 1000.0) == 8


@pytest.mark.parametrize(
    ("budget_s", "rounds"),
    [
        (1.0, 2),  # the fewest, whatever they take: 30 s
        (44.9, 2),  # round 2, without spin cases, is taken to last as long as the others
        (45.0, 3),  # it lasts 5 s; round 3 has spin cases again and would end at 50 s
        (50.0, 4),
        (55.0, 5),
        (1000.0, 8),
    ],
)
def test_a_round_that_is_not_expected_to_fit_is_not_begun(budget_s: float, rounds: int) -> None:
    mode = dataclasses.replace(MODE, budget_s=budget_s)
    assert rounds_of(mode, seconds=5.0, spin_seconds=15.0) == rounds


def test_convergence_ends_a_run_but_not_too_early() -> None:
    mode = dataclasses.replace(MODE, converged_half_width=0.01, converged_rounds=5)
    assert rounds_of(mode, 1.0, 1.0, converged=True) == 5
    assert rounds_of(mode, 1.0, 1.0, converged=False) == 8


def test_a_mode_without_the_rule_never_asks_for_convergence() -> None:
    assert rounds_of(MODE, 1.0, 1.0, converged=True) == 8


def test_the_share_done_follows_the_budget_or_the_rounds() -> None:
    clock = Clock()
    pacer = Pacer(dataclasses.replace(MODE, budget_s=100.0), clock)
    clock.now += 60.0
    assert pacer.share(0.0) == pytest.approx(0.6)
    clock.now += 60.0
    assert pacer.share(0.0) == 1.0
    assert Pacer(MODE, clock).share(0.5) == pytest.approx(0.5 / 8)


@pytest.mark.parametrize(
    "mode",
    [
        pytest.param(mode, id=f"{experiment.name}-{mode.name}")
        for experiment in EXPERIMENTS
        for mode in experiment.modes.values()
    ],
)
def test_every_mode_gives_fifty_floor_batches_and_three_pairs(mode: Mode) -> None:
    per_round = instruments.FLOOR_PROCESSES_PER_ROUND * instruments.FLOOR_BATCHES_PER_PROCESS
    assert mode.min_rounds * per_round >= 50
    assert mode.min_rounds >= 3
    assert mode.name in ("paper", "quick", "full")


@pytest.mark.parametrize("experiment", EXPERIMENTS, ids=lambda experiment: experiment.name)
def test_every_experiment_is_quick_in_minutes_and_full_in_twenty(
    experiment: Experiment,
) -> None:
    quick, full = experiment.modes["quick"], experiment.modes["full"]
    assert quick.budget_s is not None
    assert quick.budget_s <= 150
    assert full.budget_s is not None
    assert full.budget_s <= 17 * 60
    assert full.max_rounds >= quick.max_rounds


def test_the_modes_keep_what_they_promise() -> None:
    quick, full, of_paper = MODES["quick"], MODES["full"], MODES["paper"]
    assert all(has_spin(mode, 0) for mode in MODES.values())
    assert quick.budget_s is not None
    assert quick.budget_s <= 150
    assert full["kernels"] == of_paper["kernels"] == {"iterations": 100_000, "warmup": 2_000}
    assert full.budget_s == 17 * 60
    assert of_paper["spin"]["iterations"] == 100_000
    assert (of_paper.min_rounds, of_paper.max_rounds) == (30, 30)
