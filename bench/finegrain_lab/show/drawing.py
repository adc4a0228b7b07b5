# SPDX-License-Identifier: Apache-2.0
"""A figure as readers get it: in a page, in a file of its own, as numbers, and in words."""

import io
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from markupsafe import escape
from matplotlib.backends.backend_svg import FigureCanvasSVG, RendererSVG
from matplotlib.figure import Figure
from matplotlib.textpath import text_to_path

from finegrain_lab.show import figures
from finegrain_lab.show.description import described
from finegrain_lab.show.plots import TEXT

PAGE_TEXT = "currentColor"
PAGE_FONT = "font-family: inherit"
# Of a file of its own.
DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>'
DARK = "#1b1b1b"
LIGHT = "#ffffff"
FONT = "font-family: sans-serif"


@dataclass(frozen=True)
class Drawing:
    """A figure. Its name is one of its experiment's, and is part of all names within its markup."""

    name: str
    caption: str
    description: str  # what it shows, for who can not see it
    csv: str
    svg: str  # takes text colour, font and size from around it

    def __html__(self) -> str:
        """Returns the element for a page."""
        text = re.sub(r'\bid="', f'id="{self.name}-', self.svg)
        text = text.replace('href="#', f'href="#{self.name}-')
        text = text.replace("url(#", f"url(#{self.name}-")
        return text.replace("<svg ", f'<svg role="img" aria-label="{escape(self.description)}" ', 1)

    @property
    def standalone_svg(self) -> str:
        """The same as a file: dark on white, of a size of its own, its texts inside."""
        sizes = re.search(r'viewBox="0 0 (\S+) (\S+)"', self.svg)
        assert sizes
        opening, drawn = self.svg.split(">", 1)
        text = (
            f'{opening} role="img" width="{sizes[1]}pt" height="{sizes[2]}pt">\n'
            f"<title>{escape(self.caption)}</title>\n<desc>{escape(self.description)}</desc>\n"
            f'<rect width="100%" height="100%" fill="{LIGHT}"/>{drawn}'
        )
        return f"{DECLARATION}\n{text.replace(PAGE_TEXT, DARK).replace(PAGE_FONT, FONT)}"


def drawing_of(drawn: Figure, figure: figures.Figure) -> Drawing:
    """Returns a figure that has been drawn; within `figure_and_axes` only."""
    return Drawing(slug(figure.name), figure.caption, described(figure), figure.csv(), _svg(drawn))


def slug(name: str) -> str:
    """Returns a figure's name as its files and its markup have it."""
    return re.sub(r"[^\w.-]+", "-", name)


Figures: TypeAlias = Mapping[str, Drawing]  # by their names


def by_name(drawings: Iterable[Drawing]) -> Figures:
    """Returns them by their names."""
    return {drawing.name: drawing for drawing in drawings}


class _Canvas(FigureCanvasSVG):
    """Lays out and draws by one renderer: savefig draws twice, and measures every text thrice."""

    def __init__(self, figure: Figure) -> None:
        super().__init__(figure)
        figure.dpi = self.fixed_dpi
        width, height = self.fixed_dpi * figure.get_size_inches()
        no_metadata = {"Date": None, "Creator": None}
        self._text = io.StringIO()
        new: Callable[..., Any] = RendererSVG
        self._renderer = new(width, height, self._text, metadata=no_metadata)
        self._renderer._text2path = text_to_path  # that of all figures: it knows what it has read

    def get_renderer(self) -> Any:
        """Returns it, to the layout."""
        return self._renderer

    def svg(self) -> str:
        """Returns the figure drawn."""
        self.figure.draw(self._renderer)
        self._renderer.finalize()
        return self._text.getvalue()


def _svg(figure: Figure) -> str:
    text = _Canvas(figure).svg()
    text = text[text.index("<svg") :]
    text = re.sub(r"<metadata>.*?</metadata>", "", text, flags=re.DOTALL)
    text = re.sub(r'(<svg[^>]*?) width="[^"]*"', r"\1", text, count=1)
    text = re.sub(r'(<svg[^>]*?) height="[^"]*"', r"\1", text, count=1)
    text = re.sub(r"font: (\S+) [^;\"]*", rf"font-size: \1; {PAGE_FONT}", text)
    text = re.sub(r"font-family: [^;\"]*", PAGE_FONT, text)
    return text.replace(TEXT, PAGE_TEXT)
