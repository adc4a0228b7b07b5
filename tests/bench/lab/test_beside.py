# SPDX-License-Identifier: Apache-2.0
"""What else runs beside a run: seen in the kernel's accounts, waited for, marked, refused."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from conftest import Lab, Silent, expect_one_line, files_below
from fakes import FakeBuild
from test_sampling import GROUPS, SHORT, SLOTS, Run, many

from finegrain_lab.experiments import experiment_of
from finegrain_lab.experiments.relic_kernels import RELIC_KERNELS
from finegrain_lab.run import beside
from finegrain_lab.run.accounts import TICK_S, Accounts, Span
from finegrain_lab.run.beside import PATIENCE_S, WINDOW_S, Beside, Watch, disturbance
from finegrain_lab.run.errors import LabError
from finegrain_lab.run.experiment import Command, Request, Slot
from finegrain_lab.run.instruments import CalibrationSample
from finegrain_lab.run.modes import Mode
from finegrain_lab.run.processes import Processes
from finegrain_lab.run.record import Record
from finegrain_lab.run.runtimes import load_build
from finegrain_lab.show import table, terminal
from finegrain_lab.show.result import Result, load

ROUND_S = 10.0
STAT = "cpu  0 0 0 0 0 0 0 0 0 0\n{lines}intr 12345\nctxt 1\n"
PROCESS = "{pid} ({name}) R 1 1 1 0 -1 0 0 0 0 0 {ticks} 0 0 0 20 0 1 0 5 0 0 {zeros} {cpu} 0\n"


class Machine:
    """Two CPUs whose time passes as a test says; every CPU is idle but for what it says."""

    def __init__(self, root: Path) -> None:
        self.now = 1000.0
        self.own = 7.0
        self._root = root
        self._idle = [500.0, 600.0]
        self._stolen = [1.0, 1.0]
        self._used: dict[int, tuple[str, int, float]] = {}
        self.by_itself: Callable[[Machine, float], None] = lambda it, seconds: it.run(seconds)
        (root / "proc").mkdir(parents=True)
        self.run(0)

    def run(
        self,
        seconds: float,
        own: float = 0,
        foreign: tuple[float, float] = (0, 0),
        stolen: tuple[float, float] = (0, 0),
        name: str = "",
    ) -> None:
        """Lets time pass; the times of CPUs are in shares of one. Ours runs on the first."""
        self.now += seconds
        self.own += own * seconds
        lines = ""
        for cpu, others in enumerate(foreign):
            busy = others + (own if cpu == 0 else 0)
            self._idle[cpu] += seconds * (1 - busy - stolen[cpu])
            self._stolen[cpu] += seconds * stolen[cpu]
            idle, taken = (round(it[cpu] / TICK_S) for it in (self._idle, self._stolen))
            lines += f"cpu{cpu} 11 2 3 {idle} 0 4 5 {taken} 0 0\n"
            if others and name:
                used = self._used.get(40 + cpu, ("", 0, 0.0))[2] + others * seconds
                self._used[40 + cpu] = (name, cpu, used)
        (self._root / "proc/stat").write_text(STAT.format(lines=lines))
        for pid, (called, cpu, used) in self._used.items():
            (self._root / f"proc/{pid}").mkdir(exist_ok=True)
            line = PROCESS.format(
                pid=pid, name=called, ticks=round(used / TICK_S), zeros="0 " * 14, cpu=cpu
            )
            (self._root / f"proc/{pid}/stat").write_text(line)

    def accounts(self) -> Accounts:
        return Accounts([0, 1], self._root, lambda: self.now, lambda: self.own)

    def watch(self, *, is_strict: bool = False) -> Watch:
        def sleep(seconds: float) -> None:
            self.by_itself(self, seconds)

        return Watch([0, 1], is_strict=is_strict, accounts=self.accounts(), sleep=sleep)


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path / "machine")


def busy(it: Machine, seconds: float) -> None:
    it.run(seconds, foreign=(0, 1), name="a (b) c")


def rounds_of(watch: Watch, machine: Machine, *rounds: dict[str, object]) -> Beside:
    """Keeps these rounds, none of them taken again."""
    for passed in rounds:
        watch.begin_round()
        machine.run(ROUND_S, **passed)  # type: ignore[arg-type]
        watch.note(watch.lap())
        watch.end_round(is_again=False)
    found = watch.settle()
    assert found is not None
    return found


def test_what_is_ours_is_not_foreign(machine: Machine) -> None:
    found = rounds_of(machine.watch(), machine, {"own": 0.9}, {"own": 0.5, "foreign": (0, 0.43)})
    assert found.foreign == pytest.approx([0, 0.43], abs=2 * TICK_S)
    assert found.stolen == pytest.approx([0, 0], abs=2 * TICK_S)
    assert found.disturbed == [1]
    assert found.cpus == [0, 1]


def test_what_the_hypervisor_takes_is_told_apart(machine: Machine) -> None:
    found = rounds_of(machine.watch(), machine, {"own": 0.5, "stolen": (0.2, 0.1)})
    assert found.foreign == pytest.approx([0], abs=2 * TICK_S)
    assert found.stolen == pytest.approx([0.3], abs=2 * TICK_S)
    assert found.disturbed == [0]
    assert disturbance(found).startswith("the hypervisor gave to others up to 30% of a CPU")


@pytest.mark.parametrize(("share", "is_disturbed"), [(0.009, False), (0.074, True)])
def test_the_kernels_own_work_is_none(machine: Machine, share: float, is_disturbed: bool) -> None:
    found = rounds_of(machine.watch(), machine, {"own": 0.5, "foreign": (0, share)})
    assert bool(found.disturbed) == is_disturbed


def test_a_short_while_is_not_judged_by_a_tick(machine: Machine) -> None:
    watch = machine.watch()
    watch.begin_round()
    machine.run(0.02, foreign=(TICK_S / 0.02, TICK_S / 0.02))  # what a tick more on each CPU says
    watch.note(watch.lap())
    assert not watch.wants_again(Silent())
    watch.end_round(is_again=False)
    found = watch.settle()
    assert found is not None
    assert found.disturbed == []


def test_laps_add_up_to_the_round(machine: Machine) -> None:
    watch = machine.watch()
    watch.begin_round()
    for _ in range(1000):  # each a third of a tick: none of it may be lost
        machine.run(0.05, foreign=(0, TICK_S / 3 / 0.05))
        watch.note(watch.lap())
    watch.end_round(is_again=False)
    found = watch.settle()
    assert found is not None
    assert found.foreign == pytest.approx([TICK_S / 3 / 0.05], rel=0.01)


@pytest.mark.parametrize(
    "stat",
    [
        None,
        "",
        "cpu0 1 2 3 4 5 6 7 8\n",  # no CPU 1
        "cpu0 0 0 0 0 0 0 0 0\ncpu1 0 0 0 0 0 0 0 0\n",  # a sandbox
        "cpu0 a b c\ncpu1 1 1 1 1 1 1 1 1\n",
        "cpu0 1 2 3\ncpu1 1 2 3\n",
    ],
)
def test_accounts_that_can_not_be_read_are_not_invented(
    machine: Machine, tmp_path: Path, stat: str | None
) -> None:
    path = tmp_path / "machine/proc/stat"
    path.unlink() if stat is None else path.write_text(stat)
    machine.by_itself = lambda _machine, _seconds: None
    watch, reporter = machine.watch(), Silent()
    watch.await_quiet(reporter)
    watch.begin_round()
    watch.note(watch.lap())
    assert not watch.wants_again(reporter)
    watch.end_round(is_again=False)
    assert watch.settle() is None
    assert reporter.said == []
    with pytest.raises(LabError, match="--strict: nothing tells what else runs on CPUs 0 and 1"):
        machine.watch(is_strict=True)


def test_a_quiet_machine_is_measured_at_once(machine: Machine) -> None:
    reporter, begin = Silent(), machine.now
    machine.watch(is_strict=True).await_quiet(reporter)
    assert reporter.said == []
    assert machine.now == begin + WINDOW_S


def test_what_runs_is_waited_for_and_named(machine: Machine) -> None:
    def ends(it: Machine, seconds: float) -> None:
        busy(it, seconds) if it.now < 1005 else it.run(seconds)

    machine.by_itself = ends
    reporter = Silent()
    busy(machine, 1.0)
    machine.watch(is_strict=True).await_quiet(reporter)
    assert reporter.said == [
        "'a (b) c' uses 100% of CPU 1: waiting for it to end, at most 30 s",
    ]
    assert machine.now == pytest.approx(1005.5)


def test_what_only_began_is_waited_for_without_a_name(machine: Machine) -> None:
    machine.by_itself = lambda it, seconds: it.run(seconds, foreign=(1, 1))
    reporter = Silent()
    machine.watch().await_quiet(reporter)
    assert reporter.said[0].startswith("something else uses 100% of CPU 0 and 100% of CPU 1: wait")


def test_what_does_not_end_is_measured_beside(machine: Machine) -> None:
    machine.by_itself = busy
    reporter, begin = Silent(), machine.now
    machine.watch().await_quiet(reporter)
    assert machine.now == pytest.approx(begin + PATIENCE_S + WINDOW_S)
    assert len(reporter.said) == 2
    assert reporter.said[1].endswith("measuring beside it, which the result will say")


def test_strict_does_not_measure_beside(machine: Machine) -> None:
    machine.by_itself = busy
    with pytest.raises(LabError, match=r"^--strict: 'a \(b\) c' uses 100% of CPU 1$"):
        machine.watch(is_strict=True).await_quiet(Silent())


class Watched(Run):
    """A run of three rounds on the machine; in its takes of these numbers something else runs."""

    def __init__(
        self,
        machine: Machine,
        build: FakeBuild,
        disturbed: set[int],
        mode: Mode = SHORT,
        *,
        is_strict: bool = False,
        **changes: Any,
    ) -> None:
        watch = machine.watch(is_strict=is_strict)

        def value(_slot: Slot, at: int) -> float:
            machine.run(0.5, own=0.9, foreign=(0, 0.5 if at in disturbed else 0))
            watch.note(watch.lap())
            return float(at)

        super().__init__(build, mode, value, watch=watch, **changes)

    @property
    def beside(self) -> dict[str, Any]:
        found: dict[str, Any] = self.ending["beside"]
        return found


def test_a_disturbed_round_is_replaced(machine: Machine, build: FakeBuild) -> None:
    it = Watched(machine, build, {1}).end()
    assert [len(it.run.samples.by_row[slot]) for slot in SLOTS] == [3] * len(SLOTS)
    # The second take, number 1, is gone.
    assert it.run.samples.values(GROUPS[0][0], "value") == {0: 0, 1: 2, 2: 3}
    assert it.reporter.said == ["something else ran beside that round: it is taken again"]
    assert (it.beside["repeated"], it.beside["disturbed"]) == (1, [])
    assert len(it.beside["foreign"]) == 3


def test_what_stays_is_kept_and_told(machine: Machine, build: FakeBuild) -> None:
    it = Watched(machine, build, set(range(99)), many(5)).end()
    # The first round twice; that was no better, so no other is.
    assert len(it.started) == 6 * len(SLOTS)
    assert (it.beside["repeated"], it.beside["disturbed"]) == (1, [0, 1, 2, 3, 4])
    assert disturbance(Beside(**it.beside)).endswith("of a CPU (CPUs 0 and 1) in 5 of 5 rounds")


def test_the_second_take_waits_for_quiet(machine: Machine, build: FakeBuild) -> None:
    def ends(it: Machine, seconds: float) -> None:
        busy(it, seconds) if it.now < 1010 else it.run(seconds)

    machine.by_itself = ends
    it = Watched(machine, build, {0}).end()
    assert any("waiting for it to end" in said for said in it.reporter.said)
    assert machine.now > 1010 + 3 * 0.5 * len(SLOTS)


def test_a_round_is_not_taken_again_beyond_the_budget(machine: Machine, build: FakeBuild) -> None:
    # A round takes 3 s: the second one fits, and once more it would not.
    mode = Mode(name="m", min_rounds=1, max_rounds=9, budget_s=7)
    it = Watched(machine, build, {1}, mode)
    it.processes.clock = lambda: machine.now  # type: ignore[method-assign]
    it.end()
    assert (it.beside["repeated"], it.beside["disturbed"]) == (0, [1])


def test_what_is_not_replaced_is_left_out_where_enough_remains(
    machine: Machine, build: FakeBuild
) -> None:
    # The second round twice; so the others that are disturbed, the fourth and the seventh, stay.
    mode = Mode(name="m", min_rounds=5, max_rounds=8)
    it = Watched(machine, build, {1, 2, 4, 7}, mode, is_strict=True).end()
    values = it.run.samples.values(GROUPS[0][0], "value")
    kept = {at: value for at, value in values.items() if at not in it.ending["left_out"]}
    assert kept == {0: 0.0, 2: 3.0, 4: 5.0, 5: 6.0, 7: 8.0}
    assert it.ending["rounds"] == 5
    found = it.beside
    assert (found["repeated"], found["left_out"], found["disturbed"]) == (1, 3, [])
    assert len(found["foreign"]) == 5


@pytest.mark.parametrize("least", [4, 6])
def test_what_would_leave_too_little_stays(machine: Machine, build: FakeBuild, least: int) -> None:
    is_sparse = least == 4  # a slot is in every third round alone
    it = Watched(
        machine,
        build,
        {3, 4} if is_sparse else {3, 4, 6, 8, 9},
        Mode(name="m", min_rounds=least, max_rounds=9),
        takes_part=lambda slot, at: slot.case == "a" or at % 3 == 0 or not is_sparse,
    ).end()
    assert it.beside["disturbed"][0] == 3
    assert (it.beside["left_out"], it.ending["rounds"]) == (0, 9)


def test_strict_refuses_what_stays(machine: Machine, build: FakeBuild) -> None:
    it = Watched(machine, build, {2, 3}, is_strict=True)
    with pytest.raises(LabError, match=r"--strict: something else used up to \d+% of a CPU"):
        it.end()


def test_strict_is_content_with_a_round_that_was_replaced(
    machine: Machine, build: FakeBuild
) -> None:
    assert Watched(machine, build, {1}, is_strict=True).end().ending["rounds"] == 3


def test_without_a_watch_nothing_is_recorded(build: FakeBuild) -> None:
    assert Run(build).end().ending["beside"] is None


ANSWER = Command(["sh", "-c", "echo '{\"spin_steps_per_us\": 1}'"])


def measure_a_round(watch: Watch, folder: Path) -> None:
    """Measures a round of two processes, and leaves the file of a run that was ended."""
    processes = Processes(Record(folder, "run", {}), watch)
    watch.begin_round()
    for _ in range(2):
        processes.run(ANSWER, CalibrationSample)
    watch.end_round(is_again=False)


def test_the_file_has_the_accounts_of_each_process(machine: Machine, tmp_path: Path) -> None:
    class Passing(Watch):
        """Lets something else run before each lap."""

        def lap(self) -> Span | None:
            machine.run(ROUND_S, foreign=(0, 0.5))
            return super().lap()

    first = Passing([0, 1], accounts=machine.accounts())
    measure_a_round(first, tmp_path)
    blind = Watch([0, 1])
    measure_a_round(blind, tmp_path)
    found = blind.settle()
    assert found is not None
    assert found == first.settle()
    assert found.foreign == pytest.approx([0.5], abs=0.01)


def test_a_file_without_accounts_is_read_and_leaves_them_unknown(
    machine: Machine, tmp_path: Path
) -> None:
    measure_a_round(Watch([0, 1]), tmp_path)
    kept = tmp_path / "run.partial"
    assert kept.read_text().count(', "beside": null') == 2
    kept.write_text(kept.read_text().replace(', "beside": null', ""))
    watch = machine.watch()
    measure_a_round(watch, tmp_path)
    assert watch.settle() is None
    strict = machine.watch(is_strict=True)
    measure_a_round(strict, tmp_path)
    with pytest.raises(LabError, match="--strict: nothing tells"):
        strict.settle()


def test_one_round_that_is_unknown_leaves_all_unknown(machine: Machine) -> None:
    watch = machine.watch()
    rounds_of(watch, machine, {})
    watch.begin_round()
    watch.note(None)
    watch.end_round(is_again=False)
    assert watch.settle() is None


def with_beside(result: Result, **changes: object) -> Result:
    quiet = {"cpus": [0, 1], "foreign": [0.01] * 3, "stolen": [0.0] * 3, "disturbed": []}
    beside: dict[str, Any] = {**quiet, "repeated": 0, "left_out": 0, **changes}
    return replace(result, beside=Beside(**beside))


def test_the_header_says_what_ran_beside(result: Result) -> None:
    disturbed = with_beside(result, foreign=[0.01, 0.43, 0.12], disturbed=[1, 2])
    assert (
        "DISTURBED: something else used up to 43% of a CPU (CPUs 0 and 1) in 2 of 3 rounds: these "
        "numbers are not to be quoted"
    ) in table.header_lines(disturbed)
    assert not any("DISTURBED" in line for line in table.header_lines(with_beside(result)))
    assert "rounds that are left out, as something else ran beside them: 4" in table.header_lines(
        with_beside(result, left_out=4)
    )
    said = terminal.header_lines(RELIC_KERNELS, result)
    assert "what else ran on these CPUs was not recorded" in said
    assert said[-1] != "what else ran on these CPUs was not recorded"


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({}, "the host changed under it"),
        ({"disturbed": [0]}, "something else ran beside it"),
        (None, "nothing tells what did"),
    ],
)
def test_the_host_is_blamed_where_nothing_else_ran(
    result: Result, changes: dict[str, object] | None, text: str
) -> None:
    moved = replace(result, floor_samples=[80.0, 85.0, 300.0, 320.0])
    if changes is not None:
        moved = with_beside(moved, **changes)
    (line,) = [line for line in table.header_lines(moved) if "the floor moved" in line]
    assert line == f"the floor moved during the run: {text}, see the intervals"


@pytest.mark.parametrize(("name", "count"), [("relic-kernels", 2), ("handoff", 2), ("sync", 4)])
def test_what_is_watched_is_what_the_programs_use(
    build: FakeBuild, monkeypatch: pytest.MonkeyPatch, name: str, count: int
) -> None:
    monkeypatch.setattr("os.sched_getaffinity", lambda _pid: {0, 1, 2, 3})
    experiment = experiment_of(name)
    run = experiment.plan(Request(load_build(build.folder), experiment.modes["quick"]))
    used = set(run.all_cpus or run.cpus)
    assert len(used) == count
    assert set(run.cpus) <= used


@pytest.fixture
def never_idle(machine: Machine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Accounts in which no CPU is ever idle, and no patience."""
    del machine
    monkeypatch.setattr("finegrain_lab.run.accounts.ROOT", tmp_path / "machine")
    monkeypatch.setattr(beside, "PATIENCE_S", 0)
    monkeypatch.setattr(beside, "WINDOW_S", 0.1)
    monkeypatch.setattr(beside, "TICK_S", 0.0)  # the fakes' rounds are about as short as a tick


