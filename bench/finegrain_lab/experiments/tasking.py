# SPDX-License-Identifier: Apache-2.0
"""Tasks on every runtime: what the experiments share that differ in what is spawned."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Callable, Dict, List, Optional

from finegrain_lab.experiments.spawning import (
    CEILING,
    REFERENCE,
    Case,
    Contestant,
    Run,
    TaskSample,
    answers_as,
    choose,
    each_once,
    missing_peers,
    program_of,
)
from finegrain_lab.run import drop_in
from finegrain_lab.run.allocators import Allocator
from finegrain_lab.run.drop_in import WITH_DROP_IN
from finegrain_lab.run.experiment import (
    Compared,
    Experiment,
    Fact,
    Plan,
    Ratio,
    Request,
    Slot,
)
from finegrain_lab.run.host import choose_all_cpus, cores_first
from finegrain_lab.run.modes import Mode
from finegrain_lab.run.runtimes import (
    SERIAL,
)
from finegrain_lab.run.samples import Samples, ratios_by_round
from finegrain_lab.run.threads import chosen_counts, cpus_of, threads_text
from finegrain_lab.show.figures import Figure
from finegrain_lab.show.tables import AnyCell, Cell, Part, Section, Table, ratio, ratio_text

ToCell = Callable[[Any], AnyCell]


@dataclass(frozen=True)
class Measure:
    """What a paper plots."""

    name: str
    unit: str
    better: str  # lower or higher
    of: Callable[[Any, Any], float]  # of a sample of a case


@dataclass(frozen=True)
class Study:
    """One of these experiments."""

    name: str
    title: str
    heading: str
    intro: str
    paper: Sequence[str]
    modes: Mapping[str, Mode]
    cases: Mapping[str, Sequence[Case]]  # by mode; one that is not there has those of the first
    measure: Measure
    figures: Callable[[Study, Any], list[Figure]]
    # Tables beside those that every study has: the same on the terminal and in the report.
    tables: Callable[[Study, Any], list[Table]] = lambda _study, _result: []
    sections: Callable[[Any], list[Section]] = lambda _result: []  # behind all
    sample: type[Any] = TaskSample
    facts: Mapping[str, Fact] = field(default_factory=dict)
    # What a runtime's speedup is over: `itself` on one thread, or the `serial` process. None: there
    # are no speedups, and no ceiling to hold them against.
    speedup_over: str | None = None
    is_about_policies: bool = False  # then even a brief run has all of them
    # Settings of its own, by the cases; and what they are in files that lack them.
    settings: Callable[[Sequence[Any]], dict[str, Any]] = lambda _cases: {}
    defaults: Mapping[str, Any] = field(default_factory=dict)

    def cases_of(self, mode: str) -> Sequence[Any]:
        """Returns the cases of this mode."""
        return self.cases.get(mode, next(iter(self.cases.values())))

    def cases_in(self, result: Any) -> list[Any]:
        """Returns those of a result."""
        return [case for case in self.cases_of(result.mode) if case.name in result.cases]

    def experiment(self) -> Experiment:
        """Returns it as the command knows it."""
        known = {case.name: case for cases in self.cases.values() for case in cases}
        described = Experiment(
            name=self.name,
            title=self.title,
            heading=self.heading,
            intro=self.intro,
            modes=self.modes,
            plan=self._plan,
            sample=self.sample,
            numbers={
                "ns": lambda sample, _row: float(sample.mean_ns),
                "value": lambda sample, row: self.measure.of(sample, known[row.case]),
            },
            complaint=self._complaint,
            is_vital=lambda slot: slot.runtime in (SERIAL, CEILING, REFERENCE),
            others={"threads": int},
            ratios={
                "of_reference": Ratio(of=_of_reference),
                "speedup": Ratio("ns", self._alone, is_inverse=True),
                "of_ceiling": Ratio(of=_of_ceiling),
            },
            facts={**FACTS, **self.facts},
            settings={**SETTINGS, **dict.fromkeys(self.defaults, Any)},
            summary=partial(_summary, known),
            own_cpus=lambda row, settings: (
                cpus_of(row.threads, settings.get("pair", settings["cpus"][:2]), settings["cpus"])
                if settings["numa_binding"] == "on"
                else None
            ),
            told=lambda slot: f"{slot.runtime} on {_where(slot)}",
            where=_where,
            decides=self._decides,
            deciding="of_ceiling" if self.speedup_over else "of_reference",
            contents=self._contents(),
            options=frozenset(
                {"--runtimes", "--cases", "--peers", "--allocator", "--numa-binding", "--threads"}
            ),
            paper=self.paper,
            header=lambda result: self._header(result, described),
            sections=self._sections,
            compared=_compared,
            migrate=self._migrate,
        )
        return described

    def _contents(self) -> dict[str, list[str]]:
        """The cases, and those of modes with others; which policies the pool has the build says."""
        names = {mode: [case.name for case in self.cases_of(mode)] for mode in self.modes}
        first = next(iter(names.values()))
        others = {f"--{mode}": own for mode, own in names.items() if own != first}
        return {"case": first, **others}

    def _plan(self, request: Request) -> Plan:
        pair, placement, all_cpus = choose_all_cpus(request.cpus)
        counts = chosen_counts(request.threads, len(all_cpus))
        # Two threads are the pair, SMT siblings if there are; more have a core each if there are.
        cpus = cores_first(all_cpus)[: counts[-1]] if counts[-1] > 2 else list(pair)
        cases = {case.name: case for case in self.cases_of(request.mode.name)}
        names = request.chosen_cases(list(cases))
        allocator = request.allocator or Allocator.GLIBC
        allocator.require()
        program = program_of(request.build, SERIAL)
        note = "serial processes side by side: what the CPUs can do"
        everyone = [Contestant(SERIAL, program), Contestant(CEILING, program, note=note)]
        if self.speedup_over is None:
            everyone.pop()
        chosen = choose(request.build, request.runtimes)
        is_once = request.is_brief and not self.is_about_policies
        everyone += each_once(chosen) if is_once else chosen
        run = Run(
            build=request.build,
            mode=request.mode,
            cpus=cpus,
            pair=pair,
            counts=counts,
            cases={name: cases[name] for name in names},
            contestants={contestant.name: contestant for contestant in everyone},
            has_ceiling=self.speedup_over is not None,
            peers=request.peers or "tuned",
            allocator=allocator,
            is_tied=(request.numa_binding or "on") == "on",
        )
        return Plan(
            build=request.build,
            mode=request.mode,
            cpus=pair,
            placement=placement,
            all_cpus=cpus,
            groups=run.groups(),
            command=run.command,
            begin=run.begin,
            cases=names,
            runtimes=list(run.contestants),
            missing=missing_peers(request.build),
            notes={it.name: it.note for it in everyone},
            settings={
                **{"measure": self.measure.name, "unit": self.measure.unit},
                **{"speedup_over": self.speedup_over, **run.settings()},
                **self.settings([cases[name] for name in names]),
            },
        )

    def _complaint(self, sample: Any, slot: Slot, plan: Plan) -> str:
        batches, allocator = plan.mode["batches"], plan.settings["allocator"]
        if (sample.runtime, sample.threads) != (answers_as(slot.runtime), slot.threads):
            return "answered with a sample of something else"
        if len(sample.ns) != batches:
            return f"gave other than {batches} batches"
        if any(len(counts) != slot.threads for counts in sample.tasks_by_thread):
            return f"counted the tasks of other than {slot.threads} threads"
        is_alone = slot.threads == 1 or slot.runtime == CEILING
        if is_alone is not (sample.offloaded_share == 0):
            share = f"{sample.offloaded_share:.0%}"
            return f"ran {share} of the tasks on other threads than the one with most"
        if sample.allocator != allocator:
            return f"called {sample.allocator}'s malloc, not {allocator}'s"
        case = next(it for it in self.cases_of(plan.mode.name) if it.name == slot.case)
        found: str = case.complaint(sample)
        return found

    def _alone(self, row: Slot) -> Slot | None:
        """Returns what its speedup is over; nothing of one thread that would be its own."""
        over_serial = self.speedup_over == "serial" or row.runtime in (SERIAL, CEILING)
        alone = row.but(runtime=SERIAL if over_serial else row.runtime, threads=1)
        return None if self.speedup_over is None or row == alone else alone

    def _decides(self, row: Slot, settings: Mapping[str, Any]) -> bool:
        is_of_interest = row.runtime == REFERENCE if self.speedup_over else row.runtime != SERIAL
        return is_of_interest and bool(row.threads == settings["threads"][-1])

    def _migrate(self, said: dict[str, Any]) -> dict[str, Any]:
        from finegrain_lab.show.old_files import renamed

        defaults = {"allocator": "glibc", "numa_binding": "on", "taken_over": {}, **self.defaults}
        settings = {**defaults, **said["settings"], "checked": said["checked"]}
        return renamed({**said, "settings": settings}, {"ci95": "ns_ci95"})

    # ---- what is shown

    def _header(self, result: Any, described: Experiment) -> list[str]:
        """Returns sizes, proofs, checks, and with a ceiling the reference's part of that."""
        from finegrain_lab.show.measurements import measurements_of
        from finegrain_lab.show.ratios import flagged
        from finegrain_lab.show.serial import unbeaten_cases

        settings = result.settings
        lines = size_lines(settings.sizes)
        lines += [drop_in.PROVED] if settings.taken_over else []
        lines += [f"checked: {line}" for line in settings.checked]
        unbeaten = {it.case for it in unbeaten_cases(measurements_of(described, result))}
        for case in result.cases if self.speedup_over else ():
            row = result.row(case=case, runtime=REFERENCE, threads=settings.threads[-1])
            if row and row.of_ceiling is not None:
                low, high = row.value_ci95
                text = (
                    f"{case}: {row.runtime} on {threads_text(row.threads)}: {value_text(row.value)}"
                    f" {settings.unit} ({low:.3g} to {high:.3g}), "
                    f"{ratio_text(row.of_ceiling, row.of_ceiling_ci95, 3)} of the ceiling, "
                    f"{_rank(result, row)}"
                )
                text += ", nobody surely beats serial" if _where(row) in unbeaten else ""
                lines.append(flagged(text, result))
        return lines

    def _sections(self, result: Any) -> list[Section]:
        heading = self.measure.name[0].upper() + self.measure.name[1:]
        parts: list[Part] = [
            *self.figures(self, result),
            *self._tables_by_case(result),
            *self.tables(self, result),
            *self._tables_of_cases(result),
        ]
        return [Section(heading, parts), *self.sections(result)]

    def _tables_by_case(self, result: Any) -> list[Table]:
        """Returns the terminal's, a column a case."""
        unit, counts = f"{self.measure.name}, {self.measure.unit}", result.settings.threads
        most = threads_text(counts[-1])
        shown: list[tuple[str, int, ToCell]] = [
            *((f"{unit}, {threads_text(count)}", count, value_cell) for count in reversed(counts)),
            (f"times the time of {REFERENCE}, {most}, paired", counts[-1], ratio("of_reference")),
        ]
        if self.speedup_over:
            title = (
                f"speedup of {most} over {self.speedup_base}, and that as a share of the ceiling's"
            )
            shown.append((title, counts[-1], _speedup_cell))
        return [
            _table(result, title, threads, {case: (case, cell) for case in cases}, on_page=False)
            for title, threads, cell in shown
            if (cases := _cases_on(result, threads))
        ]

    def _tables_of_cases(self, result: Any) -> list[Table]:
        """Returns the page's, a case and a number of threads each."""
        columns: dict[str, ToCell] = {
            self.measure.unit: value_cell,
            "wall ns per task": lambda row: Cell(f"{row.ns:.2f}", row.ns_ci95),
            f"times {REFERENCE}": ratio("of_reference"),
        }
        if self.speedup_over:
            columns[f"speedup over {self.speedup_base}"] = ratio("speedup")
            columns["of the ceiling"] = ratio("of_ceiling", 3)
        columns["tasks elsewhere"] = lambda row: f"{100 * row.offloaded_share:.0f} %"
        columns["of a thread, least to most"] = shares_text
        return [
            _table(
                result,
                f"{case}, {threads_text(threads)}",
                threads,
                {head: (case, cell) for head, cell in columns.items()},
                on_terminal=False,
            )
            for threads in reversed(result.settings.threads)
            for case in _cases_on(result, threads)
        ]

    @property
    def speedup_base(self) -> str:
        """Says in words what a runtime's speedup is over."""
        return "its own 1 thread" if self.speedup_over == "itself" else "serial"


