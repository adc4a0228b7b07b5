# SPDX-License-Identifier: Apache-2.0
"""handoff: on which CPUs, and which runtimes."""

import json

import pytest
from fakes import FakeBuild
from fakes_micro import INFO, ROUND_TRIP_NS, RUNTIMES

from finegrain_lab.errors import LabError
from finegrain_lab.handoff.candidates import choose_candidates
from finegrain_lab.handoff.placements import choose_placements, kind_of
from finegrain_lab.handoff.protocol import Candidate, Cpu, Placement
from finegrain_lab.runtimes import load_build

NEAR = Placement(kind="shared_l3", main_cpu=0, assistant_cpu=1)

pytestmark = pytest.mark.usefixtures("two_cpus")


def test_a_pair_that_is_asked_for_is_the_only_one(build: FakeBuild) -> None:
    loaded = load_build(build.folder)
    assert choose_placements(loaded, (1, 0)) == [
        Placement(kind="shared_l3", main_cpu=1, assistant_cpu=0)
    ]
    assert choose_placements(loaded, None) == [NEAR]
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
    cpus = [
        Cpu(id=0, core=0, package=0, l2=0, l3=0),
        Cpu(id=1, core=0, package=0, l2=0, l3=0),
        Cpu(id=2, core=1, package=0, l2=0, l3=0),
        Cpu(id=3, core=2, package=0, l2=1, l3=0),
        Cpu(id=4, core=3, package=0, l2=2, l3=-1),
        Cpu(id=5, core=4, package=0, l2=None, l3=-1),
        Cpu(id=6, core=0, package=1, l2=0, l3=0),  # numbers may begin anew in each package
    ]
    kinds = [kind_of(cpus, (0, other)) for other in (1, 2, 3, 4, 6, 9)]
    assert kinds == [
        *("smt_sibling", "shared_l2", "shared_l3", "same_package", "other_package", "unknown"),
    ]
    assert kind_of(cpus, (4, 5)) == "same_package"  # an unknown cache is no shared cache


def test_runtimes_are_chosen_beside_the_floor() -> None:
    known = [Candidate.model_validate(entry) for entry in json.loads(RUNTIMES)["runtimes"]]
    chosen = choose_candidates(known, ["boost-spsc", "relic"])
    assert [candidate.name for candidate in chosen] == ["floor-one-line", "relic", "boost-spsc"]
    assert [c.name for c in choose_candidates(known, None)] == list(ROUND_TRIP_NS)
    with pytest.raises(LabError, match="no runtime 'cilk'; known are floor-one-line"):
        choose_candidates(known, ["cilk"])
    with pytest.raises(LabError, match="moodycamel-rw is not installed: libreader"):
        choose_candidates(known, ["moodycamel-rw"])
    with pytest.raises(LabError, match="no floor-one-line to compare with"):
        choose_candidates(known[1:], None)
