# SPDX-License-Identifier: Apache-2.0
"""Rows of every experiment, side by side."""

from collections.abc import Sequence
from typing import Any

import pytest
from conftest import rows_of

from finegrain_lab.experiments import EXPERIMENTS, experiment_of
from finegrain_lab.show.measurements import Measurement, measurements_of

NAMES = [experiment.name for experiment in EXPERIMENTS if not experiment.is_simulated]


@pytest.mark.parametrize("name", NAMES)
def test_every_row_is_one_and_told_from_all_others(
    whole_results: dict[str, Any], name: str
) -> None:
    found = measurements_of(experiment_of(name), whole_results[name])
    assert len(found) == len(rows_of(whole_results[name]))
    assert len({each.key for each in found}) == len(found)
    assert all(each.experiment == name for each in found)
    assert all(len(each.samples) == 3 for each in found)
    assert all(each.ours or not each.default for each in found)


# Its reference and, of the fakes' constant times, the ratio; None: the file has no such samples.
@pytest.mark.parametrize(
    ("name", "case", "runtime", "reference", "ratio"),
    [
        ("relic-kernels", "bc", "relic", "serial", 1 / 1.6),
        ("relic-kernels", "bc", "serial", None, None),
        ("handoff", "empty, shared_l3", "relic (spin)", "floor-one-line (spin_pause)", 168 / 150),
        ("handoff", "burst-2, shared_l3", "relic (spin)", "floor-one-line (spin_pause)", None),
        ("handoff", "empty, shared_l3", "floor-one-line (spin_pause)", None, None),
        ("break-even", "1to1-10ns", "relic-adaptive", "oracle", 20.2 / 20),
        ("break-even", "1to1-10ns", "relic-always", "serial", 160 / 20),
        ("break-even", "1to1-10ns", "oracle", "serial", None),  # a copy of one of its arms
        ("break-even", "1to1-10ns", "serial", None, None),
        ("waiting", "gap-10ms", "relic (spin_then_sleep)", "relic (spin_pause)", 20_000 / 160),
        ("waiting", "gap-10ms, hints", "relic (spin_pause)", "relic (spin_pause)", 1.0),
        ("waiting", "gap-10ms", "relic (spin_pause)", None, None),
        ("periodic", "2ms-16us-1%", "relic", "serial", 2.0),
        ("periodic", "2ms-16us-1%", "relic (spinning)", "serial", 0.55),
        ("periodic", "2ms-16us-1%", "serial", None, None),
        ("loops", "1000x8ns", "pool", "serial", 0.55),
        ("loops", "1000x8ns", "pool (outside)", "serial", 5000 / 8000),
        ("loops", "1000x8ns", "serial", None, None),
        ("graph", "chain-200ns, steady", "relic", "serial", 122 / 202),
        ("graph", "diamond-empty, first", "pool (fork-join)", "serial", 40 / 2),
        ("graph", "chain-200ns, steady", "serial", None, None),
        ("pipeline", "s-s-200ns", "relic", "serial", 144 / 202),
        ("pipeline", "s-p-s-empty", "two-threads", "serial", 8 / 2),
        ("pipeline", "s-s-200ns", "serial", None, None),
        ("sync", "increment, 2 threads", "mutex", "fetch-and-add", 2.5),
        ("queues", "one-way", "mutex-mpmc", "finegrain-spsc", 5.0),
        ("queues", "one-way", "finegrain-spsc", None, None),
        ("spawn", "fib, 1 thread", "pool-private_deque", "serial", 2.0),
        ("spawn", "fib, 2 threads", "pool-private_deque", "ceiling", 2.08),
        ("spawn", "fib, 2 threads", "ceiling", "serial", 0.5),
        ("bots", "fib, 2 threads", "pool-private_deque", "serial", 1.04),
        (
            *("omp", "fib-nocutoff, 2 threads", "gnu-openmp+finegrain:private_deque"),
            *("gnu-openmp", 1 / 12),
        ),
        ("omp", "fib-nocutoff, 2 threads", "gnu-openmp", "serial", 8.0),
        ("omp", "region-overhead, 2 threads", "gnu-openmp", None, None),
        ("omp-regions", "cg-48", "finegrain-gcc", "gnu-openmp", 120 / 1200),
        ("omp-regions", "cg-48", "gnu-openmp", "serial", 8.0),
        ("omp-regions", "single, 4 threads", "finegrain-clang", "intel-openmp", 100 / 500),
        ("omp-regions", "single, 4 threads", "intel-openmp", None, None),
    ],
)
def test_a_row_is_held_against_what_its_experiment_holds_it_against(
    whole_results: dict[str, Any],
    name: str,
    case: str,
    runtime: str,
    reference: str | None,
    ratio: float | None,
) -> None:
    found = measurements_of(experiment_of(name), whole_results[name])
    row = next(each for each in found if (each.case, each.runtime) == (case, runtime))
    assert row.reference == reference
    assert row.ratios == ([] if ratio is None else pytest.approx([ratio] * 3, rel=0.01))


