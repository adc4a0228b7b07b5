# SPDX-License-Identifier: Apache-2.0
"""The published results, drawn anew, say what the README's picture and the results' page say."""

import re
import shutil
import subprocess
from html import unescape
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def published() -> list[Path]:
    """Returns the folders of results/ that git tracks: what a user measures lands beside them."""
    listed = subprocess.run(
        ["git", "ls-files", "results/*/*.json"], cwd=ROOT, check=True, stdout=subprocess.PIPE
    )
    return sorted({(ROOT / name).parent for name in listed.stdout.decode().splitlines()})


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The text of the report of the results that are published."""
    (tracked,) = published()
    folder = tmp_path_factory.mktemp("report") / "results"
    shutil.copytree(tracked, folder)
    subprocess.run(
        [ROOT / "lab", "report", folder], check=True, timeout=300, stdout=subprocess.DEVNULL
    )
    return unescape(re.sub(r"<[^>]+>", "", (folder / "report.html").read_text()))


def squeezed(text: str) -> str:
    return re.sub(r"\s+", " ", text)


def test_the_picture_shows_todays_report(report: str) -> None:
    readme = squeezed((ROOT / "README.md").read_text())
    (said,) = re.findall(r"!\[The top of the report: (in \d+ of \d+ experiments)", readme)
    assert f"on average faster {said}; " in squeezed(report)


def test_the_page_says_what_the_report_says(report: str) -> None:
    page = squeezed((ROOT / "docs/results.md").read_text())
    counts = r"of (\d+ cases it wins \d+, loses \d+, and \d+ are too close to call; in \d+ nobody)"
    (said,) = re.findall(counts, page)
    assert f"Of the {said} surely beats serial." in squeezed(report)
