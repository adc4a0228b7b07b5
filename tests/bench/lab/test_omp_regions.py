# SPDX-License-Identifier: Apache-2.0
"""omp-regions: what its processes are told, what is proved and checked, what comes out."""

import json
from typing import Any

import pytest
import runs
from conftest import Ran, Refused, WholeRun, changed
from fakes import CRASH, WRONG_RESULT, FakeBuild
from fakes_micro import DROP_IN_ALL
from runs import sampled

from finegrain_lab.experiments import omp_regions_programs
from finegrain_lab.experiments.omp_regions import ALL, BETTER, OMP_REGIONS, OWN, SHORT
from finegrain_lab.experiments.omp_regions_programs import (
    CASES,
    CONSTRUCTS,
    MODES,
    PROGRAMS,
    THREADS,
    VARIANTS,
    Variant,
)
from finegrain_lab.run.experiment import Plan, Request, Slot
from finegrain_lab.run.modes import Mode
from finegrain_lab.run.runtimes import load_build

pytestmark = pytest.mark.usefixtures("two_cpus")

WORK = {"batches": 2, "constructs": 400, "constructs_beyond": 50, "processes": 2}
SHORT_MODE = runs.short(MODES["quick"], **WORK)
NATIVE = ["intel-openmp", "gnu-openmp"]
OURS = ["finegrain-clang", "finegrain-gcc"]
SETTINGS = "$OMP_NUM_THREADS $OMP_PLACES $OMP_WAIT_POLICY $LD_PRELOAD $FINEGRAIN_OMP_ADAPT"


def plan_of(
    build: FakeBuild, names: list[str] | None, *cases: str, mode: Mode = SHORT_MODE, **asked: Any
) -> Plan:
    told = {"runtimes": names, "cases": cases or None, "cpus": (1, 0), **asked}
    return runs.plan_of(OMP_REGIONS, build, mode, **told)


def notes_of(build: FakeBuild, plan: Plan) -> dict[Slot, str]:
    """Returns what the programs saw of their environment."""
    for base in NATIVE:
        build.trouble_in(f"omp/omp-{base}", f'note="{SETTINGS}"')
    by_row = sampled(OMP_REGIONS, plan).samples.by_row
    return {slot: " ".join(by_round[0].note.split()) for slot, by_round in by_row.items()}


def test_a_whole_run(whole: WholeRun) -> None:
    result = whole("omp-regions").file
    rows = {(row["case"], row["runtime"], row["threads"]): row for row in result["results"]}
    everyone = [*NATIVE, *OURS]
    assert set(rows) == {
        *((case, name, threads) for case in CONSTRUCTS for name in everyone for threads in THREADS),
        *((case, name, 2) for case in PROGRAMS for name in everyone),
        *((case, "serial", 1) for case in PROGRAMS),
    }
    assert result["runtimes"] == ["serial", *everyone]
    assert set(result["cases"]) == set(CASES)
    served = rows["cg-48", "finegrain-gcc", 2]
    assert (served["ns"], served["loops"]) == (120e6, 10_000)
    assert served["over_own"] == pytest.approx(10)  # GNU's
    assert served["over_better"] == pytest.approx(2.5)  # Intel's
    assert served["over_serial"] == pytest.approx(1.25)
    alone = rows["cg-48", "gnu-openmp", 2]
    assert (alone["over_own"], alone["over_better"]) == (None, None)
    assert alone["over_serial"] == pytest.approx(0.125)
    assert rows["cg-48", "serial", 1]["over_serial"] is None
    construct = rows["single", "finegrain-clang", 8]
    assert (construct["ns"], construct["offloaded_share"]) == (100, 0.875)
    assert (construct["times_own"], construct["times_better"]) == (0.2, 0.2)
    assert construct["over_serial"] is None
    settings = result["settings"]
    assert settings["served"] == dict.fromkeys(OURS, 800)
    assert settings["environment"]["finegrain-gcc"] == {
        **settings["environment"]["gnu-openmp"],
        "LD_PRELOAD": DROP_IN_ALL,
    }


