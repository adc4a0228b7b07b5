"""The skeleton of every report: one HTML file that needs nothing else."""

from dataclasses import dataclass
from functools import cache
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from finegrain_lab import table
from finegrain_lab.results import ResultFile


@dataclass(frozen=True)
class Layout:
    """Around an experiment's numbers: a page of their own, or their place on a page of many."""

    template: str
    level: int  # of the headings within
    is_first: bool = True  # of the same experiment on several hosts


ALONE = Layout("page.html.j2", level=2)


def render(
    layout: Layout,
    result: ResultFile,
    heading: str,
    header: list[str],
    footer: list[str],
    template: str | None = None,
    **content: Any,
) -> str:
    """Returns the HTML of this template, or of the one that has the experiment's name."""
    return fill(
        f"{template or result.experiment}.html.j2",
        layout=layout,
        result=result,
        heading=heading,
        header=header,
        footer=footer,
        siblings=table.siblings_text(result.host),
        **content,
    )


def fill(template: str, **content: Any) -> str:
    """Returns the HTML of this template."""
    return _environment().get_template(template).render(**content)


@cache
def _environment() -> Environment:
    return Environment(
        loader=PackageLoader("finegrain_lab"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
