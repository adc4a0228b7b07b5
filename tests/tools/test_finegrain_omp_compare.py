# SPDX-License-Identifier: Apache-2.0
"""finegrain-omp --compare as a process."""

import os
import re
import select
import shutil
import signal
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

import pytest
from omp_command import REFUSED, Tools, environment, make_tools, options_of, refused, run, start


@pytest.fixture(scope="module")
def tools(tmp_path_factory: pytest.TempPathFactory) -> Tools:
    return make_tools(tmp_path_factory.mktemp("omp"))


@dataclass(frozen=True)
class Compared:
    """A finished comparison, and in which order the program ran: w with the drop-in, - without."""

    done: subprocess.CompletedProcess[str]
    order: str


def compare(tools: Tools, pairs: int, *arguments: str, **variables: str) -> Compared:
    log = tools.folder / "order"
    log.write_text("")
    variables["TEST_LOG"] = str(log)
    command = (*options_of(tools), "--compare", str(pairs), str(tools.program), *arguments)
    return Compared(start(command, variables), log.read_text())


def test_runs_in_turns_after_one_unmeasured_run_of_each(tools: Tools) -> None:
    found = compare(tools, 5, "show")
    assert found.order == "-w" + "-w" + "w-" + "-w" + "w-" + "-w"
    assert found.done.returncode == 0
    assert "name" not in found.done.stdout  # the program's output
    assert found.done.stderr == ""  # no progress where no terminal is
    assert "the drop-in: runtime stub, policy private_deque\n" in found.done.stdout
    assert re.search(r"^without the drop-in: \S+ s, the median of 5$", found.done.stdout, re.M)
    assert re.search(r"^with private_deque: \S+ s$", found.done.stdout, re.M)


@pytest.mark.parametrize("version", ["", ".0", ".0.1.0"])
def test_a_dropin_preloaded_already_is_left_out_of_the_other_side(
    tools: Tools, tmp_path: Path, version: str
) -> None:
    preloaded = shutil.copy(tools.library, tmp_path / f"libfinegrain-omp.so{version}")
    found = compare(tools, 2, "show", LD_PRELOAD=str(preloaded))
    assert found.order == "-w" + "-w" + "w-"


@pytest.mark.parametrize(
    ("arguments", "verdict"),
    [
        (("served-ms", "90"), "slower with the drop-in"),
        (("served-ms", "0"), "faster with the drop-in"),
        (("undecided",), "not told apart"),
    ],
)
def test_tells_faster_slower_or_neither(
    tools: Tools, arguments: tuple[str, ...], verdict: str
) -> None:
    # More than once: on a busy machine a process may take many times as long as the next.
    for _ in range(5):
        found = compare(tools, 12, *arguments)
        assert found.done.returncode == 0
        line = found.done.stdout.splitlines()[-1]
        match = re.fullmatch(
            r"without / with: (\S+), the median of the pairs; "
            r"95 % interval (\S+) to (\S+): (.*)",
            line,
        )
        assert match is not None, line
        ratio, low, high = (float(match[i]) for i in (1, 2, 3))
        assert low <= ratio <= high
        expected = "faster" if low > 1 else "slower" if high < 1 else "not told apart"
        assert match[4].startswith(expected)
        if match[4] == verdict:
            return
    pytest.fail(f"never '{verdict}', at last: {line}")


def test_says_where_there_are_too_few_runs(tools: Tools) -> None:
    for pairs, enough in ((1, False), (5, False), (6, True)):
        found = compare(tools, pairs, "show")
        assert ("95 % interval, which needs 6" in found.done.stdout) is not enough


def test_says_where_nothing_is_taken_over(tools: Tools) -> None:
    silent = compare(tools, 6, "show", TEST_SILENT="1").done.stdout
    assert "took nothing over" in silent
    assert "without / with" not in silent
    assert "took nothing over" not in compare(tools, 1, "show").done.stdout
    passive = run(tools, "--compare", "1", tools.program, "show", FINEGRAIN_OMP="off")
    refused(passive, REFUSED, "nothing to compare")


def test_gives_no_input(tools: Tools) -> None:
    command = (*options_of(tools), "--compare", "1", str(tools.program), "needs-input")
    done = start(command, {}, stdin="a line\n")
    assert done.returncode == 3
    assert "failed without the drop-in" in done.stderr  # the first run already
    assert run(tools, tools.program, "needs-input", stdin="a line\n").returncode == 0


@pytest.mark.parametrize(
    ("how", "status", "at", "which"),
    [
        ("fail-at", 9, 1, "without"),
        ("fail-at", 9, 2, "with"),
        ("fail-at", 9, 7, "without"),
        ("fail-at", 9, 8, "with"),
        ("die-at", 128 + signal.SIGKILL, 8, "with"),
    ],
)
def test_a_failing_run_ends_it(tools: Tools, how: str, status: int, at: int, which: str) -> None:
    found = compare(tools, 10, how, str(at))
    assert found.done.returncode == status
    assert len(found.order) == at
    assert f"failed {which} the drop-in, with status {status}" in found.done.stderr
    assert ("this is why\n" in found.done.stderr) == (how == "fail-at")
    # Two pairs were whole before the seventh run, the third ended with it or the eighth.
    assert ("the median of 2\n" in found.done.stdout) == (at > 6)


@pytest.mark.parametrize("ending", [signal.SIGINT, signal.SIGTERM])
def test_an_interruption_ends_it_with_what_there_is(tools: Tools, ending: signal.Signals) -> None:
    log = tools.folder / "order"
    log.write_text("")
    started = time.monotonic()
    process = subprocess.Popen(
        [
            *(tools.command, "--library", tools.library, "--compare", "100"),
            *(tools.program, "sleep-at", "8"),
        ],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment({"TEST_LOG": str(log)}),
    )
    while len(log.read_text()) < 8:
        assert time.monotonic() < started + 30
        time.sleep(0.01)
    assert running(tools.program) != []
    process.send_signal(ending)
    output, errors = process.communicate(timeout=30)
    assert process.returncode == 128 + ending
    assert errors == "finegrain-omp: interrupted\n"
    assert "the median of 2\n" in output
    while running(tools.program):  # what the program started is ended too
        assert time.monotonic() < started + 30
        time.sleep(0.01)


def running(program: Path) -> list[str]:
    """The processes of that program that are not at their end."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if (process / "exe").resolve() == program:
                found.append(process.name)
        except OSError:
            continue  # it ended
    return found


def test_shows_how_far_it_is_on_a_terminal(tools: Tools) -> None:
    terminal, ours = os.openpty()
    done = subprocess.run(
        [tools.command, "--library", tools.library, "--compare", "3", tools.program],
        stdout=subprocess.PIPE,
        stderr=ours,
        check=True,
        timeout=60,
        env=environment({}),
    )
    expected = "".join(f"\r\x1b[Kpair {pair} of 3" for pair in range(4)) + "\r\x1b[K"
    shown_there = ""
    while len(shown_there) < len(expected):  # it comes in parts where the machine is busy
        assert select.select([terminal], [], [], 10)[0], shown_there
        shown_there += os.read(terminal, 65536).decode()
    os.close(ours)
    os.close(terminal)
    assert shown_there == expected
    assert b"\x1b" not in done.stdout