def test_means_are_of_programs_with_short_loops_and_of_all(whole: WholeRun) -> None:
    run = whole("omp-regions")
    means = {
        (it["runtime"], it["over"], it["programs"]): it for it in run.file["settings"]["means"]
    }
    long = [case for case in PROGRAMS if (CASES[case].size or 0) > 300]
    for name in OURS:
        assert means[name, BETTER, ALL]["count"] == len(PROGRAMS)
        assert means[name, BETTER, SHORT]["count"] == len(PROGRAMS) - len(long)
        assert means[name, BETTER, SHORT]["geomean"] == pytest.approx(2.5)
        assert means[name, "serial", ALL]["geomean"] == pytest.approx(1.25)
    assert means["finegrain-gcc", OWN, ALL]["geomean"] == pytest.approx(10)
    assert ("gnu-openmp", OWN, ALL) not in means
    assert means["gnu-openmp", "serial", ALL]["least"] == pytest.approx(0.125)
    said = " ".join(run.said.split())
    count = len(PROGRAMS) - len(long)
    mean = f"2.50 (2.50 to 2.50) on {count} programs (loops < 20 µs), the least 2.50 on cg-48"
    assert f"finegrain-gcc over the better runtime: {mean}" in said


def test_the_answers_are_in_the_tables(whole: WholeRun) -> None:
    said = " ".join(whole("omp-regions").said.split())
    assert "cg-48 15.0 30.0 120 12.0 12.0 cg-128" in said  # us a loop
    assert "8 threads, ns construct" in said
    assert "SINGLE 500 500 100 100 PARALLEL with a REDUCTION" in said
    # The fakes' floor is 150 ns.
    assert "2 threads, times the floor" in said
    assert "BARRIER 3.33 3.33 0.67 0.67 SINGLE" in said
    assert "2 threads, time over the better runtime's, paired construct" in said
    assert "BARRIER 0.20 0.20" in said


def test_the_processes_get_what_the_protocol_says(build: FakeBuild) -> None:
    plan = plan_of(build, ["finegrain-gcc"], "dynamic", "lu-320")
    sampled(OMP_REGIONS, plan)
    starts = build.starts()
    rest = "--cpus 1,0"
    counts = {
        f"omp/omp-serial --case lu --size 320 --batches 2 --threads 1 {rest}": 3,
        f"omp/omp-gnu-openmp --case lu --size 320 --batches 2 --threads 2 {rest}": 2 * 3,
        f"omp/omp-gnu-openmp --case dynamic-overhead --size 400 --batches 2 --threads 1 {rest}": 6,
        f"omp/omp-gnu-openmp --case dynamic-overhead --size 400 --batches 2 --threads 2 {rest}": 12,
        "omp/omp-gnu-openmp --case dynamic-overhead --size 50 --batches 2 --threads 8": 6,
        # The proof, of it and of GNU's alone.
        "omp/omp-gnu-openmp --case region-value-overhead --size 100 --batches 2 --threads 2 "
        f"{rest}": 2,
    }
    assert {line: starts.count(line) for line in counts} == counts


def test_ours_are_set_up_as_the_runtime_that_they_stand_for(build: FakeBuild) -> None:
    notes = notes_of(build, plan_of(build, None, "single", "cg-48"))
    loaded = f"{build.folder}/bench/{DROP_IN_ALL}"
    for name in (*NATIVE, *OURS):
        seen = {
            slot.fields["threads"]: note
            for slot, note in notes.items()
            if slot.runtime == name and slot.case == "single"
        }
        preloaded = f" {loaded}" if name in OURS else ""
        assert seen == {
            1: f"1 {{1}} active{preloaded}",
            2: f"2 {{1}},{{0}} active{preloaded}",
            4: f"4 {{1}},{{0}}{preloaded}",
            8: f"8 {{1}},{{0}}{preloaded}",
        }
    assert notes[Slot.of("cg-48", "serial", threads=1)] == ""


def test_a_variant_is_a_line_with_its_variables(
    build: FakeBuild, monkeypatch: pytest.MonkeyPatch
) -> None:
    variables = {"FINEGRAIN_OMP_ADAPT": "1"}
    adaptive = Variant("finegrain-gcc-adaptive", "gnu-openmp", is_ours=True, variables=variables)
    monkeypatch.setitem(VARIANTS, adaptive.name, adaptive)
    notes = notes_of(build, plan_of(build, [adaptive.name], "cg-48"))
    assert notes[Slot.of("cg-48", adaptive.name, threads=2)].endswith(f"{DROP_IN_ALL} 1")
    assert notes[Slot.of("cg-48", "gnu-openmp", threads=2)].endswith("active")