FACTS = {
    "offloaded_share": Fact(
        float, lambda them, _row: statistics.median(it.offloaded_share for it in them)
    ),
    "tasks": Fact(List[int], lambda them, _row: sorted({it.tasks for it in them})),
    # Of the counted run of each process, or of each of its batches where all are counted. None: the
    # ceiling's, each process of which has a thread of its own.
    "tasks_by_thread": Fact(
        Optional[List[List[int]]],
        lambda them, row: (
            None
            if row.runtime == CEILING
            else [counts for sample in them for counts in sample.tasks_by_thread]
        ),
    ),
}
SETTINGS = {
    **dict.fromkeys(("reference", "measure", "unit", "peers", "allocator", "numa_binding"), str),
    **{"speedup_over": Optional[str], "spin_steps_per_us": Optional[float]},  # None: no delays
    **{"threads": List[int], "cpus": List[int], "batches": int, "batch_ms": int},
    "environment": Dict[str, Dict[str, str]],  # of the most threads
    "sizes": Dict[str, str],  # by case, in words, where the mode chooses them
    "beside": Dict[str, Dict[str, str]],  # by case and runtime: options and variables of its own
    "taken_over": Dict[str, Any],  # by runtime with the drop-in, ahead of the timed processes
    **{"versions": Dict[str, str], "checked": List[str]},
}


