# SPDX-License-Identifier: Apache-2.0
"""The links of the pages lead to files and headings of the tree: code hosts show them so."""

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote

import pytest

ROOT = Path(__file__).parents[2]
FILES = subprocess.run(
    ["git", "ls-files"], cwd=ROOT, check=True, capture_output=True, text=True
).stdout.splitlines()
PAGES = [file for file in FILES if file.endswith(".md")]
THERE = {each for file in FILES for each in (ROOT / file, *(ROOT / file).parents)}
CODE = re.compile(r"^(```|~~~).*?^\1|`[^`\n]+`", re.DOTALL | re.MULTILINE)
LINK = re.compile(r"\]\(\s*([^)\s]+)[^)]*\)")
HEADING = re.compile(r"^#{1,6} +(.+?)(?: +#+)?$", re.MULTILINE)
ELSEWHERE = ("http:", "https:", "mailto:")


def anchor(heading: str) -> str:
    """What code hosts make of a heading: letters, digits, hyphens and underscores in lower case."""
    words = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).lower()
    return re.sub(r"[^\w\- ]", "", words).replace(" ", "-")


def anchors(page: Path) -> set[str]:
    text = re.sub(r"^(```|~~~).*?^\1", "", page.read_text(), flags=re.DOTALL | re.MULTILINE)
    return {anchor(heading) for heading in HEADING.findall(text)}


def links(page: Path) -> Iterator[tuple[str, Path, str]]:
    """Each link as it is written, with the file and the anchor that it means."""
    for link in LINK.findall(CODE.sub("", page.read_text())):
        if not link.startswith(ELSEWHERE):
            path, _, fragment = unquote(link).partition("#")
            yield link, (page.parent / path).resolve() if path else page, fragment


def is_dead(target: Path, fragment: str) -> bool:
    return target not in THERE or (fragment != "" and fragment not in anchors(target))


def test_some_pages_have_links() -> None:
    assert len([page for page in PAGES if any(links(ROOT / page))]) > 10


@pytest.mark.parametrize("page", PAGES)
def test_links_lead_somewhere(page: str) -> None:
    found = links(ROOT / page)
    assert [link for link, target, fragment in found if is_dead(target, fragment)] == []
