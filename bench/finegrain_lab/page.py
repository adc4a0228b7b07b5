"""The skeleton of every report: one HTML file that needs nothing else."""

from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from finegrain_lab import table
from finegrain_lab.results import ResultFile


def render(
    result: ResultFile,
    header: list[str],
    footer: list[str],
    template: str | None = None,
    **content: Any,
) -> str:
    """Returns the HTML of this template, or of the one that has the experiment's name."""
    environment = Environment(
        loader=PackageLoader("finegrain_lab"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template(f"{template or result.experiment}.html.j2").render(
        result=result,
        header=header,
        footer=footer,
        siblings=table.siblings_text(result.host),
        **content,
    )