def _where(row: Any) -> str:
    """Returns a row's case and threads for a reader."""
    return f"{row.case}, {threads_text(row.threads)}"


def _of_reference(samples: Samples, row: Slot) -> Mapping[int, float]:
    """Returns its time over the reference's on as many threads; serial's on the most."""
    counts = [at.threads for at in samples.by_row if at.case == row.case]
    threads = max(counts) if row.runtime == SERIAL else row.threads
    reference = row.but(runtime=REFERENCE, threads=threads)
    return ratios_by_round(samples.values(row, "ns"), samples.values(reference, "ns"))


def _of_ceiling(samples: Samples, row: Slot) -> Mapping[int, float]:
    """Returns its speedup over the ceiling's on as many CPUs; one CPU's is the serial process."""
    speedups = samples.ratios(row, "speedup")
    if row.threads == 1:
        return speedups
    return ratios_by_round(speedups, samples.ratios(row.but(runtime=CEILING), "speedup"))


def _summary(known: Mapping[str, Case], samples: Samples) -> dict[str, Any]:
    """Returns versions, and in words what every process had to hold, each once."""
    of_cases: dict[str, list[Any]] = {}
    versions = {}
    for row in samples.by_row:
        own = samples.of([row])
        of_cases.setdefault(row.case, []).extend(own)
        versions[row.runtime] = own[-1].version
    lines = (known[case].checked(them) for case, them in of_cases.items())
    return {"checked": list(dict.fromkeys(filter(None, lines))), "versions": versions}


