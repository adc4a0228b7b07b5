# SPDX-License-Identifier: Apache-2.0
"""What clang makes of the hot paths, and how many instructions they take: the same in every run.

As a command it writes both down anew, hot_paths.s and budgets.toml, for a change that is meant.
"""

import re
import subprocess
import tempfile
import tomllib
from pathlib import Path

HERE = Path(__file__).parent
LISTING = HERE / "hot_paths.s"
BUDGETS = HERE / "budgets.toml"
# The release preset's, for any x86-64.
COMPILE = ("clang++-19", "-std=c++20", "-O3", "-DNDEBUG", f"-I{HERE.parents[1] / 'include'}")
PASSES = 1000  # counted_paths.cpp, kPasses
COMMAND = "python tests/codegen/hot_paths.py"


def compiler() -> str:
    """The compiler's version."""
    done = subprocess.run([COMPILE[0], "-dumpversion"], capture_output=True, text=True, check=True)
    return done.stdout.strip()


def listing() -> str:
    """The functions of hot_paths.cpp as assembly: no directives, no comments, names in C++.

    Without the inline namespaces of version and settings.
    """
    options = ("-fno-exceptions", "-fno-asynchronous-unwind-tables", "-S", "-o", "-")
    command = [*COMPILE, *options, str(HERE / "hot_paths.cpp")]
    assembly = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    functions = re.findall(
        r"^(?:relic|deque|pool)_\w+:.*?(?=^\.Lfunc_end)", assembly, flags=re.MULTILINE | re.DOTALL
    )
    lines = []
    for line in "".join(functions).splitlines():
        text = line.split("#")[0].rstrip()
        if text and not re.match(r"\s+\.|\.(Lfunc|Ltmp)", text):
            lines.append(text.replace("\t", "    ", 1).replace("\t", " "))
    names = subprocess.run(
        ["c++filt"], input="\n".join(lines), capture_output=True, text=True, check=True
    )
    return re.sub(r"\bfg::v\d+_\d+_\d+(::no_exceptions)?::", "fg::", names.stdout) + "\n"


def counts() -> dict[str, int]:
    """Instructions of PASSES passes of each path of counted_paths.cpp, by callgrind."""
    source = HERE / "counted_paths.cpp"
    paths = re.findall(r'^ +\{"(\w+)", ', source.read_text(), flags=re.MULTILINE)
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / "counted_paths"
        subprocess.run([*COMPILE, "-g1", "-pthread", source, "-o", program], check=True)
        return {path: collected(program, path) for path in paths}


def collected(program: Path, path: str) -> int:
    """Instructions that callgrind collects while `fg_count` runs."""
    callgrind = ("valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null")
    command = [*callgrind, "--toggle-collect=*fg_count*", str(program), path]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    found = re.search(r"Collected : (\d+)", done.stderr)
    if done.returncode != 0 or found is None:
        raise RuntimeError(f"{path} ended with {done.returncode}:\n{done.stderr}")
    return int(found[1])


def budgets() -> dict[str, int]:
    """What is allowed, by path."""
    table: dict[str, int] = tomllib.loads(BUDGETS.read_text())["instructions"]
    return table


def write_down() -> None:
    """Makes what is now what is expected."""
    LISTING.write_text(listing())
    rows = "".join(f"{path} = {count}\n" for path, count in counts().items())
    BUDGETS.write_text(
        f"# Instructions of {PASSES} passes of each path of counted_paths.cpp, by callgrind, of\n"
        f"# what clang {compiler()} makes of it at -O3 for x86-64. Written by {COMMAND}.\n"
        f"[instructions]\n{rows}"
    )


if __name__ == "__main__":
    write_down()
