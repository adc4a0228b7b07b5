# SPDX-License-Identifier: Apache-2.0
"""The drop-in's rows in the experiments over tasks: set-up, proof, names (omp has its own)."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from conftest import Ran, Refused
from fakes import CRASH, WRONG_RESULT, FakeBuild
from fakes_micro import DROP_IN
from test_tasking import OPENMP_PEERS, POOLS

from finegrain_lab.run import allocators
from finegrain_lab.show.plots import COLOURS, colour, line_styles

pytestmark = pytest.mark.usefixtures("two_cpus")

GNU, SERVED = "gnu-openmp", "gnu-openmp+finegrain:private_deque"
FIB = ("--cases", "fib")
BOTH = ("--runtimes", f"{GNU},{SERVED}")


def change_manifest(build: FakeBuild, **changes: Any) -> None:
    path = build.folder / "bench/runtimes.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | changes))


def test_a_row_with_the_drop_in_is_beside_that_of_its_runtime(
    ran: Ran, build: FakeBuild, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    result = ran("spawn", *BOTH, *FIB)
    assert result["runtimes"] == ["serial", "ceiling", POOLS[0], GNU, SERVED]
    rows = {(row["runtime"], row["threads"]): row for row in result["results"]}
    assert (rows[GNU, 1]["ns"], rows[SERVED, 1]["ns"]) == (40.0, 9.0)
    assert rows[SERVED, 2]["of_reference"] == pytest.approx(4.5 / 1.56)
    settings = result["settings"]
    assert settings["taken_over"] == {
        SERVED: {
            **{"policy": "private_deque", "library": "libgomp.so.1"},
            **{"implicit_tasks": 8, "tasks": 4038804},
        }
    }
    loaded = {"LD_PRELOAD": DROP_IN, "FINEGRAIN_POLICY": "private_deque"}
    assert settings["environment"][SERVED] == settings["environment"][GNU] | loaded
    assert str(build.folder) not in json.dumps(result)
    output = " ".join(capsys.readouterr().out.split())
    assert re.search(r"gnu-openmp 40\.0 gnu-openmp\+finegrain 9\.00 ", output)
    assert "proved ahead: each process with the drop-in said that it runs the policy" in output
    assert f"{SERVED}: gnu-openmp's program as it is, its tasks on the drop-in's" in output
    assert "<td>gnu-openmp+finegrain</td>" in (tmp_path / "out/spawn.html").read_text()


def test_only_its_own_processes_have_it(ran: Ran, build: FakeBuild) -> None:
    seen = build.folder / "variables"
    told = 'echo "$mode $LD_PRELOAD $FINEGRAIN_POLICY $FINEGRAIN_OMP_VERBOSE $OMP_PLACES"'
    build.trouble_in("spawn/spawn-gnu-openmp", f'{told} >>"{seen}"')
    ran("spawn", *BOTH, *FIB)
    loaded = f"{build.folder}/bench/{DROP_IN} private_deque"
    lines = [" ".join(line.split()) for line in seen.read_text().splitlines()]
    assert lines.count(f"fib {loaded} 1 {{0}},{{1}}") == 1  # the proof
    assert lines.count(f"fib {loaded} {{0}},{{1}}") == 3
    assert lines.count("fib {0},{1}") == 3
    assert len(lines) == 1 + 2 * 2 * 3


def test_its_threads_have_deep_stacks_where_its_runtime_s_have(ran: Ran, build: FakeBuild) -> None:
    build.trouble_in("spawn/spawn-gnu-openmp", '[ "$mode" = fib ] || note="$OMP_STACKSIZE"')
    result = ran("uts", *BOTH, "--cases", "T1")
    assert result["notes"][GNU] == ["96M"]
    assert result["notes"][SERVED][1:] == ["96M"]
    told = "OMP_STACKSIZE=96M"
    assert result["settings"]["beside"]["T1"] == {GNU: told, SERVED: told}


def test_both_libraries_are_loaded_where_another_malloc_is_asked_for(
    ran: Ran, build: FakeBuild, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(allocators, "_can_load", lambda _library: True)
    seen = build.folder / "preloads"
    build.trouble_in("spawn/spawn-gnu-openmp", f'echo "$LD_PRELOAD" >>"{seen}"')
    result = ran("spawn", *BOTH, *FIB, "--allocator", "tcmalloc")
    assert result["failed"] == []
    tcmalloc = allocators.Allocator.TCMALLOC.variables["LD_PRELOAD"]
    own = f"{build.folder}/bench/{DROP_IN}"
    assert set(seen.read_text().split()) == {tcmalloc, f"{own}:{tcmalloc}"}


@pytest.mark.parametrize(
    ("commands", "reason"),
    [
        ("speaks=", "the drop-in was not loaded"),
        ("ran=chase_lev", "the drop-in ran the policy chase_lev"),
        ("below=libomp.so.5", "the drop-in found libomp.so.5 below it, not libgomp"),
        ("taken=2692535", "the drop-in took over 2692535 tasks of at least 2692536"),
        ('runtime=""', "answered with a sample of something else"),
        (CRASH, "exit status 1: boom"),
    ],
)
def test_what_the_drop_in_does_not_serve_gives_no_number(
    ran: Ran, build: FakeBuild, commands: str, reason: str
) -> None:
    trouble = f'if [ -n "$FINEGRAIN_OMP_VERBOSE" ]; then {commands}; fi'
    body = build.folder / "bench/spawn/spawn-gnu-openmp"
    if commands.startswith("runtime="):  # which the script sets behind the file
        body.write_text(body.read_text().replace("share=", f"{trouble}; share=", 1))
    else:
        build.trouble_in("spawn/spawn-gnu-openmp", trouble)
    result = ran("spawn", *BOTH, *FIB, status=1)
    failed = [(line["runtime"], line["case"]) for line in result["failed"]]
    assert failed == [(SERVED, "fib, 1 thread"), (SERVED, "fib, 2 threads")]
    assert all(line["reason"].startswith(reason) for line in result["failed"])
    assert not any(row["runtime"] == SERVED for row in result["results"])
    assert any(row["runtime"] == GNU for row in result["results"])
    assert result["settings"]["taken_over"] == {}


def test_a_wrong_result_in_the_proof_ends_the_run(refused: Refused, build: FakeBuild) -> None:
    trouble = f'[ -z "$FINEGRAIN_OMP_VERBOSE" ] || {{ case=fib; {WRONG_RESULT}; }}'
    build.trouble_in("spawn/spawn-gnu-openmp", trouble)
    refused("spawn", *BOTH, *FIB, text=f"wrong result from {SERVED}: wrong result of fib")


def test_a_name_without_a_policy_is_the_default_one(ran: Ran) -> None:
    result = ran("spawn", "--runtimes", "intel-openmp+finegrain", *FIB)
    served = "intel-openmp+finegrain:private_deque"
    assert result["runtimes"] == ["serial", "ceiling", POOLS[0], served]


def test_names_that_there_are_not_are_refused(refused: Refused) -> None:
    for name in ("gnu-openmp+finegrain:chase_lev", "onetbb+finegrain", "serial+finegrain"):
        refused("spawn", "--runtimes", name, text=f"there is no runtime '{name}", status=2)
    text = "opencilk is not installed"
    refused("spawn", "--runtimes", "opencilk+finegrain", text=text)


def test_a_build_without_the_drop_in_has_no_such_rows(
    ran: Ran, refused: Refused, build: FakeBuild
) -> None:
    change_manifest(build, drop_in=None)
    refused("spawn", "--runtimes", SERVED, text="the build has no OpenMP drop-in")
    result = ran("spawn", *FIB)
    assert set(OPENMP_PEERS) & set(result["runtimes"]) == {*OPENMP_PEERS[::2]}
    assert result["settings"]["taken_over"] == {}


def test_it_has_the_colour_of_its_runtime_and_another_line() -> None:
    assert colour(GNU) == colour(SERVED) == COLOURS[GNU]
    (_, alone), (_, served) = line_styles([GNU, SERVED])
    assert (alone["label"], served["label"]) == (GNU, "gnu-openmp+finegrain")
    assert alone["linestyle"] != served["linestyle"]
    assert alone["marker"] != served["marker"]
    (_, pool), _ = line_styles(["pool-xqueue_nowait:2", GNU])
    assert pool["label"] == "pool-xqueue_nowait:2"
