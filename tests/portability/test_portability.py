# SPDX-License-Identifier: Apache-2.0
"""What runs, or is at least compiled, past this machine's C library and system.

FINEGRAIN_BUILD_DIR names the build folder, for instance build/release.
"""

import json
import os
import re
import sys
from importlib import resources
from pathlib import Path

import pytest
from outside import BUILD, PRINTED, ROOT, run

C_LIBRARY = sorted((ROOT / "src/capi").glob("*.cpp"))
C_PROGRAM = ROOT / "examples/two_branches_c.c"
MACS = {"aarch64-macos": "arm64", "x86_64-macos": "x86_64"}  # and what `file` calls them
WARNINGS = ("-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Wconversion", "-Wsign-conversion")
EXAMPLES = sorted((ROOT / "examples").glob("*.cpp"))
EXAMPLES_IN_C = sorted((ROOT / "examples").glob("*_c.c"))
NEEDS_A_LIBRARY = {ROOT / "examples/json_stream.cpp"}
INCLUDES = (f"-I{ROOT / 'include'}", f"-I{ROOT / 'src'}")
EVERY_USE = ROOT / "tests/headers/every_use.cpp"
MICROSOFT = str(Path(__file__).parent / "microsoft")
MINGW = f"{resources.files('ziglang')}/lib/libc/include/any-windows-any"


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


@pytest.mark.parametrize("source", ["finegrain.hpp", *(each.name for each in C_LIBRARY)])
def test_compiles_for_windows_with_libcxx(source: str, tmp_path: Path) -> None:
    file = tmp_path / "main.cpp"
    if source.endswith(".hpp"):
        file.write_text(f'#include "finegrain/{source}"\n')
    else:
        file = ROOT / "src/capi" / source
    command = ("c++", "-target", "x86_64-windows-gnu", "-std=c++20", *WARNINGS, "-Werror")
    zig(*command, *INCLUDES, "-c", file, "-o", tmp_path / "main.o")


# clang in Microsoft's mode, without the macros by which our code would know another compiler.
# libc++ and zig's C headers of MinGW, which need those and define the last, come before.
MICROSOFTS_RULES = (
    *("clang++-19", "--target=x86_64-pc-windows-msvc", "-fms-compatibility-version=19.40"),
    *("-fgnuc-version=4.2.1", "-std=c++20", *WARNINGS, "-Wgnu", "-Werror"),
    *("-D_UCRT", "-D_LIBCPP_NO_VCRUNTIME", "-nostdinc++", "-isystem", MICROSOFT),
    *("-isystem", "/usr/lib/llvm-19/include/c++/v1", "-isystem", MINGW),
    *("-include", "c_library.hpp", *INCLUDES),
)
INCLUDED = re.compile(r"^#include <(\S+)>", re.MULTILINE)
OTHER_COMPILERS_MACROS = ("__GNUC__", "__GNUC_MINOR__", "__clang__", "__x86_64__", "__forceinline")


def by_microsofts_rules(source: Path, folder: Path) -> list[str | Path]:
    """The command that checks a file. Standard headers come before the macros go."""
    ours = [source, *(ROOT / "include").rglob("*.hpp"), *(ROOT / "src/capi").glob("*.hpp")]
    names = {name for file in ours for name in INCLUDED.findall(file.read_text())}
    wrapped = folder / "main.cpp"
    wrapped.write_text(
        "".join(f"#if __has_include(<{it}>)\n#include <{it}>\n#endif\n" for it in sorted(names))
        + "".join(f"#undef {name}\n" for name in OTHER_COMPILERS_MACROS)
        + f'#include "{source}"\n'
    )
    return [*MICROSOFTS_RULES, wrapped]


def code_of_ours(preprocessed: str) -> list[str]:
    """The lines that come from our files."""
    lines, is_ours = [], False
    for line in preprocessed.splitlines():
        if marker := re.match(r'# \d+ "(.*?)"', line):
            is_ours = any(Path(marker[1]).is_relative_to(ROOT / it) for it in ("include", "src"))
        elif is_ours:
            lines.append(line)
    return lines


@pytest.mark.parametrize("source", [EVERY_USE, *C_LIBRARY], ids=lambda path: path.name)
def test_follows_the_rules_of_microsofts_compiler(source: Path, tmp_path: Path) -> None:
    """Nothing of it has been compiled by that compiler itself, or with its standard library."""
    command = by_microsofts_rules(source, tmp_path)
    run([*command, "-fsyntax-only"])
    lines = code_of_ours(run([*command, "-E"]))
    assert len(lines) > 500
    foreign = re.compile(r"\b(__attribute__|asm|__asm__|__thread|__int128|__builtin_\w+|gnu::\w+)")
    # That compiler has the first; the second stands where __has_cpp_attribute permits it.
    allowed = {"__builtin_bit_cast", "gnu::abi_tag"}
    assert [it for it in lines if set(foreign.findall(it)) - allowed] == []


def linked_for_a_mac(system: str, program: Path, *sources: Path) -> None:
    """Compiles and links sources or objects without a warning."""
    command = ("c++", "-target", system, "-std=c++20", *WARNINGS, "-Wold-style-cast", "-Werror")
    zig(*command, *INCLUDES, f"-I{ROOT / 'examples'}", *sources, "-o", program)
    assert f"Mach-O 64-bit {MACS[system]} executable" in run(["file", "-b", program])


@pytest.fixture(scope="module", params=MACS)
def mac(request: pytest.FixtureRequest) -> str:
    system: str = request.param
    return system


@pytest.fixture(scope="module")
def c_library(mac: str, tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """The C library's objects."""
    folder = tmp_path_factory.mktemp(mac)
    objects = [folder / f"{source.stem}.o" for source in C_LIBRARY]
    for source, made in zip(C_LIBRARY, objects, strict=True):
        command = ("c++", "-target", mac, "-std=c++20", *WARNINGS, "-Wold-style-cast", "-Werror")
        zig(*command, *INCLUDES, "-c", source, "-o", made)
    return objects


# For one processor: what depends on it is in the headers, all of whose uses the next test links.
@pytest.mark.parametrize("program", sorted(set(EXAMPLES) - NEEDS_A_LIBRARY), ids=lambda p: p.stem)
def test_links_an_example_for_a_mac(program: Path, tmp_path: Path) -> None:
    linked_for_a_mac("aarch64-macos", tmp_path / "program", program)


@pytest.mark.parametrize("program", ["headers/every_use.cpp", "here/this_machine.cpp"])
def test_links_for_a_mac_what_test_here_runs(mac: str, program: str, tmp_path: Path) -> None:
    linked_for_a_mac(mac, tmp_path / "program", ROOT / "tests" / program)


@pytest.mark.parametrize("program", EXAMPLES_IN_C, ids=lambda p: p.stem)
def test_links_an_example_in_c_for_a_mac(
    mac: str, c_library: list[Path], program: Path, tmp_path: Path
) -> None:
    main = tmp_path / "main.o"
    c99 = ("cc", "-target", mac, "-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Wconversion")
    zig(*c99, "-Werror", *INCLUDES, f"-I{ROOT / 'examples'}", "-c", program, "-o", main)
    linked_for_a_mac(mac, tmp_path / "program", main, *c_library)
