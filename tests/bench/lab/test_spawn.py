# SPDX-License-Identifier: Apache-2.0
"""spawn as a whole: threads, who takes part, and every way to fail."""

import dataclasses
import re
from pathlib import Path

import pytest
from conftest import Ran, Refused, WholeRun
from fakes import CRASH, HOW_TO_GET, WRONG_RESULT, FakeBuild
from fakes_micro import SPAWN_CENTI_NS, SPAWN_SERVED_CENTI_NS
from runs import sampled
from test_tasking import PEERS, POOLS, plan_of, rounds_of

from finegrain_lab.experiments.flat import FlatCase
from finegrain_lab.experiments.queue_size import QueueCase
from finegrain_lab.experiments.spawn import SPAWN
from finegrain_lab.experiments.spawning import REFERENCE, Case
from finegrain_lab.run.threads import thread_counts

pytestmark = pytest.mark.usefixtures("two_cpus")


def test_a_whole_run(whole: WholeRun) -> None:
    run = whole("spawn")
    result = run.file
    everything = {(row["case"], row["runtime"], row["threads"]): row for row in result["results"]}
    assert set(everything) == {
        (case, *who)
        for case in ("fib", "tree", "flat")
        for who in (
            *(("serial", 1), ("ceiling", 2)),
            *((name, threads) for name in POOLS + PEERS for threads in (1, 2)),
        )
    }
    for row in everything.values():
        assert row.keys() == {
            *("case", "runtime", "threads", "ns", "ns_ci95", "value", "value_ci95"),
            *("of_reference", "of_reference_ci95", "speedup", "speedup_ci95", "of_ceiling"),
            *("of_ceiling_ci95", "offloaded_share", "tasks", "tasks_by_thread", "samples"),
        }
    rows = {
        (runtime, threads): row
        for (case, runtime, threads), row in everything.items()
        if case == "fib"
    }
    for name in (*POOLS, *PEERS, "serial"):
        centi = SPAWN_SERVED_CENTI_NS if "+finegrain" in name else SPAWN_CENTI_NS[name]
        assert rows[name, 1]["ns"] == pytest.approx(centi / 100)
    pool = rows["pool-private_deque", 2]
    assert (pool["ns"], pool["tasks"]) == (pytest.approx(1.56), [1346268])
    assert pool["value"] == pool["ns"]
    assert pool["speedup"] == pytest.approx(3 / 1.56)
    assert pool["of_ceiling"] == pytest.approx(3 / 1.56 / 2)
    assert pool["offloaded_share"] == 0.5
    assert pool["tasks_by_thread"] == [[740448, 605820]] * 3  # a process a round
    assert rows["gnu-openmp", 2]["of_reference"] == pytest.approx(20 / 1.56)
    assert rows["ceiling", 2]["ns"] == pytest.approx(0.75)
    assert rows["ceiling", 2]["tasks_by_thread"] is None
    settings = result["settings"]
    assert (settings["threads"], settings["cpus"], settings["peers"]) == ([1, 2], [0, 1], "tuned")
    assert settings["environment"]["gnu-openmp"]["OMP_NUM_THREADS"] == "2"
    assert result["runtimes"] == ["serial", "ceiling", *POOLS, *PEERS]
    assert result["missing"] == [{"runtime": "opencilk", "how_to_get": HOW_TO_GET}]
    page = run.page
    assert page.count("<td>45.0 to 55.0 %</td>") == 3 * len(POOLS + PEERS)  # on two threads


def test_the_answer_is_in_the_tables(whole: WholeRun) -> None:
    output = " ".join(whole("spawn").said.split())
    line = "pool-private_deque on 2 threads: 1.56 ns per spawn (1.56 to 1.56), 0.962 of the ceiling"
    assert all(f"{case}: {line}" in output for case in ("fib", "tree", "flat"))
    two, one, times, speedup = output.split("runtime fib tree flat ")[1:]
    assert "serial 1.50 1.50 1.50 ceiling 0.750 0.750 0.750 pool-private_deque 1.56 " in two
    assert "serial 1.50 1.50 1.50 pool-private_deque 3.00 " in one
    assert "gnu-openmp 40.0 40.0 40.0 " in one
    assert "gnu-openmp 12.82 12.82 12.82 " in times
    assert "ceiling 2.00 1.00 2.00 1.00 2.00 1.00 pool-private_deque 1.92 0.96 " in speedup
    assert f"opencilk: not installed: {HOW_TO_GET}" in output


