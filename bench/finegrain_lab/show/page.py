# SPDX-License-Identifier: Apache-2.0
"""The skeleton of every report: one HTML file that needs nothing else."""

import re
from base64 import b64encode
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from finegrain_lab.show import table
from finegrain_lab.show.ratios import marked
from finegrain_lab.show.tables import ratio_text
from finegrain_lab.show.units import spelled_html


@dataclass(frozen=True)
class Layout:
    """Around an experiment's numbers: a page of their own, or their place on a page of many."""

    template: str
    level: int  # of the headings within
    is_first: bool = True  # of the same experiment on several hosts


ALONE = Layout("page.html.j2", level=2)


def render(
    layout: Layout,
    result: Any,
    heading: str,
    header: list[str],
    footer: list[str],
    **content: Any,
) -> str:
    """Returns the HTML of an experiment's result."""
    return fill(
        "experiment.html.j2",
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
    return spelled_html(_environment().get_template(template).render(**content))


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("finegrain_lab"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(data_uri=_data_uri, with_ids_of=_with_ids_of, marked=marked)
    environment.globals.update(ratio_text=ratio_text)
    return environment


def _data_uri(text: str, kind: str) -> str:
    """Returns the text as a file within the page."""
    return f"data:{kind};charset=utf-8;base64,{b64encode(text.encode()).decode()}"


def _with_ids_of(html: str, place: str) -> Markup:
    """Returns the HTML with names that are only this place's, and its references to them."""
    html = re.sub(r'\bid="', f'id="{place}-', html)
    html = re.sub(r'\b(aria-labelledby|aria-describedby)="([^"]*)"', partial(_named, place), html)
    return Markup(html.replace('href="#', f'href="#{place}-').replace("url(#", f"url(#{place}-"))


def _named(place: str, found: re.Match[str]) -> str:
    names = " ".join(f"{place}-{name}" for name in found[2].split())
    return f'{found[1]}="{names}"'
