# SPDX-License-Identifier: Apache-2.0
"""The answer: who wins where, from which length on, and what the host could not show."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from finegrain_lab.experiments import experiment_of
from finegrain_lab.experiments.relic_cases import SPIN_CASES
from finegrain_lab.run.drop_in import shown_name
from finegrain_lab.show.measurements import measurements_of
from finegrain_lab.show.report.grain import grains
from finegrain_lab.show.report.limits import Limit, limits_of
from finegrain_lab.show.report.measured import Measured
from finegrain_lab.show.report.standings import Standing, Standings, standings_of
from finegrain_lab.show.result import Result
from finegrain_lab.show.serial import unbeaten_lines


@dataclass(frozen=True)
class Answer:
    """What a host's results come down to."""

    standings: Sequence[Standings]
    grains: Mapping[str, str]
    limits: Sequence[Limit]

    @property
    def compared(self) -> list[Standings]:
        """Those with a mean: in a case at least somebody beats serial, or there is no serial."""
        return [each for each in self.standings if each.cases]


def answer_of(measured: Measured) -> Answer:
    """Returns the answer of a host."""
    standings = [_standings(name, result) for name, result in measured.results.items()]
    return Answer(
        [each for each in standings if each], grains(measured.results), limits_of(measured)
    )


def _standings(name: str, result: Result) -> Standings | None:
    """Returns an experiment's standings; of tasks of a chosen length the grain tells."""
    rows = measurements_of(experiment_of(name), result)
    return standings_of([row for row in rows if row.case not in SPIN_CASES])


def answer_lines(answer: Answer) -> list[str]:
    """Returns it for the terminal."""
    unbeaten = {each.experiment: unbeaten_lines(each.unbeaten) for each in answer.standings}
    return [
        summary(answer),
        *(f"{each.experiment}: {standings_text(each)}" for each in answer.standings),
        *(f"{name}: {line}" for name, lines in unbeaten.items() for line in lines),
        *(f"grain: {what}: {grain}" for what, grain in answer.grains.items()),
        *(f"not shown: {limit_text(limit)}" for limit in answer.limits),
    ]


def summary(answer: Answer) -> str:
    """Says in three sentences how often we win, and where we lose."""
    ahead = [each.experiment for each in answer.compared if each.ci95[0] > 1]
    behind = [each.experiment for each in answer.compared if each.ci95[1] < 1]
    cases = [case for each in answer.compared for case in each.cases]
    unbeaten = sum(len(each.unbeaten) for each in answer.standings)
    if not cases and not unbeaten:
        return "There is no case here that finegrain and a peer both have."
    won, lost = sum(case.is_ahead for case in cases), sum(case.is_behind for case in cases)
    losing = f"slower in {', '.join(behind)}" if behind else "it is slower in none"
    return (
        f"Held against the best peer of every single case, finegrain is on average faster in "
        f"{len(ahead)} of {len(answer.standings)} experiments; {losing}. Of the "
        f"{len(cases) + unbeaten} cases it wins {won}, loses {lost}, and "
        f"{len(cases) - won - lost} are too close to call; in {unbeaten} nobody surely beats "
        "serial."
    )


def standings_text(standings: Standings) -> str:
    """Returns an experiment's standings in a line."""
    if not standings.cases:
        return counts_text(standings)
    low, high = standings.ci95
    return (
        f"{standings.times:.2f} times as fast as the best peer ({low:.2f} to {high:.2f}), "
        f"{standing_text(standings.least)} to {standing_text(standings.most)}; "
        f"{counts_text(standings)}"
    )


def standing_text(standing: Standing) -> str:
    """Returns a case's ratio, and against whom."""
    return f"{standing.times:.2f} ({standing.case}, {shown_name(standing.peer)})"


def counts_text(standings: Standings) -> str:
    """Says how many cases are won, lost and neither."""
    count = len(standings.cases) + len(standings.unbeaten)
    counts = {
        "too close to call": standings.level,
        "in which nobody surely beats serial": len(standings.unbeaten),
        "not comparable": len(standings.unpaired),
    }
    others = [f", {number} {what}" for what, number in counts.items() if number]
    return f"wins {standings.ahead} of {count}, loses {standings.behind}{''.join(others)}"


def limit_text(limit: Limit) -> str:
    """Returns a limit in a line: the report has all particulars."""
    return f"{limit.what} ({len(limit.particulars)})" if limit.particulars else limit.what
