# SPDX-License-Identifier: Apache-2.0
"""Two folders of results, experiment by experiment and row by row."""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from finegrain_lab.run.errors import LabError
from finegrain_lab.show.changes import LEAST_CHANGE, Change, changes_of
from finegrain_lab.show.measurements import Measurement, measurements_of
from finegrain_lab.show.pairs import Rows, match
from finegrain_lab.show.result import Result, results_in
from finegrain_lab.show.statistics import CONFIDENCE
from finegrain_lab.show.table import siblings_text


@dataclass(frozen=True)
class Compared:
    """An experiment that both folders have."""

    before: Result
    after: Result
    rows: Rows
    changes: list[Change]  # of the rows that both have, where they have logarithms

    @property
    def named(self) -> list[Change]:
        """The rows that changed, ours first."""
        return sorted((it for it in self.changes if it.named), key=lambda it: not it.pair.ours)


@dataclass(frozen=True)
class Told:
    """Something of where and how the runs were made, as each of them says it."""

    what: str
    before: str
    after: str
    is_machine: bool

    @property
    def differs(self) -> bool:
        """Says whether the runs differ in it."""
        return self.before != self.after


@dataclass(frozen=True)
class Comparison:
    """All of it."""

    experiments: list[Compared]
    only_before: list[str]  # experiments
    only_after: list[str]
    told: list[Told]

    @property
    def changes(self) -> list[Change]:
        """Those of all experiments."""
        return [change for compared in self.experiments for change in compared.changes]

    def regressions(self, share: float) -> list[Change]:
        """Returns the rows of ours that surely got slower by more than this share."""
        return [it for it in self.changes if it.pair.ours and it.is_slower_than(share)]


_Say = Callable[[Result], object]

_MACHINE: dict[str, _Say] = {
    "CPU": lambda it: it.host.cpu,
    "family, model, stepping": lambda it: (
        f"{it.host.vendor} {it.host.family}, {it.host.model}, {it.host.stepping}"
    ),
    "CPUs used": lambda it: (
        f"{it.host.used_cpus[0]} and {it.host.used_cpus[1]} of {it.host.cpus_online}, "
        f"{siblings_text(it.host)}"
    ),
    "SMT": lambda it: it.host.smt,
    "virtual machine": lambda it: "yes" if it.host.hypervisor else "no",
    "CPU quota": lambda it: it.host.cgroup_quota_cpus or "none",
    "kernel": lambda it: it.host.kernel,
    "governor": lambda it: it.host.governor,
}
_RUN: dict[str, _Say] = {
    "compiler": lambda it: it.host.compiler,
    "flags": lambda it: f"{it.host.build_type}: {it.host.flags}",
    "commit": lambda it: it.host.commit[:12],
    "uncommitted changes": lambda it: {None: "not known", True: "yes", False: "no"}[it.host.dirty],
    "mode": lambda it: it.mode,
}


def compare(before: Path, after: Path) -> Comparison:
    """Compares two folders. Raises LabError for what can not be read or compared."""
    if before.resolve() == after.resolve():
        raise LabError(f"{before} and {after} are the same folder", 2)
    old, new = results_in(before), results_in(after)
    both = [experiment for experiment in old if experiment in new]
    if not both:
        names = [", ".join(it.name for it in found) for found in (old, new)]
        raise LabError(f"nothing to compare: {before} has {names[0]}, {after} has {names[1]}")
    rows = [match(measurements_of(it, old[it]), measurements_of(it, new[it])) for it in both]
    # One procedure over the rows of all experiments: what it promises is promised of all.
    changes = changes_of([pair for each in rows for pair in each.both if pair.is_comparable])
    return Comparison(
        experiments=[
            Compared(
                before=old[experiment],
                after=new[experiment],
                rows=each,
                changes=[it for it in changes if it.pair.before.experiment == experiment.name],
            )
            for experiment, each in zip(both, rows, strict=True)
        ],
        only_before=[it.name for it in old if it not in new],
        only_after=[it.name for it in new if it not in old],
        told=_told([old[it] for it in both], [new[it] for it in both]),
    )


def _told(before: Sequence[Result], after: Sequence[Result]) -> list[Told]:
    said = [
        Told(what, _said(say, before), _said(say, after), say in _MACHINE.values())
        for what, say in (_MACHINE | _RUN).items()
    ]
    return said + _settings(before, after)


def _said(say: _Say, results: Sequence[Result]) -> str:
    return "; ".join(dict.fromkeys(str(say(result)) for result in results))


def _settings(before: Sequence[Result], after: Sequence[Result]) -> list[Told]:
    """Returns the settings in words, of each experiment, in which the runs differ."""
    found = []
    for old, new in zip(before, after, strict=True):
        mine, others = _words(old), _words(new)
        found += [
            Told(f"{old.experiment}: {name}", mine[name], others[name], is_machine=False)
            for name in mine
            if mine[name] != others.get(name, mine[name])
        ]
    return found


def _words(result: Result) -> dict[str, str]:
    settings = result.settings
    return {name: value for name, value in settings.items() if isinstance(value, str)}


def to_json(comparison: Comparison) -> dict[str, Any]:
    """Returns all of it for another program."""
    return {
        "confidence": CONFIDENCE,
        "least_change": LEAST_CHANGE,
        "told": [asdict(told) | {"differs": told.differs} for told in comparison.told],
        "only_before": comparison.only_before,
        "only_after": comparison.only_after,
        "experiments": [
            {
                "experiment": compared.before.experiment,
                "rows": [_row(change) for change in compared.changes],
                "only_before": [_name(row) for row in compared.rows.only_before],
                "only_after": [_name(row) for row in compared.rows.only_after],
                "of_another_size": [_name(row) for row in compared.rows.of_another_size],
            }
            for compared in comparison.experiments
        ],
    }


def _name(row: Measurement) -> dict[str, Any]:
    return {"case": row.case, "runtime": row.runtime, "ours": row.ours, "default": row.default}


def _row(change: Change) -> dict[str, Any]:
    factors = {key: value for key, value in vars(change).items() if key != "pair"}
    return _name(change.pair.before) | {"yardstick": change.pair.yardstick} | factors
