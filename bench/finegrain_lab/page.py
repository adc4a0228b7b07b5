"""The skeleton of every report: one HTML file that needs nothing else."""

from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from finegrain_lab import table
from finegrain_lab.results import ResultFile


def render(result: ResultFile, header: list[str], footer: list[str], **content: Any) -> str:
    """Returns the HTML of the template that has the experiment's name."""
    environment = Environment(
        loader=PackageLoader("finegrain_lab"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template(f"{result.experiment}.html.j2").render(
        result=result,
        header=header,
        footer=footer,
        siblings=table.siblings_text(result.host),
        **content,
    )
