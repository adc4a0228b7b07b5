# SPDX-License-Identifier: Apache-2.0
"""What runs, or is at least compiled, past this machine's C library and system.

FINEGRAIN_BUILD_DIR names the build folder, for instance build/release.
"""

import json
import os
import re
import sys
from collections.abc import Callable
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
LIBCXX_HERE = [f"/usr/lib/llvm-19/lib/{name}.so.1" for name in ("libc++", "libc++abi")]
SINCE = {  # version 22
    *("_ZNSt3__123__atomic_monitor_globalEPKv", "_ZNSt3__126__atomic_wait_global_tableEPKvx"),
    "_ZNSt3__132__atomic_notify_all_global_tableEPKv",
    "_ZNSt3__132__atomic_notify_one_global_tableEPKv",
}
MINGW = f"{resources.files('ziglang')}/lib/libc/include/any-windows-any"


def zig(*arguments: str | Path) -> None:
    """PyPI's zig: clang with the headers and libraries of many systems."""
    caches = {
        f"ZIG_{which}_CACHE_DIR": str(BUILD / "zig" / which.lower())
        for which in ("GLOBAL", "LOCAL")
    }
    run([sys.executable, "-m", "ziglang", *arguments], caches)


def compiled(system: str, made: Path, compiler: str, *arguments: str | Path) -> Path:
    """An object for a system, without zig's sanitizer and what only debuggers read."""
    plain = ("-target", system, "-fno-sanitize=undefined", "-g0", *INCLUDES)
    zig(compiler, *plain, *arguments, "-c", "-o", made)
    return made


@pytest.fixture(scope="module")
def c_library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The C library's sources in one. The Windows test compiles each alone, behind libc++ too."""
    file = tmp_path_factory.mktemp("c_library") / "all.cpp"
    file.write_text("".join(f'#include "{source}"\n' for source in C_LIBRARY))
    return file


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


def test_a_static_program_of_musl(c_library: Path, tmp_path: Path) -> None:
    """The C library, linked into a program that needs no file beside it."""
    target = ("-target", f"{os.uname().machine}-linux-musl", *INCLUDES)
    main = tmp_path / "main.o"
    program = tmp_path / "program"
    plain = "-fno-sanitize=undefined"
    zig("cc", *target, "-std=c99", "-c", C_PROGRAM, "-o", main, plain)
    zig("c++", *target, "-std=c++20", "-static", c_library, main, "-o", program, plain)
    assert run([program]) == PRINTED
    assert "statically linked" in run(["file", program])


@pytest.mark.parametrize("source", ["finegrain.hpp", *(each.name for each in C_LIBRARY)])
def test_compiles_for_windows_with_libcxx(source: str, tmp_path: Path) -> None:
    file = tmp_path / "main.cpp"
    if source.endswith(".hpp"):
        file.write_text(f'#include "finegrain/{source}"\n')
    else:
        file = ROOT / "src/capi" / source
    options = ("-std=c++20", *WARNINGS, "-Werror")
    compiled("x86_64-windows-gnu", tmp_path / "main.o", "c++", *options, file)


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