def _compared(result: Any, row: Any) -> Compared:
    """Each over the ceiling of as many threads, where there is one: what that many CPUs could do.

    Else, and the ceiling itself, over the serial process. The drop-in takes part under its default
    policy alone.
    """
    serial = result.row(case=row.case, runtime=SERIAL, threads=1)
    ceiling = result.row(case=row.case, runtime=CEILING, threads=row.threads)
    return Compared(
        _where(row),
        row.runtime,
        is_default=row.runtime == REFERENCE or WITH_DROP_IN in row.runtime,
        over=serial if row.runtime in (SERIAL, CEILING) else ceiling or serial,
        serial=serial,
        size=result.settings.sizes.get(row.case, ""),
    )


def size_lines(sizes: Mapping[str, str]) -> list[str]:
    """Returns what the mode's batches are, the cases that are alike on one line."""
    alike: dict[str, list[str]] = {}
    for case, words in sizes.items():
        alike.setdefault(words, []).append(case)
    return [f"{', '.join(cases)}: {words}" for words, cases in alike.items()]


def _rank(result: Any, row: Any) -> str:
    """Says how it stands among the runtimes on as many threads, by the medians of the ratios."""
    rows = result.rows_of(case=row.case, threads=row.threads)
    them = [other for other in rows if other.runtime not in (SERIAL, CEILING)]
    faster = [other.runtime for other in them if other.of_reference < 1]
    return f"behind {', '.join(faster)}" if faster else f"first of {len(them)}"


