# SPDX-License-Identifier: Apache-2.0
"""finegrain-omp as a process: what it cannot serve, in one line each."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from omp_command import POLICIES, PROGRAM, REFUSED, Tools, compiled, make_tools, refused, run

CANNOT_SERVE, NO_PROGRAM = 126, 127


@pytest.fixture(scope="module")
def tools(tmp_path_factory: pytest.TempPathFactory) -> Tools:
    return make_tools(tmp_path_factory.mktemp("omp"))


def test_refuses_wrong_arguments(tools: Tools) -> None:
    refused(run(tools), REFUSED, "which program?")
    refused(run(tools, "--polcy", "x"), REFUSED, "no option --polcy")
    refused(run(tools, "--compare", "0", tools.program), REFUSED, "--compare")
    refused(run(tools, "--compare", "some", tools.program), REFUSED, "--compare")


def test_refuses_unknown_policies_and_lists_the_known(tools: Tools) -> None:
    done = run(tools, "--policy", "magic", tools.program)
    refused(done, REFUSED, "no policy 'magic'")
    assert ", ".join(POLICIES) in done.stderr
    refused(run(tools, tools.program, FINEGRAIN_POLICY="magic"), REFUSED, "no policy 'magic'")


def test_refuses_what_is_no_program(tools: Tools) -> None:
    refused(run(tools, "/nowhere/at-all"), NO_PROGRAM, "No such file")
    refused(run(tools, ""), NO_PROGRAM, "no program ''")
    refused(run(tools, tools.folder), CANNOT_SERVE, "no file that can be run")
    text = tools.folder / "text"
    text.write_text("echo without an interpreter line\n")
    refused(run(tools, text), CANNOT_SERVE, "Permission denied")
    text.chmod(0o755)
    refused(run(tools, text), CANNOT_SERVE, "it is no ELF file")
    unlinked = compiled(tools.folder / "unlinked.o", PROGRAM, "-c")
    unlinked.chmod(0o755)
    refused(run(tools, unlinked), CANNOT_SERVE, "it is no executable")


def changed(tools: Tools, name: str, offset: int, value: bytes) -> Path:
    """The program with some bytes of its header replaced."""
    content = bytearray(tools.program.read_bytes())
    content[offset : offset + len(value)] = value
    path = tools.folder / name
    path.write_bytes(content)
    path.chmod(0o755)
    return path


def test_refuses_other_machines_and_broken_files(tools: Tools) -> None:
    other = changed(
        tools, "other-machine", 18, b"\xf3\x00" if os.uname().machine != "riscv64" else b"\x3e\x00"
    )
    refused(run(tools, other), CANNOT_SERVE, "for another kind of machine")
    word_class = changed(tools, "other-class", 4, b"\x01")
    refused(run(tools, word_class), CANNOT_SERVE, "cannot be served")
    short = tools.folder / "short"
    short.write_bytes(tools.program.read_bytes()[:5000])
    short.chmod(0o755)
    refused(run(tools, short), CANNOT_SERVE, "it is cut short")


def test_refuses_static_programs(tools: Tools) -> None:
    source = "int main(void) { return 0; }"
    for option in ("-static", "-static-pie"):
        program = compiled(tools.folder / f"linked{option}", source, option)
        refused(run(tools, program), CANNOT_SERVE, "statically linked")


@pytest.mark.parametrize("entry", ["GOMP_parallel", "__kmpc_fork_call"])
def test_refuses_a_runtime_linked_in(tools: Tools, entry: str) -> None:
    defined = f"void {entry}(void) {{}} int main(void) {{ {entry}(); return 0; }}"
    program = compiled(tools.folder / f"own-{entry}", defined)
    refused(run(tools, program), CANNOT_SERVE, f"it defines {entry}")
    subprocess.run(["strip", program], check=True)
    assert run(tools, program).returncode == 0  # nothing tells it any more
    exported = compiled(tools.folder / f"exported-{entry}", defined, "-rdynamic", "-s")
    refused(run(tools, exported), CANNOT_SERVE, f"it defines {entry}")


def test_refuses_another_dynamic_linker(tools: Tools) -> None:
    program = compiled(
        tools.folder / "musl", PROGRAM, "-Wl,--dynamic-linker=/lib/ld-musl-x86_64.so.1"
    )
    refused(run(tools, program), CANNOT_SERVE, "its dynamic linker is another one, /lib/ld-musl")


@pytest.mark.parametrize("bit", [0o4000, 0o2000])
def test_refuses_setuid_and_setgid(tools: Tools, bit: int) -> None:
    program = tools.folder / f"privileged-{bit:o}"
    shutil.copy(tools.program, program)
    program.chmod(0o755 | bit)
    refused(run(tools, program, "show"), CANNOT_SERVE, "setuid or setgid")


def test_refuses_file_capabilities(tools: Tools) -> None:
    program = tools.folder / "capable"
    shutil.copy(tools.program, program)
    # Version 2, effective, CAP_NET_BIND_SERVICE: what setcap writes.
    capability = bytes.fromhex("0100000200040000000000000000000000000000")
    try:
        os.setxattr(program, "security.capability", capability)
    except PermissionError:
        pytest.skip("only root may give a file capabilities")
    refused(run(tools, program, "show"), CANNOT_SERVE, "file capabilities")


def test_refuses_libraries_that_it_cannot_preload(tools: Tools) -> None:
    missing = tools.folder / "missing.so"
    refused(run(tools, tools.program, library=missing), REFUSED, "no library")
    text = tools.folder / "text.so"
    text.write_text("no library\n")
    refused(run(tools, tools.program, library=text), REFUSED, "it is no ELF file")
    spaced = tools.folder / "a space.so"
    shutil.copy(tools.library, spaced)
    refused(run(tools, tools.program, library=spaced), REFUSED, "LD_PRELOAD cannot name")
    other = compiled(tools.folder / "other.so", "int other;", "-shared", "-fPIC")
    refused(run(tools, tools.program, library=other), REFUSED, "is not the drop-in")
