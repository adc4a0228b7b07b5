# SPDX-License-Identifier: Apache-2.0
"""Projects outside of this one, made in an empty folder, and the commands that build them.

FINEGRAIN_BUILD_DIR names the build folder, for instance build/release.
"""

import os
import re
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

ROOT = Path(__file__).parents[2]
BUILD = Path(os.environ.get("FINEGRAIN_BUILD_DIR", ROOT / "build/release"))
README = (ROOT / "README.md").read_text()
README_LISTS = re.findall(r"```cmake\n(.*?)```", README, flags=re.DOTALL)
(README_PROGRAM,) = re.findall(r"```cpp\n(.*?)```", README, flags=re.DOTALL)
# It needs no more, and takes a compiler a third less.
PROGRAM = README_PROGRAM.replace("<finegrain/finegrain.hpp>", "<finegrain/relic.hpp>")
PRINTED = "2000\n"
VERSION = re.findall(r'VERSION "(.*)"', (ROOT / "include/finegrain/version.h").read_text())[0]
C_PROGRAM = (ROOT / "examples/two_branches_c.c").read_text()
# What becomes of a library, not how fast it is: its sources together, and none optimized.
QUICKLY = {"CMAKE_CXX_FLAGS_RELEASE": "-O0 -DNDEBUG", "CMAKE_UNITY_BUILD": "ON"}
# In place of what is fetched: the tree at hand.
FETCHES_THIS = f"-DFETCHCONTENT_SOURCE_DIR_FINEGRAIN={ROOT}"


def run(
    command: Sequence[str | Path],
    environment: Mapping[str, str] | None = None,
    *,
    fails: bool = False,
) -> str:
    """What `command` prints; that is the message, too, where it ends otherwise than said."""
    done = subprocess.run(
        command,
        env={**os.environ, **(environment or {})},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
        timeout=900,  # ctest's is 1200 s; zig builds libc++ in 200 s of an idle CPU
    )
    assert (done.returncode != 0) == fails, (
        f"{command} ended with {done.returncode}:\n{done.stdout}"
    )
    return done.stdout


def lists_that(
    find: str = "find_package(finegrain REQUIRED)",
    target: str = "finegrain::finegrain",
    language: str = "CXX",
) -> str:
    """A CMakeLists.txt of a program that finds finegrain so and links that target."""
    return f"""\
cmake_minimum_required(VERSION 3.25)
project(app LANGUAGES {language})
{find}
add_executable(app main.{"c" if language == "C" else "cpp"})
target_link_libraries(app PRIVATE {target})
"""


def make_project(folder: Path, lists: str, program: str) -> Path:
    """A folder with a CMakeLists.txt and a main program."""
    folder.mkdir()
    (folder / "CMakeLists.txt").write_text(lists)
    (folder / ("main.c" if "main.c)" in lists else "main.cpp")).write_text(program)
    return folder


def configure(
    project: Path,
    *options: str,
    environment: Mapping[str, str] | None = None,
    fails: bool = False,
) -> str:
    """Configures a project, in `build` beneath it."""
    command = ["cmake", "-G", "Ninja", f"-S{project}", f"-B{project}/build", *options]
    return run(command, environment, fails=fails)


def build_and_run(project: Path, environment: Mapping[str, str] | None = None) -> str:
    """Builds what was configured, and returns what the program prints."""
    run(["cmake", "--build", project / "build"], environment)
    return run([project / "build/app"])


def without_cxx(folder: Path) -> dict[str, str]:
    """An environment whose PATH holds what a C program needs, and no compiler of C++."""
    folder.mkdir()
    for tool in ("cc", "as", "ld", "ar", "ranlib", "nm", "ninja", "cmake", "pkg-config"):
        found = run(["sh", "-c", f"command -v {tool}"]).strip()
        (folder / tool).symlink_to(Path(found).resolve())
    return {"PATH": str(folder), "CXX": ""}
