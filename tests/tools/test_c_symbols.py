# SPDX-License-Identifier: Apache-2.0
"""What the C library shows is what its header declares.

FINEGRAIN_BUILD_DIR names the build folder, for instance build/release.
"""

import os
import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).parents[2]
HEADER = (ROOT / "include/finegrain/finegrain.h").read_text()


def declared() -> set[str]:
    return set(re.findall(r"^FINEGRAIN_API [^(]*?\b(fg_\w+)\(", HEADER, flags=re.MULTILINE))


def test_the_header_marks_every_function() -> None:
    without_comments = re.sub(r"/\*.*?\*/", "", HEADER, flags=re.DOTALL)
    # Not the result of a callback's type.
    functions = set(re.findall(r"\b(fg_\w+)\s*\((?!\*)", without_comments))
    assert functions == declared()


def test_the_library_shows_these_and_nothing_else() -> None:
    library = Path(os.environ["FINEGRAIN_BUILD_DIR"]) / "src/capi/libfinegrain-c.so"
    command = ["nm", "--dynamic", "--defined-only", "--format=posix", str(library)]
    lines = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    shown = {line.split()[0].split("@")[0] for line in lines if line.split()[1] != "A"}
    assert shown == declared()
