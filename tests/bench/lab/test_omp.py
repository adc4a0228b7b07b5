# SPDX-License-Identifier: Apache-2.0
"""omp as a whole: who takes part, what the processes are told, what comes out."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from conftest import Ran, Refused, WholeRun
from fakes import CRASH, WRONG_RESULT, FakeBuild
from fakes_micro import DROP_IN
from omp_plans import (
    BASES,
    GNU,
    POLICIES,
    SERVED,
    measured,
    plan_of,
    rounds_of,
    with_mode,
)
from runs import sampled

from finegrain_lab.experiments.omp import OMP
from finegrain_lab.experiments.omp_programs import CASES, KERNELS
from finegrain_lab.run.errors import LabError
from finegrain_lab.run.experiment import Slot
from finegrain_lab.run.runtimes import load_build

pytestmark = pytest.mark.usefixtures("two_cpus")

OVERHEADS = ["region-overhead", "barrier-overhead"]
EVERYONE = [name for base in BASES for name in (base, *(f"{base}+finegrain:{p}" for p in POLICIES))]


def rows_of(result: Any) -> dict[tuple[str, str], Any]:
    return {(row["case"], row["runtime"]): row for row in result["results"]}


def test_a_whole_run(whole: WholeRun) -> None:
    result = whole("omp").file
    rows = rows_of(result)
    assert set(rows) == {(case, name) for case in CASES for name in EVERYONE} | {
        (case, "serial") for case in CASES if case not in OVERHEADS
    }
    assert result["runtimes"] == ["serial", *EVERYONE]
    assert result["missing"] == []
    gnu, served = rows["sort", GNU], rows["sort", SERVED]
    assert (gnu["base"], gnu["policy"], gnu["threads"]) == (GNU, None, 2)
    assert (served["base"], served["policy"], served["threads"]) == (GNU, "private_deque", 2)
    assert (gnu["ns"], served["ns"], rows["sort", "serial"]["ns"]) == (1200e6, 100e6, 150e6)
    assert (gnu["over_own"], gnu["times_own"], gnu["over_serial"]) == (None, None, 0.125)
    assert served["over_own"] == pytest.approx(12)
    assert served["times_own"] == pytest.approx(1 / 12)
    assert served["over_serial"] == pytest.approx(1.5)
    assert rows["sort", "serial"]["over_serial"] is None
    region = rows["region-overhead", SERVED]
    assert (region["ns"], region["times_own"], region["over_serial"]) == (600, 1.2, None)
    assert (region["tasks"], region["offloaded_share"]) == (0, 0.5)
    settings = result["settings"]
    assert (settings["bases"], settings["policies"]) == (BASES, POLICIES)
    assert (settings["threads"], settings["peers"]) == (2, "tuned")
    assert settings["sizes"]["nqueens"] == [12]
    assert settings["sizes"]["region-overhead"] == [7]  # the program's own
    assert settings["taken_over"].keys() == {name for name in EVERYONE if "+" in name}
    assert settings["taken_over"][SERVED] == {
        **{"policy": "private_deque", "library": "libgomp.so.1"},
        **{"implicit_tasks": 8, "tasks": 65670},
    }
    assert settings["environment"][SERVED] == {
        **settings["environment"][GNU],
        **{"LD_PRELOAD": DROP_IN, "FINEGRAIN_POLICY": "private_deque"},
    }
    assert "serial" not in settings["environment"]


def test_the_answers_are_in_the_tables(whole: WholeRun) -> None:
    run = whole("omp")
    output = " ".join(run.said.split())
    over = "12.00 (12.00 to 12.00) over the 5 task kernels, the least 12.00 on fib-nocutoff"
    assert f"{SERVED} over gnu-openmp: {over}" in output
    summary = "chase_lev intel-openmp 1.50 1.50 to 1.50 1.50 fib-nocutoff"
    assert f" llvm-openmp {summary} intel-openmp private_deque " in output
    assert f" intel-openmp {summary} time, ms" in output
    tables = re.split("─+ ", output)[2:]
    (kernels, loops), overhead, over_own, times_own = tables[:2], *tables[2:5]
    for time, count in ((kernels, 5), (loops, 2)):
        alone, served = (f"{ms} " * count for ms in (1200, 100))
        assert f"serial {'150 ' * count}gnu-openmp alone {alone}gnu-openmp" in time
        assert f"gnu-openmp private_deque {served}gnu-openmp" in time
    assert "gnu-openmp alone 500 500 gnu-openmp private_deque 600 600 " in overhead
    chase_lev = f"gnu-openmp chase_lev {'6.00 ' * 5}llvm-openmp"
    assert f"gnu-openmp private_deque {'12.00 ' * 5}{chase_lev}" in over_own
    assert "private_deque 0.083 0.083 1.200 1.200 gnu-openmp chase_lev 0.167 " in times_own
    for over_serial, count in zip(tables[5:], (5, 2), strict=True):
        served = f"intel-openmp private_deque {'1.50 ' * count}"
        assert f"intel-openmp alone {'0.500 ' * count}{served}" in over_serial
    assert "over LLVM OpenMP, at best: the paper twice as fast (abstract); here " in output
    page = run.page
    assert "<td>12.00<small>12.00\N{EN DASH}12.00</small></td>" in page
    assert "<td>1.200<small>1.200\N{EN DASH}1.200</small></td>" in page
    assert page.count(">libiomp5.so<") == len(POLICIES)


def test_the_processes_get_what_the_protocol_says(build: FakeBuild) -> None:
    cases = ("fib-nocutoff", "uts-T1", "coarse-100us", "barrier-overhead")
    run = sampled(OMP, plan_of(build, [GNU], *cases))
    starts = build.starts()
    steps = f"--spin-steps-per-us {run.found['spin_steps_per_us']!r}"
    two, one = "--threads 2 --cpus 1,0", "--threads 1 --cpus 1,0"
    expected = [
        f"omp/omp-serial --case fib-nocutoff --size 30 --batches 2 {one}",
        f"omp/omp-gnu-openmp --case fib-nocutoff --size 30 --batches 2 {two}",
        f"omp/omp-gnu-openmp --case uts-T1 --batches 2 {two}",
        f"omp/omp-gnu-openmp --case coarse-100us --size 2000 --batches 3 {two} {steps}",
        f"omp/omp-gnu-openmp --case barrier-overhead --batches 3 {two}",
    ]
    assert [starts.count(command) for command in expected] == [3, 3, 3, 3, 3 * 2]
    probe = f"omp/omp-gnu-openmp --case fib-nocutoff --size 20 --batches 1 {two}"
    assert starts.count(probe) == 1
    # And serial twice more, the floor four times a round, the policies and the proof once.
    assert len(starts) == 3 * (len(expected) + 1 + 2 + 4) + 1 + 1


def test_an_overhead_is_the_median_over_all_processes_of_a_round(build: FakeBuild) -> None:
    count = build.folder / "count"
    build.trouble_in(
        "omp/omp-gnu-openmp",
        f'[ "$size" = 20 ] || {{ echo >>"{count}"; took=$(wc -l <"{count}"); }}',
    )
    rounds = measured(plan_of(build, [GNU], "barrier-overhead")).by_row[
        Slot("barrier-overhead", GNU)
    ]
    assert [len(sample.ns) for sample in rounds.values()] == [2 * 3] * 3
    first, second = (set(rounds[0].ns[at : at + 3]) for at in (0, 3))
    assert first.isdisjoint(second)


def test_the_drop_in_is_where_it_is_asked_for_and_nowhere_else(
    build: FakeBuild, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LD_PRELOAD", "")
    monkeypatch.setenv("FINEGRAIN_POLICY", "chase_lev")
    monkeypatch.setenv("FINEGRAIN_OMP", "off")
    note = '"$LD_PRELOAD $FINEGRAIN_POLICY $FINEGRAIN_OMP $FINEGRAIN_OMP_VERBOSE $OMP_STACKSIZE"'
    build.trouble_in("omp/omp-gnu-openmp", f"note={note}; places=$OMP_PLACES$OMP_NUM_THREADS")
    samples = measured(plan_of(build, [SERVED], "fib-nocutoff", "uts-T1"))
    notes = {
        slot: {" ".join(sample.note.split()) for sample in rounds.values()}
        for slot, rounds in samples.by_row.items()
        if slot.runtime != "serial"
    }
    loaded = f"{build.folder}/bench/{DROP_IN} private_deque"
    assert notes == {
        Slot("fib-nocutoff", GNU): {""},
        Slot("fib-nocutoff", SERVED): {loaded},
        Slot("uts-T1", GNU): {"96M"},
        Slot("uts-T1", SERVED): {f"{loaded} 96M"},
    }


@pytest.mark.parametrize("peers", ["tuned", "default"])
def test_a_runtime_is_set_up_alike_alone_and_below_the_drop_in(
    ran: Ran, build: FakeBuild, peers: str
) -> None:
    names = ("OMP_NUM_THREADS", "OMP_PLACES", "OMP_PROC_BIND", "OMP_WAIT_POLICY", "KMP_BLOCKTIME")
    said = " ".join(f"${name}" for name in names)
    build.trouble_in("omp/omp-intel-openmp", f'note="{said}"')
    name = "intel-openmp+finegrain"
    result = ran("omp", "--runtimes", name, "--cases", "sort", "--peers", peers)
    tuned = ["2 {0},{1} close active infinite"]
    notes = result["notes"]
    assert notes["intel-openmp"] == notes[f"{name}:private_deque"]
    assert notes["intel-openmp"] == (tuned if peers == "tuned" else ["2 {0},{1}   "])
    assert result["settings"]["peers"] == peers


@pytest.mark.parametrize(
    ("asked", "chosen"),
    [
        ("serial", []),
        ("llvm-openmp", ["llvm-openmp"]),
        ("gnu-openmp+finegrain", [GNU, SERVED]),
        (
            "intel-openmp+finegrain:chase_lev,gnu-openmp",
            [GNU, "intel-openmp", "intel-openmp+finegrain:chase_lev"],
        ),
    ],
)
def test_what_is_chosen_has_its_own_runtime_and_serial_beside_it(
    ran: Ran, asked: str, chosen: list[str]
) -> None:
    result = ran("omp", "--runtimes", asked, "--cases", "sort")
    assert result["runtimes"] == ["serial", *chosen]
    assert [row["runtime"] for row in result["results"]] == ["serial", *chosen]
    assert result["settings"]["summary"] == []  # not all kernels
    assert result["settings"]["default_policy"] == "private_deque"


def test_a_case_that_nobody_ran_has_an_empty_figure(ran: Ran, build: FakeBuild) -> None:
    build.trouble_in("omp/omp-gnu-openmp", CRASH)
    result = ran("omp", "--runtimes", GNU, "--cases", "sort,barrier-overhead", status=1)
    assert [row["runtime"] for row in result["results"]] == ["serial"]
    assert len(result["failed"]) == 2


@pytest.mark.parametrize(
    ("names", "text"),
    [
        ("onetbb", "no runtime 'onetbb'; known are serial, gnu-openmp, gnu-openmp+finegrain:"),
        ("gnu-openmp+finegrain:none", "no runtime 'gnu-openmp+finegrain:none'"),
        ("serial+finegrain", "no runtime 'serial+finegrain:private_deque'"),
    ],
)
def test_a_runtime_that_there_is_not_is_refused(refused: Refused, names: str, text: str) -> None:
    refused("omp", "--runtimes", names, text=text, status=2)


def change_manifest(build: FakeBuild, **changes: Any) -> None:
    path = build.folder / "bench/runtimes.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | changes))


def test_a_runtime_that_is_not_installed_is_refused_or_told(
    ran: Ran, refused: Refused, build: FakeBuild
) -> None:
    runtimes = json.loads((build.folder / "bench/runtimes.json").read_text())["runtimes"]
    gone = {
        **{"name": "llvm-openmp", "programs": ["relic-kernels", "spawn"]},
        **{"executable": None, "how_to_get": "libomp-19-dev"},
    }
    others = [line for line in runtimes if line["name"] != "llvm-openmp"]
    change_manifest(build, runtimes=[*others, gone])
    text = "llvm-openmp is not installed: libomp-19-dev"
    refused("omp", "--runtimes", "llvm-openmp+finegrain:chase_lev", text=text)
    result = ran("omp", "--cases", "sort")
    assert result["missing"] == [{"runtime": "llvm-openmp", "how_to_get": "libomp-19-dev"}]
    assert not any("llvm" in name for name in result["runtimes"])


def test_without_a_drop_in_there_is_nothing_to_compare(refused: Refused, build: FakeBuild) -> None:
    change_manifest(build, drop_in=None)
    refused("omp", text="the build has no OpenMP drop-in")


def test_a_path_that_ld_preload_would_cut_is_refused(build: FakeBuild) -> None:
    folder = build.folder.rename(build.folder.with_name("a build"))
    with pytest.raises(LabError, match="LD_PRELOAD cannot hold a path with a blank"):
        load_build(folder).drop_in()


def test_other_policies_take_part_in_fewer_rounds_unless_they_are_asked_for(
    build: FakeBuild,
) -> None:
    work = {**with_mode().work, "policies_every": 4}
    mode = with_mode(work=work, min_rounds=6, max_rounds=6)
    other = "gnu-openmp+finegrain:chase_lev"
    found = rounds_of(plan_of(build, None, "sort", mode=mode))
    rounds = {slot.runtime: them for slot, them in found.items()}
    assert rounds[GNU] == rounds[SERVED] == rounds["serial"] == [0, 1, 2, 3, 4, 5]
    assert rounds[other] == [0, 1, 2, 4]
    asked = rounds_of(plan_of(build, [other], "sort", mode=mode))
    assert asked[Slot("sort", other)] == [0, 1, 2, 3, 4, 5]


def test_a_group_is_a_case_and_a_runtime(build: FakeBuild) -> None:
    plan = plan_of(build, None, "sort", "barrier-overhead")
    groups = [[slot.runtime for slot in group] for group in plan.groups]
    own = [[base, *(f"{base}+finegrain:{policy}" for policy in POLICIES)] for base in BASES]
    assert groups == [["serial", *own[0]], *own[1:], *own]


def test_a_full_run_ends_when_the_default_policy_s_speed_ups_are_sure(build: FakeBuild) -> None:
    steady = with_mode(min_rounds=2, max_rounds=6, converged_rounds=4, converged_half_width=0.01)
    plan = plan_of(build, [SERVED], "sort", "region-overhead", mode=steady)
    assert rounds_of(plan)[Slot("sort", SERVED)] == [0, 1, 2, 3]
    every_other = f"[ -e {build.folder}/at ] && rm {build.folder}/at || : >{build.folder}/at"
    moving = f"{every_other}; [ -e {build.folder}/at ] || took=200000000"
    sort = '[ "$case" = sort ] && [ -n "$LD_PRELOAD" ]'
    build.trouble_in("omp/omp-gnu-openmp", f"if {sort}; then {moving}; fi")
    assert rounds_of(plan)[Slot("sort", SERVED)] == [0, 1, 2, 3, 4, 5]


def test_a_runtime_that_fails_alone_leaves_the_drop_in_without_a_ratio(
    ran: Ran, build: FakeBuild, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    crash = f'[ "$case$LD_PRELOAD" = sort ] && {{ {CRASH}; }}'
    build.trouble_in("omp/omp-gnu-openmp", crash)
    result = ran("omp", "--runtimes", "gnu-openmp+finegrain", status=1)
    assert result["failed"] == [
        {"runtime": GNU, "case": "sort", "reason": "exit status 1: boom"},
    ]
    rows = rows_of(result)
    assert rows["sort", SERVED]["over_own"] is None
    assert rows["sort", SERVED]["over_serial"] == pytest.approx(1.5)
    assert rows["nqueens", SERVED]["over_own"] == pytest.approx(12)
    assert ("sort", GNU) not in rows
    assert result["settings"]["summary"] == []
    assert "gnu-openmp: failed on sort: exit status 1: boom" in capsys.readouterr().out
    assert 'class="failed"' in (tmp_path / "out/omp.html").read_text()


@pytest.mark.parametrize(
    ("program", "commands", "text"),
    [
        ("omp-serial", CRASH, "serial on sort failed: exit status 1: boom"),
        (
            "omp-gnu-openmp",
            f'[ "$size" = 20 ] && {{ {WRONG_RESULT}; }}',
            "wrong result from gnu-openmp: wrong result of fib-nocutoff",
        ),
        (
            "omp-gnu-openmp",
            f'[ "$case" = sort ] && [ -n "$LD_PRELOAD" ] && {{ {WRONG_RESULT}; }}',
            f"wrong result from {SERVED} on sort: wrong result of sort",
        ),
    ],
)
def test_what_ends_a_run_leaves_no_file(
    refused: Refused, build: FakeBuild, program: str, commands: str, text: str
) -> None:
    build.trouble_in(f"omp/{program}", commands)
    refused("omp", "--cases", "sort", "--runtimes", "gnu-openmp+finegrain", text=text)


@pytest.mark.parametrize(
    ("case", "commands", "reason"),
    [
        ("sort", "share=0", "ran 0% of the tasks on other threads than the one with most"),
        ("barrier-overhead", "share=0", "ran 0% of the tasks on other threads"),
        ("sort", "batches=1", "gave other than 2 batches"),
        ("sort", "size=9", "answered with a sample of something else"),
        ("sort", "case=nqueens", "answered with a sample of something else"),
        ("sort", "threads=3", "answered with a sample of something else"),
        ("sort", "took=0", "gave a time that no task took"),
        ("sort", "tasks=0", "gave a time that no task took"),
        ("barrier-overhead", "share=1.5", "printed no valid sample: 0 tasks, 1.5 elsewhere"),
        ("sort", CRASH, "exit status 1: boom"),
    ],
)
def test_half_a_sample_is_a_failure(
    build: FakeBuild, case: str, commands: str, reason: str
) -> None:
    other = "nqueens"  # which is as it should be
    trouble = f'[ "$size" = 20 ] || [ "$case" = {other} ] || {{ {commands}; }}'
    build.trouble_in("omp/omp-intel-openmp", trouble)
    samples = measured(plan_of(build, ["intel-openmp"], case, other))
    assert list(samples.failed) == [Slot(case, "intel-openmp")]
    assert samples.failed[Slot(case, "intel-openmp")].startswith(reason)


def test_other_work_than_the_others_did_is_a_failure(build: FakeBuild) -> None:
    build.trouble_in("omp/omp-intel-openmp", '[ "$size" = 20 ] || tasks=21891')
    samples = measured(plan_of(build, [GNU, "intel-openmp"], "sort", "nqueens"))
    reason = "made 21891 tasks, where others made 21890"
    failed = dict.fromkeys(("sort", "nqueens"), reason)
    assert {slot.case: why for slot, why in samples.failed.items()} == failed
    assert {slot.runtime for slot in samples.failed} == {"intel-openmp"}


def test_an_overhead_may_be_below_zero(build: FakeBuild) -> None:
    build.trouble_in("omp/omp-intel-openmp", '[ "$size" = 20 ] || took=-3.5')
    samples = measured(plan_of(build, ["intel-openmp"], "region-overhead"))
    assert samples.failed == {}
    slot = Slot("region-overhead", "intel-openmp")
    assert list(samples.values(slot, "ns").values()) == [-3.5] * 3


def test_a_thread_on_another_cpu_is_told(
    ran: Ran, build: FakeBuild, capsys: pytest.CaptureFixture[str]
) -> None:
    build.trouble_in("omp/omp-gnu-openmp", "cpus=0,6")
    ran("omp", "--runtimes", GNU, "--cases", "sort")
    assert "gnu-openmp: was seen on a CPU that is not its own: [6]" in capsys.readouterr().out


def test_the_five_kernels_are_those_of_the_mean() -> None:
    assert KERNELS == ["fib-nocutoff", "nqueens", "sort", "sparselu", "uts-T1"]
