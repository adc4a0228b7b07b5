# SPDX-License-Identifier: Apache-2.0
"""The programs of bench/programs say what is wrong in one line, with the right status."""

import os
import subprocess
from pathlib import Path

import pytest

PROGRAMS = Path(os.environ["FINEGRAIN_BUILD_DIR"]) / "bench/programs"
POOL_ON_TWO = ["spawn-pool", "--threads", "2", "--cpus"]
SERIAL_ON_TWO = ["spawn-serial", "--threads", "2", "--cpus"]
FIB_10 = ["--case", "fib-nocutoff", "--size", "10"]
BREAK_EVEN = ["break-even", "--spin-steps-per-us", "100"]


@pytest.mark.parametrize(
    ("command", "status", "words"),
    [
        (["floor", "--cpus", "0"], 2, "--cpus"),
        (["floor", "--cpus", "0,5000"], 1, "cannot run on CPU 5000"),
        (["calibrate", "--cpu", "-1"], 2, "--cpu"),
        (["handoff", "--runtime", "none"], 2, "there is no runtime 'none'"),
        (["handoff", "--runtime", "relic", "--policy", "nap"], 2, "has no policy 'nap'"),
        (["handoff", "--runtime", "relic", "--policy", "spin", "--case", "burst-1"], 2, "burst-1"),
        (["handoff", "--runtime", "relic", "--policy", "spin", "--case", "burst-129"], 2, "burst"),
        (
            ["handoff", "--runtime", "floor-one-line", "--policy", "spin", "--case", "burst-2"],
            2,
            "has no case",
        ),
        (
            ["handoff", "--runtime", "floor-one-line", "--policy", "spin", "--case", "value-in"],
            2,
            "floor-one-line has no case 'value-in'",
        ),
        (
            ["handoff", "--runtime", "relic", "--policy", "spin", "--case", "value-out-16"],
            2,
            "relic has no case 'value-out-16'",
        ),
        (
            ["handoff", "--runtime", "boost-spsc", "--policy", "spin", "--cpus", "0,5000"],
            1,
            "cannot run on CPU 5000",
        ),
        (["handoff-instructions", "--case", "bursts"], 2, "there is no case 'bursts'"),
        (["handoff-instructions", "--case", "value-in"], 2, "there is no case 'value-in'"),
        (["break-even"], 2, "--spin-steps-per-us"),
        ([*BREAK_EVEN, "--ratio", "2to1"], 2, "--ratio"),
        ([*BREAK_EVEN, "--cpus", "0,5000"], 1, "CPU 5000"),
        (["waiting", "--policy", "nap"], 2, "there is no policy 'nap'"),
        (["waiting", "--hints", "some"], 2, "--hints"),
        (["waiting", "--gap-us", "0"], 2, "--gap-us"),
        (["periodic-relic", "--waits", "nap"], 2, "--waits"),
        (["periodic-pool", "--waits", "hints"], 2, "--waits"),
        (["periodic-serial", "--period-us", "0"], 2, "--period-us"),
        (["periodic-serial", "--jitter-percent", "50"], 2, "'50' is no number from 0 to 49"),
        (["periodic-serial", "--work-us", "nan"], 2, "'nan' is no number from 0.01"),
        (["periodic-serial", "--answers", "0"], 2, "--answers"),
        (["periodic-serial", "--cpus", "5000,0"], 1, "cannot run on CPU 5000"),
        (["periodic-pool", "--cpus", "0,5000"], 1, "cannot run on CPU 5000"),
        (["periodic-relic", "--cpus", "0,5000"], 1, "5000"),
        (["loops-pool", "--calls", "default"], 2, "--calls"),
        (["loops-relic", "--calls", "inside"], 2, "--calls"),
        (["loops-serial", "--elements", "0"], 2, "--elements"),
        (["loops-serial", "--element-ns", "0"], 2, "'0' is no number from 0.1"),
        (["loops-serial", "--steps", "0"], 2, "--steps"),
        (["loops-serial", "--batches", "0"], 2, "--batches"),
        (["loops-serial", "--cpus", "5000,0"], 1, "cannot run on CPU 5000"),
        (["loops-pool", "--cpus", "0,5000"], 1, "cannot run on CPU 5000"),
        (["loops-relic", "--cpus", "0,5000"], 1, "5000"),
        (["loops-onetbb", "--batch-us", "0"], 2, "'0' is no number from 1"),
        (["graph-relic"], 2, "--shape"),
        (["graph-relic", "--shape", "tree"], 2, "--shape"),
        (["graph-serial", "--shape", "chain", "--form", "fork-join"], 2, "--form"),
        (["graph-pool", "--shape", "random", "--form", "fork-join"], 2, "cannot express this"),
        (["graph-serial", "--shape", "chain", "--node-ns", "nan"], 2, "'nan' is no number from 0"),
        (["graph-serial", "--shape", "chain", "--cpus", "5000,0"], 1, "cannot run on CPU 5000"),
        (["graph-pool", "--shape", "chain", "--cpus", "0,5000"], 1, "cannot run on CPU 5000"),
        (["graph-gnu-openmp", "--shape", "chain", "--graphs", "0"], 2, "--graphs"),
        (["pipeline-relic"], 2, "--line"),
        (["pipeline-relic", "--line", "p-s"], 2, "--line"),
        (["pipeline-serial", "--line", "s-s", "--token-ns", "nan"], 2, "'nan' is no number from 0"),
        (["pipeline-serial", "--line", "s-s", "--batch-us", "0"], 2, "'0' is no number from 1"),
        (["pipeline-pool", "--line", "s-s", "--cpus", "0,5000"], 1, "cannot run on CPU 5000"),
        (["pipeline-two-threads", "--line", "s-s", "--cpus", "0,5000"], 1, "CPU 5000"),
        (["sync", "--mechanism", "hope"], 2, "there is no mechanism 'hope'"),
        (["sync", "--mechanism", "mutex", "--threads", "0"], 2, "--threads"),
        (["sync", "--mechanism", "mutex", "--operations", "0"], 2, "--operations"),
        (["sync", "--mechanism", "mutex", "--cpus", "5000"], 1, "cannot run on CPU 5000"),
        (["queues", "--queue", "none"], 2, "there is no queue 'none'"),
        (["queues", "--queue", "boost-spsc", "--measure", "mood"], 2, "--measure"),
        (["queues", "--queue", "boost-spsc", "--cpus", "0,5000"], 1, "cannot run on CPU 5000"),
        (["spawn-pool"], 2, "say what to measure"),
        (["spawn-pool", "--policy", "none", "fib"], 2, "pool has no policy 'none'"),
        ([*POOL_ON_TWO, "0,900", "fib"], 1, "cannot run on CPU 900"),
        (["spawn-pool", "fib", "--n", "51"], 2, "--n"),
        (["spawn-pool", "--queue-capacity", "4", "fib"], 2, "can not be set"),
        (["spawn-pool", "tree", "--children", "0"], 2, "--children"),
        (["spawn-pool", "flat", "--long-tasks", "1"], 2, "--long"),
        (["spawn-pool", "flat", "--delay-ns", "nan"], 2, "'nan' is no number from 0"),
        (["spawn-pool", "flat", "--tasks", f"{2**63}"], 2, "--tasks"),
        (["floor", "--batches", "2000000000"], 2, "--batches"),
        (["floor", "--two\nlines"], 2, "--two?lines"),
        (["spawn-pool", "uts", "--tree", "T2"], 2, "T2"),
        (["spawn-pool", "bots", "--application", "none"], 2, "none"),
        (["spawn-pool", "cholesky", "--n", "100"], 2, "--tile"),
        (["spawn-pool", "syrk", "--n", "20000", "--tile", "2"], 2, "too small"),
        (["spawn-serial", "--policy", "any", "fib"], 2, "serial has no policy 'any'"),
        ([*SERIAL_ON_TWO, "0", "fib"], 2, "too few CPUs for 2"),
        ([*SERIAL_ON_TWO, "0,5000", "fib"], 1, "not its CPU"),
        (["spawn-serial", "--cpus", "5000", "fib"], 1, "cannot run on CPU 5000"),
        (["spawn-gnu-openmp", "--threads", "0", "fib"], 2, "--threads"),
        (["spawn-gnu-openmp", "--batches", "0", "fib"], 2, "--batches"),
        (["omp-gnu-openmp"], 2, "--case"),
        (["omp-gnu-openmp", "--case", "none"], 2, "there is no case 'none'"),
        (["omp-gnu-openmp", "--case", "nqueens", "--size", "15"], 2, "1 to 14"),
        (["omp-gnu-openmp", "--case", "coarse-100us"], 2, "needs --spin-steps-per-us"),
        (["omp-serial", "--case", "barrier-overhead"], 2, "nothing without a runtime"),
        (["omp-serial", *FIB_10, "--threads", "2"], 1, "threads of a region: 1, not 2"),
        (["omp-serial", *FIB_10, "--cpus", "5000"], 1, "cannot run on CPU 5000"),
    ],
)
def test_refuses(command: list[str], status: int, words: str) -> None:
    ended = subprocess.run(
        [str(PROGRAMS / command[0]), *command[1:]],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert ended.returncode == status
    assert ended.stdout == ""
    assert ended.stderr.count("\n") == 1
    assert ended.stderr.startswith(f"{Path(command[0]).name}: ")
    assert words in ended.stderr
