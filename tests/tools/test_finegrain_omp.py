# SPDX-License-Identifier: Apache-2.0
"""finegrain-omp as a process: a program with the drop-in."""

import os
import shutil
import signal
from pathlib import Path

import pytest
from omp_command import (
    POLICIES,
    REFUSED,
    Tools,
    compiled,
    make_tools,
    options_of,
    refused,
    run,
    shown,
    start,
)


@pytest.fixture(scope="module")
def tools(tmp_path_factory: pytest.TempPathFactory) -> Tools:
    return make_tools(tmp_path_factory.mktemp("omp"))


def test_preloads_the_library_and_names_the_policy(tools: Tools) -> None:
    assert shown(run(tools, tools.program, "show")) == [
        f"name {tools.program}",
        f"preload {tools.library}",
        "policy private_deque",
        "verbose ",
    ]
    assert "policy xqueue_nowait:2" in shown(
        run(tools, "--policy", "xqueue_nowait:2", tools.program, "show")
    )
    assert "policy combining" in shown(
        run(tools, tools.program, "show", FINEGRAIN_POLICY="combining")
    )
    assert "policy chase_lev" in shown(
        run(tools, "--policy=chase_lev", tools.program, "show", FINEGRAIN_POLICY="combining")
    )


def test_comes_before_what_is_preloaded_already(tools: Tools) -> None:
    other = compiled(tools.folder / "other.so", "int other;", "-shared", "-fPIC")
    before = f"{other}:{tools.library}"
    done = run(tools, tools.program, "show", LD_PRELOAD=before)
    assert f"preload {tools.library}:{other}" in shown(done)


def test_options_after_the_program_are_the_programs(tools: Tools) -> None:
    given = ["--policy", "nonsense", "--", "-x", "", "two words"]
    done = run(tools, tools.program, "show", *given)
    assert shown(done)[4:] == [f"argument {each}" for each in given]
    assert shown(run(tools, "--", tools.program, "show", "--", "x"))[4:] == [
        "argument --",
        "argument x",
    ]


def test_keeps_status_signal_and_streams(tools: Tools) -> None:
    assert run(tools, tools.program, "status", "42").returncode == 42
    assert run(tools, tools.program, "die", str(signal.SIGSEGV)).returncode == -signal.SIGSEGV
    done = run(tools, tools.program, "echo", stdin="a line\n")
    assert (done.stdout, done.stderr) == ("a line\n", "")


def test_finds_the_program_in_path(tools: Tools) -> None:
    path = f"/nowhere::{tools.folder}:{os.environ['PATH']}"
    assert shown(run(tools, "program", "show", PATH=path))[0] == "name program"
    here = ["/usr/bin/env", "-C", str(tools.folder), *options_of(tools), "program", "show"]
    assert shown(start(here, {"PATH": "/nowhere:"}))[0] == "name program"
    refused(run(tools, "program", PATH="/nowhere"), 127, "no program 'program'")


def test_finds_the_library_beside_itself(tools: Tools, tmp_path: Path) -> None:
    installed = tmp_path / "bin" / "finegrain-omp"
    installed.parent.mkdir()
    shutil.copy(tools.command, installed)
    command = [str(installed), str(tools.program), "show"]
    refused(start(command, {}), REFUSED, "no libfinegrain-omp.so.0 beside this command")
    library = tmp_path / "lib" / "libfinegrain-omp.so.0"
    library.parent.mkdir()
    shutil.copy(tools.library, library)
    assert f"preload {library}" in shown(start(command, {}))


def test_knows_the_folder_for_the_library_path(tools: Tools, tmp_path: Path) -> None:
    installed = tmp_path / "bin" / "finegrain-omp"
    installed.parent.mkdir()
    shutil.copy(tools.command, installed)
    folder = tmp_path / "lib/finegrain/omp"
    refused(start([str(installed), "--folder"], {}), REFUSED, "no libfinegrain-omp-all.so.0 beside")
    (tmp_path / "lib").mkdir()
    library = shutil.copy(tools.library, tmp_path / "lib/libfinegrain-omp-all.so.0")
    refused(start([str(installed), "--folder"], {}), REFUSED, "lib/finegrain/omp: No such file")
    folder.mkdir(parents=True)
    assert start([str(installed), "--folder"], {}).stdout == f"{folder}\n"
    refused(start([str(installed), "--folder", "true"], {}), REFUSED, "takes nothing else")

    # What is preloaded replaces it.
    (folder / "libgomp.so.1").symlink_to(library)
    path = f"/nowhere:{folder}:{tmp_path}"
    source = '#include <stdio.h>\n#include <stdlib.h>\nint main(void) { puts(getenv("PATHS")); }'
    program = compiled(tmp_path / "paths", source.replace("PATHS", "LD_LIBRARY_PATH"))
    assert run(tools, program, LD_LIBRARY_PATH=path).stdout == f"/nowhere:{tmp_path}\n"


def test_runs_scripts(tools: Tools) -> None:
    script = tools.folder / "script"
    script.write_text(f"#!/bin/sh\nexec {tools.program} show\n")
    script.chmod(0o755)
    done = run(tools, script)
    assert f"preload {tools.library}" in shown(done)
    assert done.stderr == ""
    assert "script is a script: what it runs is served" in run(tools, "--verbose", script).stderr


@pytest.mark.parametrize(
    ("compiler", "words"), [("gcc", "names libgomp.so.1"), ("clang-19", "names libomp.so.5")]
)
def test_verbose_names_the_runtime(tools: Tools, compiler: str, words: str) -> None:
    # It needs the entry points that a runtime linked in would define.
    source = "int main(void) {\n#pragma omp parallel\n  { }\n  return 0; }"
    program = compiled(tools.folder / f"by-{compiler}", source, "-fopenmp", compiler=compiler)
    done = run(tools, "--verbose", program)
    assert done.returncode == 0
    assert f"finegrain-omp: {program} {words}\n" in done.stderr
    assert "finegrain-omp: runtime stub, policy private_deque\n" in done.stderr
    assert "names no OpenMP runtime" not in done.stderr


def test_remarks_that_there_is_no_runtime(tools: Tools) -> None:
    program = compiled(tools.folder / "plain", "int main(void) { return 3; }")
    done = run(tools, program)
    assert done.stderr.startswith(f"finegrain-omp: {program} names no OpenMP runtime: ")
    assert (done.stderr.count("\n"), done.returncode) == (1, 3)
    assert run(tools, tools.program, "show").stderr == ""
    assert "verbose 1" in shown(run(tools, "--verbose", tools.program, "show"))


def test_help(tools: Tools) -> None:
    done = start([str(tools.command), "--help"], {})
    assert done.returncode == 0
    for option in ("--policy", "--verbose", "--compare", "--library", *POLICIES):
        assert option in done.stdout
