# SPDX-License-Identifier: Apache-2.0
"""handoff: on which CPUs, and which runtimes."""

import json

import pytest
from fakes import FakeBuild
from fakes_micro import INFO, ROUND_TRIP_NS, RUNTIMES

from finegrain_lab.experiments.handoff import (
    Candidates,
    choose_candidates,
    choose_placements,
    kind_of,
)
from finegrain_lab.run.errors import LabError
from finegrain_lab.run.runtimes import load_build
from finegrain_lab.run.shapes import fit

pytestmark = pytest.mark.usefixtures("two_cpus")


def test_a_pair_that_is_asked_for_is_the_only_one(build: FakeBuild) -> None:
    loaded = load_build(build.folder)
    assert choose_placements(loaded, (1, 0)) == {"shared_l3": (1, 0)}
    assert choose_placements(loaded, None) == {"shared_l3": (0, 1)}
    with pytest.raises(LabError, match="CPU 7 may not be used"):
        choose_placements(loaded, (0, 7))


def test_without_a_pair_the_reason_is_told(build: FakeBuild) -> None:
    info = json.loads(INFO)
    info["placements"] = []
    info["pair"] = {"main_cpu": 0, "assistant_cpu": None, "kind": None, "reason": "one usable CPU"}
    build.say("info", json.dumps(info))
    with pytest.raises(LabError, match="no pair of CPUs to measure on: one usable CPU"):
        choose_placements(load_build(build.folder), None)
    build.say("info", "{}")
    with pytest.raises(LabError, match="finegrain-info gives no placement: printed no valid"):
        choose_placements(load_build(build.folder), None)


def test_how_near_two_cpus_are() -> None:
    parts = ("id", "core", "package", "l2", "l3")
    places: list[tuple[int | None, ...]] = [
        *((0, 0, 0, 0, 0), (1, 0, 0, 0, 0), (2, 1, 0, 0, 0), (3, 2, 0, 1, 0)),
        *((4, 3, 0, 2, -1), (5, 4, 0, None, -1)),
        (6, 0, 1, 0, 0),  # numbers may begin anew in each package
    ]
    cpus = [dict(zip(parts, place, strict=True)) for place in places]
    kinds = [kind_of(cpus, (0, other)) for other in (1, 2, 3, 4, 6, 9)]
    assert kinds == [
        *("smt_sibling", "shared_l2", "shared_l3", "same_package", "other_package", "unknown"),
    ]
    assert kind_of(cpus, (4, 5)) == "same_package"  # an unknown cache is no shared cache


def test_runtimes_are_chosen_beside_the_floor() -> None:
    known = fit(json.loads(RUNTIMES), Candidates).runtimes
    chosen = choose_candidates(known, ["boost-spsc", "relic"])
    assert [candidate.name for candidate in chosen] == ["floor-one-line", "relic", "boost-spsc"]
    assert [c.name for c in choose_candidates(known, None)] == list(ROUND_TRIP_NS)
    with pytest.raises(LabError, match="no runtime 'cilk'; known are floor-one-line"):
        choose_candidates(known, ["cilk"])
    with pytest.raises(LabError, match="moodycamel-rw is not installed: libreader"):
        choose_candidates(known, ["moodycamel-rw"])
    with pytest.raises(LabError, match="no floor-one-line to compare with"):
        choose_candidates(known[1:], None)
