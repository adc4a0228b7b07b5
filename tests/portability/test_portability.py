# SPDX-License-Identifier: Apache-2.0
"""What runs, or is at least compiled, past this machine's C library and system.

FINEGRAIN_BUILD_DIR names the build folder, for instance build/release.
"""

import json
import os
import re
import sys
from pathlib import Path

import pytest
from outside import BUILD, PRINTED, ROOT, run

C_LIBRARY = sorted((ROOT / "src/capi").glob("*.cpp"))
C_PROGRAM = ROOT / "examples/two_branches_c.c"
UNTESTED = ("aarch64-macos", "x86_64-windows-gnu")
INCLUDES = (f"-I{ROOT / 'include'}", f"-I{ROOT / 'src'}")


def zig(*arguments: str | Path) -> None:
    """PyPI's zig: clang with the headers and libraries of many systems; without its sanitizer."""
    caches = {
        f"ZIG_{which}_CACHE_DIR": str(BUILD / "zig" / which.lower())
        for which in ("GLOBAL", "LOCAL")
    }
    run([sys.executable, "-m", "ziglang", *arguments, "-fno-sanitize=undefined"], caches)


@pytest.mark.parametrize(("asked", "flags"), [("OFF", []), ("ON", ["-march=native"])])
def test_is_compiled_for_this_processor_on_request(
    asked: str, flags: list[str], tmp_path: Path
) -> None:
    others = ("TESTS", "OMP", "TOOLS")
    options = [f"-DFINEGRAIN_BUILD_{other}=OFF" for other in others]
    run(["cmake", "-G", "Ninja", ROOT, f"-B{tmp_path}", f"-DFINEGRAIN_NATIVE={asked}", *options])
    commands = json.loads((tmp_path / "compile_commands.json").read_text())
    assert len(commands) >= len(C_LIBRARY)
    for each in commands:
        assert re.findall(r"-m(?:arch|cpu)=\S+", each["command"]) == flags


def test_a_static_program_of_musl(tmp_path: Path) -> None:
    """The C library, linked into a program that needs no file beside it."""
    target = ("-target", f"{os.uname().machine}-linux-musl")
    main = tmp_path / "main.o"
    program = tmp_path / "program"
    zig("cc", *target, "-std=c99", *INCLUDES, "-c", C_PROGRAM, "-o", main)
    zig("c++", *target, "-std=c++20", "-static", *INCLUDES, *C_LIBRARY, main, "-o", program)
    assert run([program]) == PRINTED
    assert "statically linked" in run(["file", program])


@pytest.mark.parametrize("system", UNTESTED)
@pytest.mark.parametrize("source", ["finegrain.hpp", *(each.name for each in C_LIBRARY)])
def test_compiles_where_it_is_untested(system: str, source: str, tmp_path: Path) -> None:
    file = tmp_path / "main.cpp"
    if source.endswith(".hpp"):
        file.write_text(f'#include "finegrain/{source}"\n')
    else:
        file = ROOT / "src/capi" / source
    strict = ("-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Werror")
    command = ("c++", "-target", system, "-std=c++20", *strict, *INCLUDES)
    zig(*command, "-c", file, "-o", tmp_path / "main.o")
