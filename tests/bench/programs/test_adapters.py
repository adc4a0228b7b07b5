# SPDX-License-Identifier: Apache-2.0
"""Every built adapter, run as the lab runs it: both CPUs are used, every kernel is right.

FINEGRAIN_BUILD_DIR names the build folder, for instance build/release.
"""

import os
import re
import subprocess
from pathlib import Path

import pytest

from finegrain_lab.experiments.relic_cases import KERNELS, Sample
from finegrain_lab.run.experiment import Command
from finegrain_lab.run.host import allowed_cpus, choose_cpus
from finegrain_lab.run.instruments import spin_steps_per_us as spin_steps
from finegrain_lab.run.processes import Processes, clean_environment
from finegrain_lab.run.runtimes import (
    SERIAL,
    X_OPENMP,
    Build,
    Cpus,
    Runtime,
    environment_of,
    load_build,
)

LONG_TASK = "spin-5ms"  # long enough for any runtime's other thread to wake up and take it
LONG_ITERATIONS = 8
TRIES = 3  # the host may take a CPU away for a while
# CPUs are looked at in tasks of 50 us, and on a busy machine the main thread may take all of those.
SIGHTINGS = 10
WRONG_ARGUMENTS_STATUS = 2


def _load() -> Build:
    folder = os.environ.get("FINEGRAIN_BUILD_DIR")
    if not folder:
        pytest.fail("FINEGRAIN_BUILD_DIR names no build folder", pytrace=False)
    return load_build(Path(folder))


BUILD = _load()
INSTALLED = [pytest.param(runtime, id=runtime.name) for runtime in BUILD.installed("relic-kernels")]
PARALLEL = [
    pytest.param(runtime, id=runtime.name)
    for runtime in BUILD.installed("relic-kernels")
    if runtime.name != SERIAL
]

ON_THE_DROP_IN = [
    pytest.param(runtime, id=runtime.name)
    for runtime in BUILD.installed("relic-kernels")
    if runtime.name in X_OPENMP
]


@pytest.fixture(scope="module")
def cpus() -> Cpus:
    """The two CPUs to run on. Without two of them nothing here can be shown, which is no pass."""
    if len(allowed_cpus()) < 2:
        pytest.fail(f"only CPU {allowed_cpus()[0]} may be used here: adapters need two")
    return choose_cpus(None)[0]


@pytest.fixture(scope="module")
def spin_steps_per_us(cpus: Cpus) -> float:
    """What the spin kernel takes for its scale."""
    return spin_steps(Processes(), BUILD, cpus[0])


def command_of(runtime: Runtime, case: str, iterations: int, cpus: Cpus) -> list[str]:
    return [
        *(str(BUILD.command(runtime)), "--case", case, "--iterations", str(iterations)),
        *("--cpus", f"{cpus[0]},{cpus[1]}"),
    ]


def run_long_task(runtime: Runtime, cpus: Cpus, spin_steps_per_us: float) -> Sample:
    command = command_of(runtime, LONG_TASK, LONG_ITERATIONS, cpus)
    command += ["--warmup", "2", "--spin-steps-per-us", repr(spin_steps_per_us)]
    return Processes().run(Command(command, environment_of(runtime.name, "tuned", cpus)), Sample)


@pytest.mark.parametrize("runtime", PARALLEL)
def test_long_tasks_run_on_the_other_thread(
    runtime: Runtime, cpus: Cpus, spin_steps_per_us: float
) -> None:
    shares: list[float] = []
    while len(shares) < TRIES and max(shares, default=0.0) < 0.9:
        shares.append(run_long_task(runtime, cpus, spin_steps_per_us).offloaded_share)
    assert max(shares) >= 0.9, shares


@pytest.mark.parametrize("exchanged", [False, True], ids=["main-first", "exchanged"])
@pytest.mark.parametrize("runtime", PARALLEL)
def test_the_threads_are_on_the_cpus_asked_for(
    runtime: Runtime, exchanged: bool, cpus: Cpus, spin_steps_per_us: float
) -> None:
    main, assistant = reversed(cpus) if exchanged else cpus
    seen: set[int] = set()
    for _ in range(SIGHTINGS):
        sample = run_long_task(runtime, (main, assistant), spin_steps_per_us)
        assert sample.main_cpu == main
        seen.update(sample.task_cpus)
        if assistant in seen:
            break
    assert assistant in seen
    assert seen <= {main, assistant}


@pytest.mark.parametrize("runtime", ON_THE_DROP_IN)
def test_x_openmp_s_tasks_are_on_the_queues_of_its_policy(runtime: Runtime, cpus: Cpus) -> None:
    policy = runtime.name.replace("x-openmp-", "xqueue_")
    verbose = {"FINEGRAIN_OMP_VERBOSE": "1"}
    done = subprocess.run(
        command_of(runtime, "tc", 200, cpus),
        capture_output=True,
        text=True,
        check=True,
        env=clean_environment(environment_of(runtime.name, "tuned", cpus) | verbose),
        timeout=60,
    )
    assert f"policy {policy}" in done.stderr
    taken = re.search(r"(\d+) tasks", done.stderr)
    assert taken
    assert int(taken[1]) >= 200


def test_serial_hands_nothing_over(cpus: Cpus, spin_steps_per_us: float) -> None:
    (serial,) = BUILD.choose([SERIAL])
    sample = run_long_task(serial, cpus, spin_steps_per_us)
    assert sample.offloaded_share == 0
    assert sample.main_cpu == cpus[0]
    assert sample.task_cpus == [cpus[0]]


@pytest.mark.parametrize("case", KERNELS)
@pytest.mark.parametrize("runtime", INSTALLED)
def test_every_kernel_is_right_on_every_runtime(runtime: Runtime, case: str, cpus: Cpus) -> None:
    # A wrong result ends the process with a status of its own, and raises here.
    command = command_of(runtime, case, 200, cpus)
    sample = Processes().run(Command(command, environment_of(runtime.name, "tuned", cpus)), Sample)
    assert (sample.runtime, sample.case, sample.iterations) == (runtime.name, case, 200)


@pytest.mark.parametrize("runtime", INSTALLED)
@pytest.mark.parametrize("case", ["bcc", "", "spin-10xx"])
def test_a_wrong_case_is_refused_in_one_line(runtime: Runtime, case: str, cpus: Cpus) -> None:
    done = subprocess.run(
        command_of(runtime, case, 10, cpus),
        capture_output=True,
        text=True,
        check=False,
        env=clean_environment(environment_of(runtime.name, "tuned", cpus)),
        timeout=60,
    )
    assert done.returncode == WRONG_ARGUMENTS_STATUS
    assert done.stdout == ""
    assert len(done.stderr.splitlines()) == 1
