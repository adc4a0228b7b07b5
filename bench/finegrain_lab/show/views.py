# SPDX-License-Identifier: Apache-2.0
"""A result as its figures and as its part of a page."""

from collections.abc import Iterable
from itertools import groupby
from typing import Any

from finegrain_lab.run.drop_in import shown_name
from finegrain_lab.run.experiment import Experiment
from finegrain_lab.show import terminal
from finegrain_lab.show.draw import draw
from finegrain_lab.show.drawing import Drawing, by_name, slug
from finegrain_lab.show.figures import Figure
from finegrain_lab.show.measurements import measurements_of
from finegrain_lab.show.page import ALONE, Layout, render
from finegrain_lab.show.result import Result
from finegrain_lab.show.serial import unbeaten_cases
from finegrain_lab.show.tables import Section


def drawings_of(experiment: Experiment, result: Result) -> list[Drawing]:
    """Returns the report's figures, in its order; each has a name of its own."""
    parts = [part for section in experiment.sections(result) for part in section.parts]
    return [draw(part) for part in parts if isinstance(part, Figure)]


def page_of(
    experiment: Experiment,
    result: Result,
    layout: Layout = ALONE,
    drawings: Iterable[Drawing] | None = None,
) -> str:
    """Returns the report's HTML, with these of its figures if they have been drawn before."""
    drawn = drawings_of(experiment, result) if drawings is None else drawings
    return render(
        layout,
        result,
        experiment.heading,
        header=terminal.header_lines(experiment, result),
        footer=terminal.footer_lines(experiment, result),
        experiment=experiment,
        sections=experiment.sections(result),
        groups_of=_groups_of,
        figures=by_name(drawn),
        slug=slug,
        unbeaten=unbeaten_cases(measurements_of(experiment, result)),
        shown_name=shown_name,
    )


def _groups_of(section: Section) -> list[tuple[str, list[Any]]]:
    """Returns the parts, figures that follow each other in one group."""
    parts = [part for part in section.parts if getattr(part, "on_page", True)]
    found = groupby(parts, lambda part: "pair" if isinstance(part, Figure) else "")
    return [(kind, list(them)) for kind, them in found]
