# SPDX-License-Identifier: Apache-2.0
"""Which pairs of CPUs the run is on."""

from finegrain_lab.errors import LabError
from finegrain_lab.handoff.protocol import Cpu, Info, Placement
from finegrain_lab.host import choose_cpus
from finegrain_lab.processes import ProcessFailed, run_process
from finegrain_lab.runtimes import Build, Cpus

# Nearest first, as finegrain-info has them: what the two CPUs have in common.
KINDS = (("smt_sibling", "core"), ("shared_l2", "l2"), ("shared_l3", "l3"))


def choose_placements(build: Build, asked: Cpus | None) -> list[Placement]:
    """Returns the asked pair, or one pair of every kind that this machine has, nearest first.

    Raises LabError if there is none, or if the asked one cannot be had.
    """
    if asked is not None:
        choose_cpus(asked)
    info = _info(build)
    if asked is not None:
        return [
            Placement(kind=kind_of(info.cpus, asked), main_cpu=asked[0], assistant_cpu=asked[1])
        ]
    if not info.placements:
        raise LabError(f"there is no pair of CPUs to measure on: {info.pair.reason}")
    return info.placements


def kind_of(cpus: list[Cpu], pair: Cpus) -> str:
    """Returns how near the two CPUs are."""
    by_id = {cpu.id: cpu for cpu in cpus}
    if not all(cpu in by_id for cpu in pair):
        return "unknown"
    main, assistant = (by_id[cpu] for cpu in pair)
    same_package = main.package == assistant.package
    for kind, part in KINDS:
        mine, other = getattr(main, part), getattr(assistant, part)
        if same_package and mine == other and mine is not None and mine >= 0:
            return kind
    return "same_package" if same_package else "other_package"


def _info(build: Build) -> Info:
    command = [str(build.program(build.manifest.info)), "--json", "--no-measure"]
    try:
        return run_process(command, Info)
    except ProcessFailed as error:
        raise LabError(f"finegrain-info gives no placement: {error}") from error