def test_the_processes_get_what_the_protocol_says(build: FakeBuild) -> None:
    sampled(SPAWN, plan_of(build, SPAWN, ["gnu-openmp"], "fib", cpus=(3, 1, 0, 2)))
    starts = build.starts()
    rest = "--batches 3 --batch-ms 7 fib"
    pool = "--batches 3 --batch-ms 7 --policy private_deque fib"
    expected = [
        f"spawn/spawn-serial --threads 1 --cpus 3,1 {rest}",
        f"spawn/spawn-serial --threads 2 --cpus 3,1 {rest}",
        f"spawn/spawn-serial --threads 4 --cpus 3,1,0,2 {rest}",
        f"spawn/spawn-pool --threads 1 --cpus 3,1 {pool}",
        f"spawn/spawn-pool --threads 2 --cpus 3,1 {pool}",
        f"spawn/spawn-pool --threads 4 --cpus 3,1,0,2 {pool}",
        f"spawn/spawn-gnu-openmp --threads 4 --cpus 3,1,0,2 {rest}",
    ]
    assert [starts.count(command) for command in expected] == [3] * len(expected)
    # And gnu-openmp on 1 and 2, the floor four times a round, and the pool's list once.
    assert len(starts) == 3 * (9 + 4) + 1


def test_a_peer_has_a_place_for_each_thread_and_no_more(build: FakeBuild) -> None:
    build.trouble_in("spawn/spawn-gnu-openmp", 'note="$OMP_NUM_THREADS $OMP_PLACES"')
    run = sampled(SPAWN, plan_of(build, SPAWN, ["gnu-openmp"], "tree", cpus=(0, 1)))
    notes = {
        row.threads: {sample.note for sample in rounds.values()}
        for row, rounds in run.samples.by_row.items()
        if row.runtime == "gnu-openmp"
    }
    assert notes == {1: {"1 {0}"}, 2: {"2 {0},{1}"}}


def test_the_threads_double_and_end_with_all() -> None:
    assert [thread_counts(cpus) for cpus in (1, 2, 3, 4, 6, 16)] == [
        *([1], [1, 2], [1, 2, 3], [1, 2, 4], [1, 2, 4, 6], [1, 2, 4, 8, 16]),
    ]