VERBOSE = 'if [ -n "$FINEGRAIN_OMP_VERBOSE" ] && [ -n "$LD_PRELOAD" ]; then {}; fi'


@pytest.mark.parametrize(
    ("commands", "reason"),
    [
        ("speaks=", "the drop-in was not loaded: ERROR: ld.so: object "),
        ("serves='policy x'", "the drop-in did not serve the regions, but said: took over 800"),
        ("served=199", "the drop-in served 199 implicit tasks of at least 200"),
        ("echo no >&2; exit 1", "exit status 1: no"),
    ],
)
def test_a_runtime_whose_regions_are_not_ours_gives_no_number(
    build: FakeBuild, commands: str, reason: str
) -> None:
    build.trouble_in("omp/omp-gnu-openmp", VERBOSE.format(commands))
    run = sampled(OMP_REGIONS, plan_of(build, ["finegrain-gcc"], "cg-48"))
    slot = Slot.of("cg-48", "finegrain-gcc", threads=2)
    assert run.samples.failed[slot].startswith(reason)
    assert list(run.samples.failed) == [slot]
    assert run.found == {"served": {}}


def test_a_runtime_alone_with_the_drop_in_in_it_gives_no_number(build: FakeBuild) -> None:
    build.trouble_in("omp/omp-gnu-openmp", "LD_PRELOAD=libfinegrain-omp-all.so")
    failed = sampled(OMP_REGIONS, plan_of(build, ["gnu-openmp"], "cg-48")).samples.failed
    assert failed[Slot.of("cg-48", "gnu-openmp", threads=2)] == (
        "has the drop-in in it, which says: regions are served without a runtime below"
    )


@pytest.mark.parametrize(
    ("case", "commands", "reason"),
    [
        ("cg-48", "case=lu", "answered with a sample of something else"),
        ("cg-48", "size=49", "answered with a sample of something else"),
        ("cg-48", "threads=3", "answered with a sample of something else"),
        ("cg-48", "batches=1", "gave other than 2 batches"),
        ("cg-48", "loops=0", "gave a time that no loop took"),
        ("cg-48", "took=0", "gave a time that no loop took"),
        # From the second process on: the first may be ahead of the others.
        ("cg-48", "[ -e $0.ran ] && loops=9999; : >$0.ran", "had 9999 loops, where others had"),
        ("cg-48", "share=0", "did 0% of the work on other threads"),
        ("for", "share=0.4", "did 40% of the work on other threads"),
    ],
)
def test_a_sample_that_was_not_asked_for_is_none(
    build: FakeBuild, case: str, commands: str, reason: str
) -> None:
    once = f'[ -n "$FINEGRAIN_OMP_VERBOSE" ] || {{ {commands}; }}'
    build.trouble_in("omp/omp-gnu-openmp", once)
    # With the serial program there is something that can be measured.
    failed = sampled(OMP_REGIONS, plan_of(build, ["gnu-openmp"], case, "cg-48")).samples.failed
    assert failed[Slot.of(case, "gnu-openmp", threads=2)].startswith(reason)


def test_one_thread_may_do_all_where_any_may(build: FakeBuild) -> None:
    build.trouble_in("omp/omp-gnu-openmp", "share=0")
    cases = ("single", "dynamic", "guided", "levels-160")
    run = sampled(OMP_REGIONS, plan_of(build, ["gnu-openmp"], *cases))
    assert run.samples.failed == {}


@pytest.mark.parametrize(
    ("program", "commands", "text"),
    [
        ("omp-serial", CRASH, "serial on cg-48 failed: exit status 1: boom"),
        (
            "omp-gnu-openmp",
            f'[ "$case" = cg ] && [ -n "$LD_PRELOAD" ] && {{ {WRONG_RESULT}; }}',
            "wrong result from finegrain-gcc on cg-48: wrong result of cg",
        ),
    ],
)
def test_what_ends_a_run_leaves_no_file(
    refused: Refused, build: FakeBuild, program: str, commands: str, text: str
) -> None:
    build.trouble_in(f"omp/{program}", commands)
    refused("omp-regions", "--cases", "cg-48", "--runtimes", "finegrain-gcc", text=text)


