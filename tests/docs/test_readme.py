# SPDX-License-Identifier: Apache-2.0
"""What the README shows is what is built, tested and measured."""

import re
import shlex
import subprocess
from pathlib import Path

import pytest

from finegrain_lab.experiments.relic_kernels import RELIC_KERNELS
from finegrain_lab.experiments.relic_summaries import bound_of, bounds_of, summaries_of
from finegrain_lab.show.result import Result, load
from finegrain_lab.show.statistics import middle_range

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text()
LONGEST = 120


def is_table_or_picture(line: str) -> bool:
    return line.startswith(("| ", "!["))


def cells(line: str) -> list[str]:
    return [cell.strip(" *") for cell in line.strip("|\n").split("|")]


@pytest.fixture(scope="module")
def published() -> Result:
    """What the run that the README names measured of its table."""
    (path,) = re.findall(r"\]\((results/[^)]+)\)", README)
    return load(ROOT / path, RELIC_KERNELS)


@pytest.fixture(scope="module")
def table() -> list[list[str]]:
    """Its rows: the kernels, then what is said of each."""
    (lines,) = re.findall(r"^\| \| .*\|\n\|[-|]+\|\n((?:\|.*\|\n)+)", README, flags=re.MULTILINE)
    (kernels,) = re.findall(r"^\| \| .*\|$", README, flags=re.MULTILINE)
    return [cells(line) for line in [kernels, *lines.splitlines()]]


def test_is_short() -> None:
    lines = README.splitlines()
    assert len(lines) <= 120
    assert [each for each in lines if len(each) > LONGEST and not is_table_or_picture(each)] == []


def test_the_program_is_the_example() -> None:
    programs = re.findall(r"```cpp\n(.*?)```", README, flags=re.DOTALL)
    assert programs == [(ROOT / "examples/two_branches.cpp").read_text()]


def test_its_line_compiles_the_program(tmp_path: Path) -> None:
    (command,) = re.findall(r"```sh\n(.*)\n```", README)
    (tmp_path / "main.cpp").write_text((ROOT / "examples/two_branches.cpp").read_text())
    (tmp_path / "include").symlink_to(ROOT / "include")
    subprocess.run(shlex.split(command), cwd=tmp_path, check=True, timeout=300)
    ran = subprocess.run([tmp_path / "a.out"], check=True, timeout=60, capture_output=True)
    assert ran.stdout == b"2000\n"
    assert "prints 2000" in README


def test_make_targets_exist() -> None:
    targets = set(re.findall(r"\bmake ([a-z]+)\b", README))
    defined = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), flags=re.MULTILINE))
    assert targets
    assert targets <= defined


def test_the_table_is_the_published_runs(published: Result, table: list[list[str]]) -> None:
    (_, *kernels, mean, share), length, relic, interval, *others, bound = table
    assert (mean, share) == ("mean", "shared")
    bounds = bounds_of(published)
    assert sorted(kernels) == sorted(bounds)
    rows = {(row.case, row.runtime): row for row in published.rows}
    summaries = summaries_of(published)

    def row_of(runtime: str) -> list[str]:
        speedups = [f"{rows[kernel, runtime].speedup:.2f}" for kernel in kernels]
        whole = summaries[runtime]
        mean, share = f"{whole.speedup.value:.2f}", f"{whole.offloaded_share:.0%}"
        return [runtime, *speedups, mean, share]

    assert length[1:-2] == [f"{rows[kernel, 'serial'].ns / 2000:.2f}" for kernel in kernels]
    assert interval[1:-2] == [
        " to ".join(f"{end:.2f}" for end in rows[kernel, "relic"].speedup_ci95)
        for kernel in kernels
    ]
    for row in [relic, *others]:
        assert [cell.replace(" %", "%") for cell in row] == row_of(row[0])
    of_kernels = [bounds[kernel] for kernel in kernels]
    assert bound[1:-1] == [f"{each:.2f}" for each in [*of_kernels, bound_of(published)]]

    shown = {row[0] for row in [relic, *others]} | {"serial"}
    means = [whole.speedup.value for name, whole in summaries.items() if name not in shown]
    readme = README.replace("\n", " ")
    assert f"have means of {min(means):.2f} to {max(means):.2f}" in readme
    low, high = middle_range(published.floor_samples)
    assert f"{published.floor_ns:.0f} ns ({low:.0f} to {high:.0f}" in readme
    assert f"of {published.rounds} interleaved" in readme