def test_asked_numbers_of_threads_begin_with_one_and_take_no_more_cpus(
    ran: Ran, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("os.sched_getaffinity", lambda _pid: {4, 5, 6, 7})
    settings = ran("spawn", "--threads", "3,2")["settings"]
    assert (settings["cpus"], settings["threads"]) == ([4, 5, 6], [1, 2, 3])
    assert ran("sync", "--threads", "8")["settings"]["threads"] == [1, 8]


def test_wrong_numbers_of_threads_are_refused(
    refused: Refused, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("os.sched_getaffinity", lambda _pid: {4, 5, 6, 7})
    text = "--threads asks for 5, and here are CPUs for 4"
    refused("spawn", "--threads", "5", text=text, status=2)
    refused("spawn", "--threads", "2,0", text="--threads wants numbers", status=2)
    refused("queues", "--threads", "2", text="queues takes no --threads", status=2)


def test_all_allowed_cpus_are_used_unless_two_are_asked_for(
    ran: Ran, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("os.sched_getaffinity", lambda _pid: {4, 5, 7})
    monkeypatch.setattr(
        "finegrain_lab.run.host.siblings_of", lambda cpu, _root: {4: [4, 7]}.get(cpu)
    )
    settings = ran("spawn")["settings"]
    assert (settings["cpus"], settings["threads"]) == ([4, 5, 7], [1, 2, 3])
    assert settings["pair"] == [4, 7]
    settings = ran("spawn", "--cpus", "5,4")["settings"]
    assert (settings["cpus"], settings["threads"]) == ([5, 4], [1, 2])


@pytest.mark.parametrize(
    ("names", "status", "text"),
    [
        ("pool-none", 2, "no runtime 'pool-none'; known are pool-private_deque, pool-chase_lev"),
        ("relic", 2, "no runtime 'relic'"),
        ("opencilk", 1, f"opencilk is not installed: {HOW_TO_GET}"),
    ],
)
def test_a_runtime_that_there_is_not_is_refused(
    refused: Refused, names: str, status: int, text: str
) -> None:
    refused("spawn", "--runtimes", names, text=text, status=status)


def test_the_chosen_runtimes_stand_beside_the_reference(ran: Ran) -> None:
    result = ran("spawn", "--runtimes", "onetbb,pool-chase_lev", "--peers", "default")
    assert result["runtimes"] == ["serial", "ceiling", *POOLS, "onetbb"]
    assert result["settings"]["peers"] == "default"


def test_a_pool_without_the_reference_is_refused(refused: Refused, build: FakeBuild) -> None:
    other = """[ -n "$list" ] && { echo '{"runtime": "pool", "policies": ["other"]}'; exit; }"""
    build.trouble_in("spawn/spawn-pool", other)
    refused("spawn", text="the build's pool has no pool-private_deque to compare with")
    build.trouble_in("spawn/spawn-pool", CRASH)
    refused("spawn", text="the pool's policies cannot be listed: exit status 1: boom")


def test_a_peer_that_fails_is_left_out_and_told(
    ran: Ran, build: FakeBuild, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    build.trouble_in("spawn/spawn-onetbb", f'[ "$threads" = 1 ] && {{ {CRASH}; }}')
    result = ran("spawn", "--cases", "tree", status=1)
    assert result["failed"] == [
        {"runtime": "onetbb", "case": "tree, 1 thread", "reason": "exit status 1: boom"}
    ]
    (row,) = (row for row in result["results"] if row["runtime"] == "onetbb")
    assert (row["threads"], row["speedup"], row["of_ceiling"]) == (2, None, None)
    output = " ".join(capsys.readouterr().out.split())
    assert "onetbb: failed on tree, 1 thread: exit status 1: boom" in output
    assert re.search(r"2 threads[^:]*onetbb 40\.0 [^:]*1 thread [^:]*onetbb failed ", output)
    assert 'class="failed"' in (tmp_path / "out/spawn.html").read_text()


@pytest.mark.parametrize(
    ("program", "commands", "text"),
    [
        ("spawn-onetbb", f"case=fib; {WRONG_RESULT}", "wrong result from onetbb on "),
        ("spawn-serial", f'[ "$threads" = 1 ] && {{ {CRASH}; }}', "serial on fib, 1 thread failed"),
        (
            "spawn-serial",
            f'[ "$threads" = 2 ] && {{ {CRASH}; }}',
            "ceiling on fib, 2 threads failed",
        ),
        (
            "spawn-pool",
            f'[ "$threads" = 2 ] && {{ {CRASH}; }}',
            "pool-private_deque on fib, 2 threads failed: exit status 1: boom",
        ),
    ],
)
def test_what_ends_a_run_leaves_no_file(
    refused: Refused, build: FakeBuild, program: str, commands: str, text: str
) -> None:
    build.trouble_in(f"spawn/{program}", f'[ -n "$list" ] || {{ {commands}; }}')
    refused("spawn", "--cases", "fib", "--runtimes", "onetbb", text=text)


def test_a_thread_on_another_cpu_is_told(
    ran: Ran, build: FakeBuild, capsys: pytest.CaptureFixture[str]
) -> None:
    build.trouble_in("spawn/spawn-taskflow", "cpus=0,6 main=1")
    ran("spawn")
    stray = "taskflow: was seen on a CPU that is not its own: [1, 6]"
    assert stray in capsys.readouterr().out


def test_a_full_run_ends_when_the_reference_s_share_is_sure(build: FakeBuild) -> None:
    steady = dataclasses.replace(
        SPAWN.modes["full"], min_rounds=2, max_rounds=6, converged_rounds=4
    )
    assert steady.converged_half_width == 0.005
    plan = plan_of(build, SPAWN, [], "fib", cpus=(0, 1), mode=steady)
    assert rounds_of(SPAWN, plan) == 4
    # And goes on while it moves: 0.96 in one round, 1.92 in the next.
    every_other = f"[ -e {build.folder}/at ] && rm {build.folder}/at || : >{build.folder}/at"
    moving = f'if [ "$threads" = 2 ]; then {every_other}; [ -e {build.folder}/at ] || slower=2; fi'
    build.trouble_in("spawn/spawn-serial", moving)
    assert rounds_of(SPAWN, plan) == 6


def test_without_binding_the_system_places_the_threads(
    ran: Ran, build: FakeBuild, capsys: pytest.CaptureFixture[str]
) -> None:
    seen = build.folder / "variables"
    for program in ("spawn-gnu-openmp", "spawn-onetbb"):
        told = f'echo "{program} ${{OMP_PLACES-none}} ${{OMP_PROC_BIND-none}}" >>"{seen}"'
        build.trouble_in(f"spawn/{program}", f"{told}; used=7")
    result = ran("spawn", "--runtimes", "gnu-openmp,onetbb", "--numa-binding", "off")
    assert result["settings"]["numa_binding"] == "off"
    assert result["notes"].get("onetbb") is None  # on CPU 7, and rightly so
    assert set(seen.read_text().splitlines()) == {
        "spawn-gnu-openmp none false",
        "spawn-onetbb none none",
    }
    starts = [line for line in build.starts() if " --threads " in line]
    assert starts
    assert all(" --untied " in line for line in starts)
    assert "threads not tied to CPUs" in " ".join(capsys.readouterr().out.split())


def test_with_binding_nobody_is_told_to_be_untied(ran: Ran, build: FakeBuild) -> None:
    assert ran("spawn", "--runtimes", "onetbb")["settings"]["numa_binding"] == "on"
    assert not any("--untied" in line for line in build.starts())


def test_a_runtime_with_joins_alone_has_no_flat_loop() -> None:
    flat = FlatCase("flat", producers="one")
    on_growing_queues = QueueCase("grows", producers="all", capacity=None)
    for runtime in ("serial", "ceiling", REFERENCE, "rayon"):
        assert flat.is_for(runtime)
    assert not flat.is_for("chili")
    assert on_growing_queues.is_for("rayon")
    assert not on_growing_queues.is_for("chili")
    assert Case("fib", ("fib",)).is_for("chili")
