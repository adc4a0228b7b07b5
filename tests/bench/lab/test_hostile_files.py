# SPDX-License-Identifier: Apache-2.0
"""Files that say anything: the command reads them out, or ends with one line, never a traceback."""

import io
import json
import shutil
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, example, given, settings
from hypothesis import strategies as st

from finegrain_lab import cli
from finegrain_lab.experiments import EXPERIMENTS, experiment_of
from finegrain_lab.show.result import load

PUBLISHED = next((Path(__file__).parents[3] / "results").glob("a693239a08*"))  # of schema 2
NAMES = [it.name for it in EXPERIMENTS if (PUBLISHED / f"{it.name}.json").exists()]

# The same examples in every run; a folder of each test's own is written anew by each example.
repeatable = settings(
    derandomize=True,
    database=None,
    deadline=None,
    phases=(Phase.explicit, Phase.generate),  # to shrink a whole result takes minutes
    suppress_health_check=list(HealthCheck),
)

NUMBERS = [0, -1, 1, 2, 0.5, 1e308, 5e-324, 2**63]
WORDS = ["", "relic", "serial", "[/x]", "\x1b[31m\n", "\ud800", "<b>&", "always", "1to1", "é\u2028"]
ANYTHING = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(max_size=8),
    st.sampled_from([*NUMBERS, *WORDS, 10**400, [], {}, [[]], {"": None}]),
)


def another(draw: st.DrawFn, value: Any) -> Any:
    """Returns another value, seldom of another type: the schema refuses that at once."""
    if isinstance(value, list | dict):
        return type(value)()
    if draw(st.integers(0, 7)) == 0:
        return draw(ANYTHING)
    if isinstance(value, bool):
        return not value
    if isinstance(value, str):
        return draw(st.sampled_from(WORDS))
    wanted = [number for number in NUMBERS if type(number) is int or not isinstance(value, int)]
    return draw(st.sampled_from(wanted))


def bend(draw: st.DrawFn, value: Any) -> Any:
    """Returns the value with one thing changed, somewhere in it."""
    keys = list(value) if isinstance(value, dict) else list(range(len(value)))
    how = draw(st.sampled_from(["below", "below", "replace", "drop", "repeat", "cut"]))
    if not keys:
        return value if draw(st.booleans()) else draw(ANYTHING)
    key = draw(st.sampled_from(keys))
    below = value[key]
    if how == "drop":
        del value[key]
    elif how == "repeat" and isinstance(value, list):
        value.append(below)
    elif how == "cut" and isinstance(value, list):
        del value[key:]
    elif how == "below" and isinstance(below, dict | list):
        value[key] = bend(draw, below)
    else:
        value[key] = another(draw, below)
    return value


@dataclass(frozen=True)
class Bent:
    """The published result of an experiment with up to three things changed."""

    name: str
    changed: list[str]
    text: str = field(repr=False)


@st.composite
def bent_results(draw: st.DrawFn) -> Bent:
    name = draw(st.sampled_from(NAMES))
    said = json.loads((PUBLISHED / f"{name}.json").read_text())
    # Of the host nothing but the shape matters.
    keys = [key for key in said if key not in ("host", "schema")]
    changed = draw(st.lists(st.sampled_from(keys), min_size=1, max_size=3))
    for key in changed:
        is_leaf = not isinstance(said[key], dict | list)
        said[key] = another(draw, said[key]) if is_leaf else bend(draw, said[key])
    return Bent(name, changed, json.dumps(said))


def ended(*arguments: str | Path) -> int:
    """Runs the command: it has to end whole, or with one line of ours."""
    output, complaint = io.StringIO(), io.StringIO()
    with redirect_stdout(output), redirect_stderr(complaint):
        status = cli.main([str(argument) for argument in arguments])
    lines = complaint.getvalue()
    if status == 0:
        assert lines == ""
    else:
        assert status == 1
        assert lines.startswith("lab: ")
        assert lines.endswith("\n")
        assert lines[:-1].isprintable()
    return status


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "hostile"
    made.mkdir()
    return made


@pytest.fixture
def before(tmp_path: Path) -> Path:
    made = tmp_path / "before"
    made.mkdir()
    return made


def write(folder: Path, name: str, content: bytes | str) -> None:
    for old in folder.iterdir():
        shutil.rmtree(old) if old.is_dir() else old.unlink()
    raw = content if isinstance(content, bytes) else content.encode("utf-8", "surrogatepass")
    (folder / f"{name}.json").write_bytes(raw)


def test_the_published_results_are_read_out(folder: Path) -> None:
    for name in NAMES:
        write(folder, name, (PUBLISHED / f"{name}.json").read_bytes())
        assert ended("show", folder) == 0


@settings(repeatable, max_examples=60)
@given(content=st.one_of(st.binary(max_size=50), st.text(max_size=50)))
@example(content="[" * 100_000)
@example(content='{"a":' * 100_000)
@example(content="9" * 5_000)
@example(content="\ufeff{}")
@example(content=b"\xff\xfe{")
@example(content='{"schema": 2, "schema": 1}')
@example(content='{"schema": 1e400}')
@example(content='{"schema": -99999999999999999999}')
@example(content='{"schema": true, "\x1b[31m\\n\\ud800": NaN}')
@example(content='"\\ud800"')
def test_what_is_no_result_is_refused(folder: Path, content: bytes | str) -> None:
    write(folder, "sync", content)
    assert ended("show", folder) == 1


@settings(repeatable, max_examples=30)
@given(name=st.sampled_from(NAMES), share=st.floats(0, 1, exclude_max=True))
def test_a_file_that_is_cut_is_refused(folder: Path, name: str, share: float) -> None:
    whole = (PUBLISHED / f"{name}.json").read_bytes().rstrip()
    write(folder, name, whole[: int(share * len(whole))])
    assert ended("show", folder) == 1


@settings(repeatable, max_examples=80)
@given(bent=bent_results())
def test_a_bent_result_is_shown_or_refused(folder: Path, bent: Bent) -> None:
    write(folder, bent.name, bent.text)
    ended("show", folder)


@settings(repeatable, max_examples=25)
@given(bent=bent_results())
def test_a_bent_result_is_compared_or_refused(folder: Path, before: Path, bent: Bent) -> None:
    write(before, bent.name, (PUBLISHED / f"{bent.name}.json").read_bytes())
    write(folder, bent.name, bent.text)
    ended("compare", before, folder)


@settings(repeatable, max_examples=4)
@given(bent=bent_results())
def test_a_bent_result_is_reported_or_refused(folder: Path, bent: Bent) -> None:
    write(folder, bent.name, bent.text)
    ended("report", folder)


@settings(repeatable, max_examples=60)
@given(change=st.dictionaries(st.text(max_size=5), ANYTHING, max_size=2))
def test_a_result_of_schema_1_is_migrated_or_refused(folder: Path, change: dict[str, Any]) -> None:
    said = json.loads((PUBLISHED / "sync.json").read_text()) | {"schema": 1}
    del said["resumed"]
    write(folder, "sync", json.dumps(said))
    assert load(folder, experiment_of("sync")).resumed == 0
    write(folder, "sync", json.dumps(said | change))
    ended("show", folder)
