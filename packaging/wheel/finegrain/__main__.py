# SPDX-License-Identifier: Apache-2.0
"""Prints where CMake, pkg-config and compilers find finegrain in this environment."""

import argparse
from pathlib import Path

PREFIX = Path(__file__).parent
FOLDERS = {
    "--cmake-dir": ("lib/cmake/finegrain", "for CMake's -Dfinegrain_DIR"),
    "--include-dir": ("include", "for a compiler's -I"),
    "--pkgconfig-dir": ("lib/pkgconfig", "for PKG_CONFIG_PATH"),
}

parser = argparse.ArgumentParser(prog="python -m finegrain", description=__doc__)
asked = parser.add_mutually_exclusive_group(required=True)
for option, (folder, use) in FOLDERS.items():
    asked.add_argument(option, dest="folder", action="store_const", const=folder, help=use)
print(PREFIX / parser.parse_args().folder)
