# SPDX-License-Identifier: Apache-2.0
"""How lit runs gcc's tests of libgomp: by a format of ours, gcc_format.py."""

from pathlib import Path

from .toolchain import GCC_COMPILERS, REPOSITORY

# OpenACC's, and those that look at the compiler's code.
_EXCLUDED = (
    *("libgomp.graphite", "libgomp.oacc-c", "libgomp.oacc-c++", "libgomp.oacc-c-c++-common"),
    *("libgomp.oacc-fortran", "lib", "config"),
)


def configuration_of(folder: Path, tests: Path, launcher: Path | None) -> str:
    """The text of lit.site.cfg in `folder`. Only test programs get the drop-in: `launcher`."""
    lines = [
        "import sys",
        f"sys.path.insert(0, {str(REPOSITORY)!r})",
        "from scripts.conformance import gcc_format",
        "config.name = 'libgomp'",
        "config.suffixes = gcc_format.LANGUAGES",
        f"config.excludes = {_EXCLUDED!r}",
        f"config.test_source_root = {str(tests)!r}",
        f"config.test_exec_root = {str(folder)!r}",
        f"config.test_format = gcc_format.GccTests({GCC_COMPILERS!r}, {str(launcher or '')!r})",
    ]
    return "\n".join(lines) + "\n"