def by_microsofts_rules(sources: list[Path], folder: Path) -> list[str | Path]:
    """The command that checks files. Standard headers come before the macros go."""
    ours = [*sources, *(ROOT / "include").rglob("*.hpp"), *(ROOT / "src/capi").glob("*.hpp")]
    names = {name for file in ours for name in INCLUDED.findall(file.read_text())}
    wrapped = folder / "main.cpp"
    wrapped.write_text(
        "".join(f"#if __has_include(<{it}>)\n#include <{it}>\n#endif\n" for it in sorted(names))
        + "".join(f"#undef {name}\n" for name in OTHER_COMPILERS_MACROS)
        + "".join(f'#include "{source}"\n' for source in sources)
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


def test_follows_the_rules_of_microsofts_compiler(tmp_path: Path) -> None:
    """Nothing of it has been compiled by that compiler itself, or with its standard library."""
    sources = [EVERY_USE, *C_LIBRARY]
    command = by_microsofts_rules(sources, tmp_path)
    run([*command, "-fsyntax-only"])
    preprocessed = run([*command, "-E"])
    assert all(f'"{source}"' in preprocessed for source in sources)
    lines = code_of_ours(preprocessed)
    assert len(lines) > 500 * len(sources)
    foreign = re.compile(r"\b(__attribute__|asm|__asm__|__thread|__int128|__builtin_\w+|gnu::\w+)")
    # That compiler has the first; the second stands where __has_cpp_attribute permits it.
    allowed = {"__builtin_bit_cast", "gnu::abi_tag"}
    assert [it for it in lines if set(foreign.findall(it)) - allowed] == []


@pytest.fixture(scope="module")
def libcxx(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What a linker reads of a Mac's libc++: by Debian's, and what zig's headers call since."""
    names = run(["nm", "-D", "--defined-only", "--format=just-symbols", *LIBCXX_HERE])
    symbols = ", ".join(f"_{it}" for it in {*re.findall(r"^_\w+", names, re.MULTILINE), *SINCE})
    macs = ", ".join(f"{name}-macos" for name in MACS.values())
    file = tmp_path_factory.mktemp("libcxx") / "libc++.tbd"
    file.write_text(
        f"--- !tapi-tbd\ntbd-version: 4\ntargets: [{macs}]\n"
        "install-name: /usr/lib/libc++.1.dylib\n"
        f"exports:\n  - targets: [{macs}]\n    symbols: [{symbols}]\n...\n"
    )
    return file


Linked = Callable[..., None]


@pytest.fixture
def linked_for_a_mac(libcxx: Path, tmp_path: Path) -> Linked:
    """Links objects as a Mac's linker does: libc++ and the compiler's functions are the system's.

    zig would build both first, for a minute each processor.
    """

    def link(system: str, *objects: Path) -> None:
        program = tmp_path / "program"
        of_the_system = ("-fno-compiler-rt", "-fno-ubsan-rt", "-lc", libcxx)
        zig("build-exe", "-target", system, *objects, *of_the_system, f"-femit-bin={program}")
        assert f"Mach-O 64-bit {MACS[system]} executable" in run(["file", "-b", program])

    return link


def compiled_for_a_mac(system: str, made: Path, source: Path) -> Path:
    """An object of a C++ source that needs no warning."""
    options = ("-std=c++20", *WARNINGS, "-Wold-style-cast", "-Werror", f"-I{ROOT / 'examples'}")
    return compiled(system, made, "c++", *options, source)


@pytest.fixture(scope="module", params=MACS)
def mac(request: pytest.FixtureRequest) -> str:
    system: str = request.param
    return system


@pytest.fixture(scope="module")
def c_library_of_a_mac(mac: str, c_library: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return compiled_for_a_mac(mac, tmp_path_factory.mktemp(mac) / "library.o", c_library)


# For one processor: what depends on it is in the headers, all of whose uses the next test links.
@pytest.mark.parametrize("program", sorted(set(EXAMPLES) - NEEDS_A_LIBRARY), ids=lambda p: p.stem)
def test_links_an_example_for_a_mac(
    linked_for_a_mac: Linked, program: Path, tmp_path: Path
) -> None:
    system = "aarch64-macos"
    linked_for_a_mac(system, compiled_for_a_mac(system, tmp_path / "main.o", program))


@pytest.mark.parametrize("program", ["headers/every_use.cpp", "here/this_machine.cpp"])
def test_links_for_a_mac_what_test_here_runs(
    linked_for_a_mac: Linked, mac: str, program: str, tmp_path: Path
) -> None:
    source = ROOT / "tests" / program
    linked_for_a_mac(mac, compiled_for_a_mac(mac, tmp_path / "main.o", source))


@pytest.mark.parametrize("program", EXAMPLES_IN_C, ids=lambda p: p.stem)
def test_links_an_example_in_c_for_a_mac(
    linked_for_a_mac: Linked, mac: str, c_library_of_a_mac: Path, program: Path, tmp_path: Path
) -> None:
    c99 = ("-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Werror")
    main = compiled(mac, tmp_path / "main.o", "cc", *c99, f"-I{ROOT / 'examples'}", program)
    linked_for_a_mac(mac, main, c_library_of_a_mac)
