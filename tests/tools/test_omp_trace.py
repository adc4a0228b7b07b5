# SPDX-License-Identifier: Apache-2.0
"""FINEGRAIN_TRACE under the drop-in: what an unmodified OpenMP program's threads have taken."""

import json
import os
import subprocess
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

BUILD = Path(os.environ["FINEGRAIN_BUILD_DIR"])
TASKS = 160  # of spinning_producer.c, all of them taken by another thread than their maker


def run_traced(program: str, file: Path) -> dict[str, Any]:
    subprocess.run(
        [BUILD / "tests/omp" / program],
        env={
            **os.environ,
            "LD_PRELOAD": str(BUILD / "src/omp/libfinegrain-omp.so"),
            "OMP_NUM_THREADS": "2",
            "FINEGRAIN_TRACE": str(file),
        },
        check=True,
        timeout=60,
    )
    trace: dict[str, Any] = json.loads(file.read_text())
    return trace


@pytest.mark.parametrize("compiler", ["clang", "gcc"])
def test_shows_what_threads_took_from_others(compiler: str, tmp_path: Path) -> None:
    trace = run_traced(f"spinning_producer.{compiler}", tmp_path / "trace.json")
    spans = [event for event in trace["traceEvents"] if event["ph"] == "X"]
    assert Counter(span["name"] for span in spans)["stolen task"] == TASKS


@pytest.mark.parametrize("compiler", ["clang", "gcc"])
def test_shows_sleeps(compiler: str, tmp_path: Path) -> None:
    trace = run_traced(f"sleeping_team.{compiler}", tmp_path / "trace.json")
    names = {event["name"] for event in trace["traceEvents"] if event["ph"] == "X"}
    assert "sleep" in names
