# SPDX-License-Identifier: Apache-2.0
"""The manifest of a build, and the peers' settings."""

import json

import pytest
from conftest import Lab, Ran, Refused
from fakes import HOW_TO_GET, FakeBuild

from finegrain_lab.run.errors import LabError
from finegrain_lab.run.runtimes import (
    CHECKSUMS,
    MANIFEST,
    X_OPENMP,
    PeerSettings,
    environment_of,
    load_build,
)

OPENMP = ["gnu-openmp", "llvm-openmp", "intel-openmp"]


@pytest.mark.parametrize("runtime", OPENMP)
def test_openmp_gets_two_threads_on_the_two_cpus_main_first(runtime: str) -> None:
    for kind in ("tuned", "default"):
        environment = environment_of(runtime, kind, (3, 1))
        assert environment["OMP_NUM_THREADS"] == "2"
        assert environment["OMP_PLACES"] == "{3},{1}"


@pytest.mark.parametrize("runtime", OPENMP)
def test_tuned_peers_spin_and_default_peers_do_as_they_like(runtime: str) -> None:
    tuned = environment_of(runtime, "tuned", (0, 1))
    assert tuned["OMP_WAIT_POLICY"] == "active"
    assert tuned["OMP_PROC_BIND"] == "close"
    assert tuned["OMP_DYNAMIC"] == "false"
    own = "GOMP_SPINCOUNT" if runtime == "gnu-openmp" else "KMP_BLOCKTIME"
    assert tuned[own] == "infinite"
    assert "KMP_LIBRARY" not in tuned  # LLVM's runtime would then ignore OMP_WAIT_POLICY
    assert environment_of(runtime, "default", (0, 1)).keys() == {"OMP_NUM_THREADS", "OMP_PLACES"}


@pytest.mark.parametrize("kind", ["tuned", "default"])
@pytest.mark.parametrize(
    ("runtime", "policy"),
    [
        ("x-openmp-static", "xqueue_static"),
        ("x-openmp-wait", "xqueue_wait"),
        ("x-openmp-nowait", "xqueue_nowait"),
    ],
)
def test_x_openmp_is_set_up_as_the_runtime_below_it_and_has_its_policy(
    runtime: str, policy: str, kind: PeerSettings
) -> None:
    below = environment_of("intel-openmp", kind, (0, 1))
    assert environment_of(runtime, kind, (0, 1)) == below | {"FINEGRAIN_POLICY": policy}


def test_the_others_take_their_cpus_as_an_argument() -> None:
    for runtime in ("serial", "relic", "relic-paper", "onetbb", "taskflow"):
        assert environment_of(runtime, "tuned", (0, 1)) == {}


def test_all_installed_runtimes_are_chosen_in_the_manifest_s_order(build: FakeBuild) -> None:
    loaded = load_build(build.folder)
    assert [runtime.name for runtime in loaded.choose(None)] == [
        *("serial", "relic", "relic-paper", *OPENMP, *X_OPENMP, "onetbb", "taskflow"),
    ]
    assert [runtime.name for runtime in loaded.missing("relic-kernels")] == ["opencilk"]


def test_serial_is_always_beside_what_is_chosen(build: FakeBuild) -> None:
    chosen = load_build(build.folder).choose(["taskflow", "relic"])
    assert [runtime.name for runtime in chosen] == ["serial", "relic", "taskflow"]


def test_what_is_not_installed_can_not_be_chosen(build: FakeBuild) -> None:
    with pytest.raises(LabError, match=HOW_TO_GET):
        load_build(build.folder).choose(["opencilk"])


def test_what_brings_back_what_is_missing_depends_on_where_it_is(build: FakeBuild) -> None:
    loaded = load_build(build.folder)
    loaded.program(loaded.manifest.floor).unlink()
    with pytest.raises(LabError, match="floor: run 'make lab'"):
        loaded.program(loaded.manifest.floor)
    (build.folder.parent / CHECKSUMS).touch()
    with pytest.raises(LabError, match="floor: unpack the archive again"):
        loaded.program(loaded.manifest.floor)
    (build.folder / MANIFEST).unlink()
    with pytest.raises(LabError, match=r"is missing\): unpack the archive again"):
        load_build(build.folder)


def test_a_build_without_serial_is_of_no_use(build: FakeBuild) -> None:
    manifest = build.folder / "bench/runtimes.json"
    manifest.write_text(manifest.read_text().replace('"serial"', '"cereal"'))
    with pytest.raises(LabError, match="no serial runtime"):
        load_build(build.folder).choose(None)


def add_missing(build: FakeBuild, name: str, programs: list[str], how_to_get: str) -> None:
    path = build.folder / "bench/runtimes.json"
    manifest = json.loads(path.read_text())
    row = {"name": name, "programs": programs, "executable": None, "how_to_get": how_to_get}
    path.write_text(json.dumps({**manifest, "runtimes": [*manifest["runtimes"], row]}))


def test_a_runtime_is_a_peer_where_it_has_a_program_or_would_have(
    lab: Lab, ran: Ran, refused: Refused, build: FakeBuild, capsys: pytest.CaptureFixture[str]
) -> None:
    add_missing(build, "hpx", ["spawn"], "build it")
    add_missing(build, "icc-openmp", ["spawn"], "no longer available")
    refused("relic-kernels", "--runtimes", "hpx", text="no runtime 'hpx'; known are", status=2)
    refused("spawn", "--runtimes", "hpx", text="hpx is not installed: build it")
    refused("spawn", "--runtimes", "relic", text="no runtime 'relic'; known are", status=2)
    opencilk = {"runtime": "opencilk", "how_to_get": HOW_TO_GET}
    of_relic = ran("relic-kernels", "--runtimes", "relic", "--cases", "bc")
    assert of_relic["missing"] == [opencilk]
    of_spawn = ran("spawn", "--runtimes", "onetbb", "--cases", "fib")
    assert of_spawn["missing"] == [
        opencilk,
        {"runtime": "hpx", "how_to_get": "build it"},
        {"runtime": "icc-openmp", "how_to_get": "no longer available"},
    ]
    capsys.readouterr()
    assert lab("list", "--build", build.folder) == 0
    assert "not installed: no longer available" in capsys.readouterr().out
