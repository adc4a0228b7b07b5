"""The skeleton of every report: one HTML file that needs nothing else."""

import re
from dataclasses import dataclass
from functools import cache, partial
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


def with_ids_of(place: str, html: str) -> str:
    """Returns the HTML with names that are only this place's, and its references to them."""
    html = re.sub(r'\bid="', f'id="{place}-', html)
    html = re.sub(r'\b(aria-labelledby|aria-describedby)="([^"]*)"', partial(_named, place), html)
    return html.replace('href="#', f'href="#{place}-').replace("url(#", f"url(#{place}-")


def _named(place: str, found: re.Match[str]) -> str:
    names = " ".join(f"{place}-{name}" for name in found[2].split())
    return f'{found[1]}="{names}"'


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