RUN = ("run", "relic-kernels", "--runtimes", "relic,onetbb", "--cases", "bc,cc")


@pytest.mark.usefixtures("never_idle")
def test_a_disturbed_run_is_marked_on_the_terminal_and_in_its_files(
    lab: Lab, build: FakeBuild, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    assert lab(*RUN, "--build", build.folder, "--out", out) == 0
    shown, said = capsys.readouterr()
    assert "DISTURBED: something else used up to" in shown
    assert "measuring beside it, which the result will say" in said
    result = load(out, experiment_of("relic-kernels"))
    assert result.beside is not None
    assert result.beside.disturbed == [0, 1, 2]
    assert "DISTURBED: something else used up to" in (out / "relic-kernels.html").read_text()


@pytest.mark.usefixtures("never_idle")
def test_strict_refuses_what_runs_beside(
    lab: Lab, build: FakeBuild, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    assert lab(*RUN, "--strict", "--build", build.folder, "--out", out) == 1
    expect_one_line(capsys, "lab: --strict: something else uses")
    assert files_below(out) == []


def test_strict_refuses_where_nothing_can_be_seen(
    lab: Lab, build: FakeBuild, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    assert lab(*RUN, "--strict", "--build", build.folder, "--out", out) == 1
    expect_one_line(capsys, "nothing tells what else runs on CPUs 0 and 1")
    assert files_below(out) == []
    assert build.starts() == []


def test_spans_add() -> None:
    one = Span(seconds=1, foreign_s=0.5, stolen_s=0.25)
    assert one + one == Span(seconds=2, foreign_s=1, stolen_s=0.5)
