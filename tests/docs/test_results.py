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
        ["git", "ls-files", "results/*/*.json*"], cwd=ROOT, check=True, stdout=subprocess.PIPE
    )
    return sorted({(ROOT / name).parent for name in listed.stdout.decode().splitlines()})


@pytest.fixture(scope="module")
def reports(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The text of the report of each run that is published, by the name of its folder."""
    texts = {}
    for tracked in published():
        folder = tmp_path_factory.mktemp("report") / tracked.name
        shutil.copytree(tracked, folder)
        subprocess.run(
            [ROOT / "lab", "report", folder], check=True, timeout=300, stdout=subprocess.DEVNULL
        )
        text = (folder / "report.html").read_text()
        texts[tracked.name] = squeezed(unescape(re.sub(r"<[^>]+>", "", text)))
    return texts


def squeezed(text: str) -> str:
    return re.sub(r"\s+", " ", text)


def test_the_picture_shows_the_report_of_the_readmes_run(reports: dict[str, str]) -> None:
    readme = squeezed((ROOT / "README.md").read_text())
    (said,) = re.findall(r"!\[The top of the report: (in \d+ of \d+ experiments)", readme)
    (run,) = re.findall(r"\(results/(\w[^/)]+)\)", readme)
    assert f"on average faster {said}; " in reports[run]


def test_the_page_says_what_the_reports_say(reports: dict[str, str]) -> None:
    page = squeezed((ROOT / "docs/results.md").read_text())
    counts = r"of (\d+ cases it wins \d+, loses \d+, and \d+ are too close to call; in \d+ nobody)"
    said = [f"Of the {found} surely beats serial." for found in re.findall(counts, page)]
    assert len(said) == len(reports)
    for run, report in reports.items():
        assert any(sentence in report for sentence in said), run
