# SPDX-License-Identifier: Apache-2.0
"""What the host could not show, and what differs from a paper: from the data alone."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from finegrain_lab.experiments import EXPERIMENTS
from finegrain_lab.experiments.tasking import size_lines
from finegrain_lab.papers import PAPERS, Paper
from finegrain_lab.run.host import Host
from finegrain_lab.show.ratios import is_disturbed
from finegrain_lab.show.report.measured import Measured
from finegrain_lab.show.result import Result
from finegrain_lab.show.table import floor_moved, siblings_text

# Relic's wait policies that not every processor has.
PROCESSORS_OWN = ("umwait", "mwaitx")
SHORT = 160  # characters
ALL = [experiment.name for experiment in EXPERIMENTS]


@dataclass(frozen=True)
class Limit:
    """One thing that was not to be seen, with particulars."""

    what: str
    particulars: Sequence[str] = ()

    @property
    def is_short(self) -> bool:
        """Says whether all of it fits into a line or two."""
        return sum(map(len, self.particulars)) <= SHORT


def limits_of(measured: Measured) -> list[Limit]:
    """Returns them, those of the machine first."""
    results = list(measured.results.values())
    found = [
        *_of_the_machine(measured.host),
        *_wait_policies(results),
        *_few_cpus(measured.host),
        _limit("Runtimes that are not installed", _missing(results)),
        _limit("Experiments that were not run", _not_run(measured, ALL)),
        _limit("Experiments that failed as a whole", _failed_as_a_whole(measured, ALL)),
        _limit(
            "Sizes below the papers', which --paper has; each paper's section below says which",
            [result.experiment for result in results if _sizes(result)],
        ),
        _limit(
            "Quick runs, of few rounds: --full goes on until its intervals are narrow",
            [result.experiment for result in results if result.mode == "quick"],
        ),
        _limit("Cases that failed", _failed(results)),
        _limit(
            "Something else ran beside these: their numbers are not to be quoted",
            [result.experiment for result in results if is_disturbed(result)],
        ),
        _limit(
            "What else ran beside these was not recorded",
            [result.experiment for result in results if result.beside is None],
        ),
        _limit(
            "The floor moved: the host changed during these runs, or something else ran",
            [result.experiment for result in results if floor_moved(result)],
        ),
    ]
    return [limit for limit in found if limit]


def differences_of(paper: Paper, measured: Measured) -> list[Limit]:
    """Returns what was not done as the paper did, and why, as far as the data tells."""
    names = paper.experiments()
    results = [result for name, result in measured.results.items() if name in names]
    host = measured.host
    machine = f"{host.cpu}, {len(host.cpus_allowed)} CPUs, {siblings_text(host)}"
    found = [
        Limit(f"Machine: {paper.machine}. Here: {machine}"),
        _limit("Sizes below the paper's, so that a run takes minutes", _scaled(results)),
        _limit("Runtimes that are not installed", _missing(results)),
        _limit("Cases that failed", _failed(results)),
        _limit("Experiments that were not run", _not_run(measured, names)),
        _limit("Experiments that failed as a whole", _failed_as_a_whole(measured, names)),
    ]
    return [limit for limit in found if limit]


def _limit(what: str, particulars: Sequence[str]) -> Limit | None:
    return Limit(what, particulars) if particulars else None


def _of_the_machine(host: Host) -> Iterable[Limit]:
    if host.used_cpus_are_siblings is not True:
        yield Limit(
            "The two CPUs are not SMT siblings: what a hand-over costs within one core, which the "
            "Relic paper is about, was not measured"
            if host.used_cpus_are_siblings is False
            else "The system does not say whether the two CPUs are SMT siblings of one core, as "
            "the Relic paper has them"
        )
    if host.hypervisor:
        yield Limit(
            "A virtual machine: its host may take or move the CPUs at any time, and waking a "
            "sleeping thread costs more than on bare metal"
        )
    if host.cgroup_quota_cpus is not None:
        yield Limit(f"A quota of {host.cgroup_quota_cpus:g} CPUs, which may halt the threads")


def _wait_policies(results: Sequence[Result]) -> Iterable[Limit]:
    known = [set(policies) for result in results if (policies := _policies(result)) is not None]
    if known:
        absent = [name for name in PROCESSORS_OWN if all(name not in each for each in known)]
        if absent:
            names = " and no ".join(absent)
            yield Limit(f"No {names} on this processor: those wait policies were not run")


def _policies(result: Any) -> Sequence[str] | None:
    if result.experiment not in ("handoff", "waiting"):
        return None
    policies: Any = result.settings.policies
    return policies.get("relic") if isinstance(policies, dict) else policies


def _few_cpus(host: Host) -> Iterable[Limit]:
    here = len(host.cpus_allowed)
    had = [f"{paper.name} {paper.cpus}" for paper in PAPERS if paper.cpus > here]
    if had:
        yield Limit(f"{here} CPUs: every curve over threads ends there. The papers had more", had)


def _missing(results: Sequence[Result]) -> list[str]:
    missing = {line.runtime: line.how_to_get for result in results for line in result.missing}
    return [f"{runtime}: {how_to_get}" for runtime, how_to_get in missing.items()]


def _not_run(measured: Measured, names: Sequence[str]) -> list[str]:
    known = measured.results.keys() | measured.failed.keys()
    return [name for name in names if name not in known]


def _failed_as_a_whole(measured: Measured, names: Sequence[str]) -> list[str]:
    return [
        f"{name}: {why}"
        for name, why in measured.failed.items()
        if name in names and name not in measured.results
    ]


def _scaled(results: Sequence[Result]) -> list[str]:
    return [f"{result.experiment}: {line}" for result in results for line in _sizes(result)]


def _sizes(result: Any) -> list[str]:
    """Returns what the mode has chosen, in words; numbers of another experiment's are none."""
    sizes = getattr(result.settings, "sizes", {}) if result.mode != "paper" else {}
    return size_lines({case: words for case, words in sizes.items() if isinstance(words, str)})


def _failed(results: Sequence[Result]) -> list[str]:
    return [f"{result.experiment}: {line.told()}" for result in results for line in result.failed]
