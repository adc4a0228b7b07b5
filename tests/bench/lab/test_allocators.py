# SPDX-License-Identifier: Apache-2.0
"""--allocator: whose malloc the programs call, and that they do."""

import subprocess

import pytest
from conftest import Ran, Refused
from fakes import FakeBuild

from finegrain_lab.run import allocators
from finegrain_lab.run.allocators import Allocator

pytestmark = pytest.mark.usefixtures("two_cpus")


@pytest.fixture
def all_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(allocators, "_can_load", lambda _library: True)


@pytest.mark.usefixtures("all_installed")
@pytest.mark.parametrize("name", ["tcmalloc", "jemalloc", "mimalloc"])
def test_every_process_is_told_to_call_it(
    ran: Ran, build: FakeBuild, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    seen = build.folder / "preloads"
    for program in ("spawn-serial", "spawn-pool", "spawn-onetbb"):
        build.trouble_in(f"spawn/{program}", f'[ -n "$list" ] || echo "$LD_PRELOAD" >>"{seen}"')
    words = ("--runtimes", "onetbb", "--cases", "0", "--allocator", name)
    result = ran("spawn-homogeneous", *words)
    assert result["failed"] == []
    assert result["settings"]["allocator"] == name
    assert set(seen.read_text().split()) == {Allocator(name).variables["LD_PRELOAD"]}
    assert f", malloc of {name}" in " ".join(capsys.readouterr().out.split())


def test_nothing_is_said_of_the_usual_one(ran: Ran, capsys: pytest.CaptureFixture[str]) -> None:
    result = ran("spawn-homogeneous", "--runtimes", "onetbb", "--cases", "0")
    assert result["settings"]["allocator"] == "glibc"
    assert "malloc" not in capsys.readouterr().out


def test_one_that_is_not_installed_is_refused(
    refused: Refused, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(allocators, "_can_load", lambda _library: False)
    text = "jemalloc is not installed: no libjemalloc.so.2 (Debian: libjemalloc2)"
    refused("spawn-homogeneous", "--allocator", "jemalloc", text=text)


@pytest.mark.usefixtures("all_installed")
def test_a_process_that_calls_another_one_is_a_failure(ran: Ran, build: FakeBuild) -> None:
    build.trouble_in("spawn/spawn-onetbb", "allocator=glibc")
    words = ("--runtimes", "onetbb", "--cases", "0", "--allocator", "mimalloc")
    result = ran("spawn-homogeneous", *words, status=1)
    assert {line["reason"] for line in result["failed"]} == {
        "called glibc's malloc, not mimalloc's",
    }


def test_a_library_that_there_is_not_can_not_be_loaded() -> None:
    assert not allocators._can_load("libnobody-has-this.so.9")
    done = subprocess.run(["ldconfig", "-p"], capture_output=True, text=True, check=False)
    if "libm.so.6" in done.stdout:
        assert allocators._can_load("libm.so.6")