@pytest.mark.parametrize(
    ("name", "ours", "default"),
    [
        (
            "relic-kernels",
            *({"relic", "relic-paper", "x-openmp-static", "x-openmp-wait", "x-openmp-nowait"},),
            {"relic"},
        ),
        (
            "handoff",
            {f"relic ({policy})" for policy in ("spin_then_sleep", "spin_pause", "spin")}
            | {"relic-paper (spin_pause)"},
            {"relic (spin_then_sleep)"},
        ),
        ("break-even", {"relic-always", "relic-adaptive"}, {"relic-adaptive"}),
        (
            "periodic",
            {"relic", "relic (spinning)", "relic (hints)", "pool"},
            {"relic"},
        ),
        (
            "loops",
            {"relic", "pool", "pool (outside)", "pool (one-worker)"},
            {"pool", "pool (outside)"},
        ),
        (
            "graph",
            {"relic", "relic (fork-join)", "pool", "pool (fork-join)"}
            | {f"{it}-openmp+finegrain:private_deque" for it in ("gnu", "intel")},
            {"relic", "pool"},
        ),
        ("pipeline", {"relic", "pool"}, {"relic", "pool"}),
        ("sync", set(), set()),
        ("queues", {"finegrain-spsc"}, {"finegrain-spsc"}),
        (
            "omp",
            {
                f"{base}+finegrain:{policy}"
                for base in ("gnu-openmp", "llvm-openmp", "intel-openmp")
                for policy in ("private_deque", "chase_lev")
            },
            {
                f"{base}+finegrain:private_deque"
                for base in ("gnu-openmp", "llvm-openmp", "intel-openmp")
            },
        ),
        (
            "omp-regions",
            *({"finegrain-clang", "finegrain-gcc"}, {"finegrain-clang", "finegrain-gcc"}),
        ),
        (
            "spawn",
            {"pool-private_deque", "pool-chase_lev"}
            | {f"{it}-openmp+finegrain:private_deque" for it in ("gnu", "llvm", "intel")},
            {"pool-private_deque"}
            | {f"{it}-openmp+finegrain:private_deque" for it in ("gnu", "llvm", "intel")},
        ),
    ],
)
def test_ours_and_its_headline(
    whole_results: dict[str, Any], name: str, ours: set[str], default: set[str]
) -> None:
    found = measurements_of(experiment_of(name), whole_results[name])
    assert {each.runtime for each in found if each.ours} == ours
    assert {each.runtime for each in found if each.default} == default


def test_the_headline_of_waiting_has_no_hints(whole_results: dict[str, Any]) -> None:
    found = [
        each
        for each in measurements_of(experiment_of("waiting"), whole_results["waiting"])
        if each.default
    ]
    assert {each.runtime for each in found} == {"relic (spin_then_sleep)"}
    assert not any("hints" in each.case for each in found)


@pytest.mark.parametrize(
    ("samples", "reference", "ratios"),
    [
        ([3.0, 8.0], [1.0, 2.0], [3.0, 4.0]),
        ([3.0, 8.0], [1.0], []),
        ([3.0, 8.0], [], []),
        ([3.0, -1.0], [1.0, 2.0], []),
        ([3.0, 8.0], [1.0, 0.0], []),
    ],
)
def test_ratios_are_of_the_same_rounds_and_of_positive_times(
    samples: Sequence[float], reference: Sequence[float], ratios: list[float]
) -> None:
    row = Measurement("spawn", "fib", "onetbb", False, False, samples, "serial", reference)
    assert row.ratios == ratios