def test_a_failed_construct_says_on_how_many_threads(ran: Ran, build: FakeBuild) -> None:
    build.trouble_in("omp/omp-gnu-openmp", f'[ "$threads" = 8 ] && {{ {CRASH}; }}')
    result = ran("omp-regions", "--runtimes", "gnu-openmp", "--cases", "barrier", status=1)
    assert [it["case"] for it in result["failed"]] == ["barrier, 8 threads"]
    assert {row["threads"] for row in result["results"]} == {1, 2, 4}


@pytest.mark.parametrize(
    ("asked", "chosen"),
    [
        (["serial"], []),
        (["gnu-openmp"], ["gnu-openmp"]),
        (["finegrain-clang"], ["intel-openmp", "finegrain-clang"]),
        (None, [*NATIVE, *OURS]),
    ],
)
def test_what_is_chosen_has_its_own_runtime_and_serial_beside_it(
    build: FakeBuild, asked: list[str] | None, chosen: list[str]
) -> None:
    plan = plan_of(build, asked, "cg-48")
    assert list(plan.runtimes) == ["serial", *chosen]
    assert [slot.runtime for slot in plan.slots] == ["serial", *chosen]


def test_a_runtime_that_is_not_installed_is_refused_or_told(
    ran: Ran, refused: Refused, build: FakeBuild
) -> None:
    path = build.folder / "bench/runtimes.json"
    manifest = json.loads(path.read_text())
    for line in manifest["runtimes"]:
        if line["name"] == "intel-openmp":
            line |= {"executable": None, "how_to_get": "PyPI's intel-openmp"}
    path.write_text(json.dumps(manifest))
    text = "intel-openmp is not installed: PyPI's intel-openmp"
    refused("omp-regions", "--runtimes", "finegrain-clang", text=text)
    result = ran("omp-regions", "--cases", "cg-48")
    assert result["runtimes"] == ["serial", "gnu-openmp", "finegrain-gcc"]
    assert result["missing"][0]["runtime"] == "intel-openmp"


def test_without_a_drop_in_there_is_nothing_to_compare(refused: Refused, build: FakeBuild) -> None:
    path = build.folder / "bench/runtimes.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "drop_in_all": None}))
    refused("omp-regions", text="the build has no OpenMP drop-in")


def test_other_numbers_of_threads_take_part_in_fewer_rounds(build: FakeBuild) -> None:
    mode = runs.short(SHORT_MODE, others_every=4)
    plan = plan_of(build, ["gnu-openmp"], "single", "cg-48", mode=mode)
    rounds = {
        (slot.case, slot.threads): [at for at in range(6) if plan.takes_part(slot, at)]
        for slot in plan.slots
        if slot.runtime == "gnu-openmp"
    }
    every = [0, 1, 2, 3, 4, 5]
    assert rounds["single", 2] == rounds["cg-48", 2] == every
    assert rounds["single", 1] == rounds["single", 4] == rounds["single", 8] == [0, 1, 2, 4]


def test_one_of_many_experiments_has_the_constructs_on_two_threads(build: FakeBuild) -> None:
    request = Request(load_build(build.folder), SHORT_MODE, (1, 0), is_brief=True)
    slots = omp_regions_programs.plan(request).slots
    assert {slot.threads for slot in slots if slot.runtime != "serial"} == {2}
    assert {slot.case for slot in slots} == set(CASES)


def test_a_group_is_a_case_on_a_number_of_threads(build: FakeBuild) -> None:
    groups = plan_of(build, None, "single", "cg-48").groups
    everyone = [*NATIVE, *OURS]
    assert [[slot.runtime for slot in group] for group in groups] == [
        *[everyone] * len(THREADS),
        ["serial", *everyone],
    ]
    assert [{slot.threads for slot in group} for group in groups[:-1]] == [
        {threads} for threads in THREADS
    ]


def test_a_construct_below_the_clock_s_noise_has_no_ratio(whole: WholeRun) -> None:
    result = whole("omp-regions").result
    row = result.row(case="single", runtime="finegrain-gcc", threads=2)
    assert row.times_better == pytest.approx(0.2)
    without = changed(row, ns=-1.0, times_better=None, times_better_ci95=None)
    tables = OMP_REGIONS.sections(
        changed(result, rows=[without if it is row else it for it in result.rows])
    )[1].parts
    lines = [line for table in tables[1:] for line in table.lines if line[0] == "SINGLE"]
    assert any(line[-1] == "" for line in lines)
