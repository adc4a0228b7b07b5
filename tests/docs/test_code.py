# SPDX-License-Identifier: Apache-2.0
"""The code on the pages is out of files that are compiled and run."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = sorted((ROOT / "docs").glob("*.md"))
FOLDERS = ("docs/code", "examples", "tests/unit/execution", "tests/unit/together", "tests/omp")
BY_HAND = "stdexec::"  # nobody packs it; its page says what was tried
BLOCK = re.compile(r"^```(cpp|c)\n(.*?)^```$", re.DOTALL | re.MULTILINE)


def squeezed(code: str) -> str:
    """Without comments, and without the spaces that clang-format chooses."""
    return re.sub(r"\s+", "", re.sub(r"//.*|/\*.*?\*/", "", code))


SOURCES = {
    path: squeezed(path.read_text())
    for folder in FOLDERS
    for path in sorted((ROOT / folder).iterdir())
    if path.suffix in (".cpp", ".c", ".hpp")
}


def blocks(page: Path) -> list[str]:
    return [code for _, code in BLOCK.findall(page.read_text()) if BY_HAND not in code]


def occurs(block: str) -> bool:
    """Its parts, between which an ellipsis leaves something out, in their order in one file."""
    parts = [squeezed(part) for part in block.split("…")]
    wanted = re.compile(".*?".join(re.escape(part) for part in parts), re.DOTALL)
    return any(wanted.search(source) for source in SOURCES.values())


@pytest.mark.parametrize("page", [page for page in PAGES if blocks(page)], ids=lambda p: p.name)
def test_is_compiled(page: Path) -> None:
    assert [block for block in blocks(page) if not occurs(block)] == []


def test_the_first_program_is_the_readmes() -> None:
    """Which tests/consumer builds from an empty folder."""
    readme = (ROOT / "README.md").read_text()
    page = (ROOT / "docs/index.md").read_text()
    program = blocks(ROOT / "docs/index.md")[-1]
    build = re.findall(r"^```cmake\n(.*?)^```$", page, re.DOTALL | re.MULTILINE)
    assert program in readme
    assert len(build) == 1
    assert build[0] in readme
