"""spawn: the ceiling, pairing, threads, who takes part, and every way to fail."""

import dataclasses
import re
from pathlib import Path

import pytest
from conftest import Ran, Refused, Silent, host_of
from fakes import CRASH, HOW_TO_GET, WRONG_RESULT, FakeBuild
from fakes_micro import SPAWN_CENTI_NS

from finegrain_lab.runtimes import load_build
from finegrain_lab.spawn.cases import thread_counts
from finegrain_lab.spawn.contestants import choose, serial_and_ceiling
from finegrain_lab.spawn.evaluate import to_result
from finegrain_lab.spawn.measure import Measured, Plan, Slot, measure
from finegrain_lab.spawn.modes import FULL, QUICK
from finegrain_lab.spawn.protocol import SpawnSample

SHORT = dataclasses.replace(QUICK, min_rounds=3, max_rounds=3, batches=3, batch_ms=7)
PEERS = ["gnu-openmp", "llvm-openmp", "intel-openmp", "onetbb", "taskflow"]
POOLS = ["pool-private_deque", "pool-chase_lev"]

pytestmark = pytest.mark.usefixtures("two_cpus")


def plan_of(build: FakeBuild, names: list[str], cpus: tuple[int, ...] = (0, 1)) -> Plan:
    loaded = load_build(build.folder)
    serial, ceiling = serial_and_ceiling(loaded)
    return Plan(loaded, serial, ceiling, choose(loaded, names), cpus, SHORT, "tuned")


def sample(slot: Slot, ns: list[float], share: float = 0.5) -> SpawnSample:
    return SpawnSample(
        runtime=slot.runtime,
        threads=slot.threads,
        n=30,
        spawns=1346268,
        ns=ns,
        offloaded_share=share,
        cpus=list(range(slot.threads)),
        version="1",
    )


def fill(measured: Measured, slot: Slot, *ns: float) -> None:
    """A process of three batches a round, its median in the middle."""
    measured.samples[slot] = {
        at: sample(slot, [value, value / 2, value * 9]) for at, value in enumerate(ns)
    }


def test_the_speed_up_is_held_against_the_ceiling_of_the_same_round(build: FakeBuild) -> None:
    plan = plan_of(build, ["gnu-openmp"])
    measured = Measured(floor_samples=[100.0])
    fill(measured, Slot("serial", 1), 1.0, 2.0, 1.0)
    fill(measured, Slot("ceiling", 2), 0.5, 2.0, 0.625)  # speed-ups 2, 1, 1.6
    fill(measured, Slot("pool-private_deque", 1), 3.0, 6.0, 3.0)
    fill(measured, Slot("pool-private_deque", 2), 1.5, 6.0, 2.0)  # 2, 1, 1.5
    fill(measured, Slot("gnu-openmp", 1), 30.0, 60.0, 30.0)
    fill(measured, Slot("gnu-openmp", 2), 60.0, 120.0, 40.0)  # 0.5, 0.5, 0.75
    result = to_result(plan, measured, host_of(plan.build))

    pool = result.row("pool-private_deque", 2)
    assert pool is not None
    assert (pool.ns, pool.samples) == (2.0, [1.5, 6.0, 2.0])
    assert pool.speedup == 1.5
    # 1, 1, 0.9375. The medians' ratio would be 1.5 / 1.6.
    assert pool.of_ceiling == 1.0
    assert pool.of_ceiling_ci95 == (0.9375, 1.0)
    assert pool.of_reference == 1.0

    gnu = result.row("gnu-openmp", 2)
    assert gnu is not None
    assert gnu.of_reference == 20.0  # 40, 20, 20
    assert gnu.speedup == 0.5
    assert gnu.of_ceiling == pytest.approx(0.75 / 1.6)  # 0.25, 0.5, 0.46875

    ceiling = result.row("ceiling", 2)
    assert ceiling is not None
    assert (ceiling.speedup, ceiling.of_ceiling) == (1.6, 1.0)
    for runtime in ("serial", "pool-private_deque", "gnu-openmp"):
        row = result.row(runtime, 1)
        assert row is not None
        assert (row.speedup, row.of_ceiling) == (None, None)


