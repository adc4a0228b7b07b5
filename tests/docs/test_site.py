# SPDX-License-Identifier: Apache-2.0
"""The pages and the reference become a site: no warning, no dead link, and it can be searched."""

import re
import subprocess
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote

import pytest
from playwright.sync_api import Page
from scripts.screenshot import TIMEOUT_MS, chromium

ROOT = Path(__file__).parents[2]
LINK = re.compile(r"""(?:href|src)=["']?([^"'\s>]+)""")
ELSEWHERE = ("http:", "https:", "mailto:", "data:", "javascript:")
# What begins a line of a list or of a table: within a paragraph it was meant to be one.
LOST = re.compile(r"^(?:[-*+] |\d+\. |\|)", re.MULTILINE)


@pytest.fixture(scope="module")
def site() -> Path:
    subprocess.run(["make", "docs"], cwd=ROOT, check=True, timeout=300)
    return ROOT / "build/site"


@pytest.fixture
def page() -> Iterator[Page]:
    with chromium() as browser:
        page = browser.new_page(viewport={"width": 1280, "height": 900})
        page.set_default_timeout(TIMEOUT_MS)
        yield page


class Paragraphs(HTMLParser):
    """The text of each paragraph of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = []
        self.within = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        del attrs
        if tag == "p":
            self.within = True
            self.texts.append("")

    def handle_endtag(self, tag: str) -> None:
        self.within = self.within and tag != "p"

    def handle_data(self, data: str) -> None:
        if self.within:
            self.texts[-1] += data


def paragraphs(page: Path) -> list[str]:
    parser = Paragraphs()
    parser.feed(page.read_text())
    return parser.texts


def dead_links(page: Path, site: Path) -> list[str]:
    targets = [unquote(link.partition("#")[0]) for link in LINK.findall(page.read_text())]
    return [
        f"{page.relative_to(site)}: {target}"
        for target in targets
        if target and not target.startswith(ELSEWHERE) and not (page.parent / target).exists()
    ]


def test_has_no_dead_link(site: Path) -> None:
    pages = sorted(site.rglob("*.html"))
    assert len(pages) > 100
    pages = [page for page in pages if page.name != "404.html"]  # its links begin at the root
    assert [dead for page in pages for dead in dead_links(page, site)] == []


def test_lists_and_tables_are_no_paragraphs(site: Path) -> None:
    pages = [page for page in site.glob("*.html") if page.name != "404.html"]
    texts = [(page.name, text) for page in pages for text in paragraphs(page)]
    assert len(texts) > 100
    assert [(name, text) for name, text in texts if LOST.search(text)] == []


def test_has_the_reference(site: Path) -> None:
    assert "sleep_hint" in (site / "reference/classfg_1_1basic__relic.html").read_text()
    assert "fg_relic_submit" in (site / "reference/finegrain_8h.html").read_text()
    assert 'href="reference/index.html"' in (site / "index.html").read_text()


def test_loads_nothing_from_elsewhere(site: Path) -> None:
    page = (site / "index.html").read_text()
    loaded = re.findall(r"""<(?:script|link|img)[^>]*(?:src|href)=["']?([^"'\s>]+)""", page)
    assert [each for each in loaded if each.startswith(("http", "//"))] == []


def test_finds_a_word_when_opened_from_a_folder(site: Path, page: Page) -> None:
    page.goto((site / "index.html").as_uri())
    field = page.locator("input[name=query]")
    field.click()
    page.get_by_text("Type to start searching").wait_for()  # it has read its index
    field.press_sequentially("cancellation")  # it looks at keys
    found = page.locator(".md-search-result__item a")
    found.first.wait_for()
    links = [each.get_attribute("href") or "" for each in found.all()]
    assert any("/lifetime.html" in link for link in links)
