"""The pages and the reference become a site without a warning, and without a dead link."""

import re
import subprocess
from pathlib import Path
from urllib.parse import unquote

import pytest

ROOT = Path(__file__).parents[2]
LINK = re.compile(r"""(?:href|src)=["']?([^"'\s>]+)""")
ELSEWHERE = ("http:", "https:", "mailto:", "data:", "javascript:")


@pytest.fixture(scope="module")
def site() -> Path:
    subprocess.run(["make", "docs"], cwd=ROOT, check=True, timeout=300)
    return ROOT / "build/site"


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


def test_has_the_reference(site: Path) -> None:
    assert "sleep_hint" in (site / "reference/classfg_1_1basic__relic.html").read_text()
    assert "fg_relic_submit" in (site / "reference/finegrain_8h.html").read_text()


def test_loads_nothing_from_elsewhere(site: Path) -> None:
    page = (site / "index.html").read_text()
    loaded = re.findall(r"""<(?:script|link|img)[^>]*(?:src|href)=["']?([^"'\s>]+)""", page)
    assert [each for each in loaded if each.startswith(("http", "//"))] == []