def test_a_whole_run(ran: Ran) -> None:
    result = ran("spawn")
    rows = {(row["runtime"], row["threads"]): row for row in result["results"]}
    assert set(rows) == {
        *(("serial", 1), ("ceiling", 2)),
        *((name, threads) for name in POOLS + PEERS for threads in (1, 2)),
    }
    for row in rows.values():
        assert row.keys() == {
            *("case", "runtime", "threads", "ns", "ci95", "of_reference", "of_reference_ci95"),
            *("speedup", "speedup_ci95", "of_ceiling", "of_ceiling_ci95", "offloaded_share", "n"),
            "samples",
        }
    for name in (*POOLS, *PEERS, "serial"):
        assert rows[name, 1]["ns"] == SPAWN_CENTI_NS[name] / 100
    pool = rows["pool-private_deque", 2]
    assert (pool["case"], pool["ns"], pool["n"]) == ("fib", 1.56, [30])
    assert pool["speedup"] == pytest.approx(3 / 1.56)
    assert pool["of_ceiling"] == pytest.approx(3 / 1.56 / 2)
    assert pool["offloaded_share"] == 0.5
    assert rows["gnu-openmp", 2]["of_reference"] == pytest.approx(20 / 1.56)
    assert rows["ceiling", 2]["ns"] == 0.75
    settings = result["settings"]
    assert (settings["threads"], settings["cpus"], settings["peers"]) == ([1, 2], [0, 1], "tuned")
    assert settings["environment"]["gnu-openmp"]["OMP_NUM_THREADS"] == "2"
    assert result["runtimes"] == ["serial", "ceiling", *POOLS, *PEERS]
    assert result["missing"] == [{"runtime": "opencilk", "how_to_get": HOW_TO_GET}]


def test_the_answer_is_in_the_tables(ran: Ran, capsys: pytest.CaptureFixture[str]) -> None:
    ran("spawn")
    output = " ".join(capsys.readouterr().out.split())
    assert "pool-private_deque on 1 thread: 3.00 ns per spawn (3.00 to 3.00) " in output
    assert "on 2 threads: 1.56 ns per spawn (1.56 to 1.56), 0.962 of the ceiling" in output
    assert re.search(r"serial 1\.50 ceiling 0\.75 pool-private_deque 3\.00 1\.56 ", output)
    assert re.search(r"gnu-openmp 40\.0 20\.0 .* gnu-openmp 13\.33 12\.82", output)
    assert re.search(r"ceiling 2\.00 1\.00 pool-private_deque 1\.92 0\.96 pool-chase", output)
    assert f"opencilk: not installed: {HOW_TO_GET}" in output


def test_the_processes_get_what_the_protocol_says(build: FakeBuild) -> None:
    measure(plan_of(build, ["gnu-openmp"], (3, 1, 0, 2)), Silent())
    starts = build.starts()
    rest = "--batches 3 --batch-ms 7"
    pool = f"{rest} --policy private_deque"
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
    measured = measure(plan_of(build, ["gnu-openmp"]), Silent())
    notes = {
        slot.threads: {sample.note for sample in rounds.values()}
        for slot, rounds in measured.samples.items()
        if slot.runtime == "gnu-openmp"
    }
    assert notes == {1: {"1 {0}"}, 2: {"2 {0},{1}"}}


def test_the_threads_double_and_end_with_all() -> None:
    assert [thread_counts(cpus) for cpus in (1, 2, 3, 4, 6, 16)] == [
        *([1], [1, 2], [1, 2, 3], [1, 2, 4], [1, 2, 4, 6], [1, 2, 4, 8, 16]),
    ]