# ---- cells


def _place(runtime: str, threads: int) -> dict[str, Any]:
    """Returns the fields of the row that stands in this place: serial has one thread everywhere."""
    return {"runtime": runtime, "threads": 1 if runtime == SERIAL else threads}


def _table(
    result: Any, title: str, threads: int, columns: Mapping[str, tuple[str, ToCell]], **shown: bool
) -> Table:
    """Returns a table of cells of cases on so many threads; a line a runtime that has any."""
    lines = []
    for name in result.runtimes:
        place = _place(name, threads)
        cells = [result.at(cell, case=case, **place) for case, cell in columns.values()]
        lines += [[name, *cells]] if any(cells) else []
    return Table(title, ["runtime", *columns], lines, **shown)


def _cases_on(result: Any, threads: int) -> list[str]:
    """Returns the cases that were run on so many threads, serial apart."""
    found = {row.case for row in result.rows_of(threads=threads) if row.runtime != SERIAL}
    return [case for case in result.cases if case in found]


def shown_row(result: Any, case: str, runtime: str) -> Any:
    """Returns the row of the most threads; serial has its one everywhere."""
    return result.row(case=case, **_place(runtime, result.settings.threads[-1]))


def digits(value: float) -> int:
    """Returns how many digits behind the point make three in all."""
    steps = ((1, 3), (10, 2), (100, 1))
    return next((count for below, count in steps if abs(value) < below), 0)


def value_text(value: float) -> str:
    """Returns a number to three digits."""
    return f"{value:.{digits(value)}f}"


def value_cell(row: Any) -> Cell:
    """Returns a row's value."""
    return Cell(value_text(row.value), row.value_ci95, digits(row.value))


def _speedup_cell(row: Any) -> str:
    """Returns the speedup and its share of the ceiling."""
    speedup = ratio_text(row.speedup, row.speedup_ci95)
    return f"{speedup}  {ratio_text(row.of_ceiling, row.of_ceiling_ci95)}" if speedup else ""


def shares_text(row: Any) -> str:
    """Returns the least and the greatest share of a thread; nothing for one thread alone.

    Medians over what was counted: on many threads a number each would not be readable.
    """
    if row.threads == 1 or row.tasks_by_thread is None:
        return ""
    least, greatest = (
        statistics.median(100 * extreme(counts) / sum(counts) for counts in row.tasks_by_thread)
        for extreme in (min, max)
    )
    return f"{least:.1f} to {greatest:.1f} %"