def test_all_allowed_cpus_are_used_unless_two_are_asked_for(
    ran: Ran, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("os.sched_getaffinity", lambda _pid: {4, 5, 7})
    monkeypatch.setattr("finegrain_lab.host.siblings_of", lambda cpu, _root: {4: [4, 7]}.get(cpu))
    settings = ran("spawn")["settings"]
    assert (settings["cpus"], settings["threads"]) == ([4, 7, 5], [1, 2, 3])
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
    result = ran("spawn", status=1)
    assert result["failed"] == [
        {"runtime": "onetbb", "case": "1 thread", "reason": "exit status 1: boom"}
    ]
    (row,) = (row for row in result["results"] if row["runtime"] == "onetbb")
    assert (row["threads"], row["speedup"], row["of_ceiling"]) == (2, None, None)
    output = capsys.readouterr().out
    assert "onetbb: failed on 1 thread: exit status 1: boom" in output
    assert re.search(r"onetbb +failed +40\.0", output)
    assert 'class="failed"' in (tmp_path / "out/spawn.html").read_text()


@pytest.mark.parametrize(
    ("program", "commands", "text"),
    [
        ("spawn-onetbb", f"case=fib; {WRONG_RESULT}", "wrong result from onetbb on "),
        ("spawn-serial", f'[ "$threads" = 1 ] && {{ {CRASH}; }}', "serial on 1 thread failed"),
        ("spawn-serial", f'[ "$threads" = 2 ] && {{ {CRASH}; }}', "ceiling on 2 threads failed"),
        (
            "spawn-pool",
            f'[ "$threads" = 2 ] && {{ {CRASH}; }}',
            "pool-private_deque on 2 threads failed: exit status 1: boom",
        ),
    ],
)
def test_what_ends_a_run_leaves_no_file(
    refused: Refused, build: FakeBuild, program: str, commands: str, text: str
) -> None:
    build.trouble_in(f"spawn/{program}", f'[ -n "$list" ] || {{ {commands}; }}')
    refused("spawn", "--runtimes", "onetbb", text=text)


@pytest.mark.parametrize(
    ("commands", "reason"),
    [
        ('[ "$threads" = 2 ] && share=0.0', "ran 0% of the leaves on other threads than the root"),
        ('[ "$threads" = 2 ] && batches=2', "gave other than 3 batches"),
        ('[ "$threads" = 2 ] && threads=3', "answered with a sample of something else"),
    ],
)
def test_half_a_sample_is_a_failure(build: FakeBuild, commands: str, reason: str) -> None:
    build.trouble_in("spawn/spawn-onetbb", commands)
    measured = measure(plan_of(build, ["onetbb"]), Silent())
    assert list(measured.failed) == [Slot("onetbb", 2)]
    assert measured.failed[Slot("onetbb", 2)].startswith(reason)


def test_a_thread_on_another_cpu_is_told(
    ran: Ran, build: FakeBuild, capsys: pytest.CaptureFixture[str]
) -> None:
    build.trouble_in("spawn/spawn-taskflow", "cpus=0,6 main=1")
    ran("spawn")
    stray = "taskflow: was seen on a CPU that is not its own: [1, 6]"
    assert stray in capsys.readouterr().out


def test_a_full_run_ends_when_the_reference_s_share_is_sure(build: FakeBuild) -> None:
    steady = dataclasses.replace(
        FULL, min_rounds=2, max_rounds=6, converged_rounds=4, converged_half_width=0.005
    )
    plan = dataclasses.replace(plan_of(build, []), mode=steady)
    assert measure(plan, Silent()).rounds == 4
    # And goes on while it moves: 0.96 in one round, 1.92 in the next.
    every_other = f"[ -e {build.folder}/at ] && rm {build.folder}/at || : >{build.folder}/at"
    moving = f'if [ "$threads" = 2 ]; then {every_other}; [ -e {build.folder}/at ] || slower=2; fi'
    build.trouble_in("spawn/spawn-serial", moving)
    assert measure(plan, Silent()).rounds == 6
