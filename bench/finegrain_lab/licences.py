# SPDX-License-Identifier: Apache-2.0
"""The licences of what is in the lab's programs and beside them, each as it came."""

import json
import subprocess
import sys
from collections.abc import Iterable, Iterator
from importlib.metadata import distributions
from pathlib import Path

from finegrain_lab.run.errors import LabError

# What the programs are of: their objects' folders in a build.
OBJECTS = ("bench/", "src/omp/", "tests/sim/", "tools/")
DOC = Path("/usr/share/doc")
COMMON = Path("/usr/share/common-licenses")
VERSIONS = "${Package} ${Version}, of the source ${source:Package} ${source:Version}\\n"
CRATES = Path("bench/programs/rust/Cargo.toml")


def of(build: Path, repository: Path, libraries: Iterable[Path]) -> Iterator[tuple[str, bytes]]:
    """Returns the licences, by names of their own, of these libraries and of what was compiled.

    That is what Debian's packages, PyPI's and Rust's crates have. Raises LabError.
    """
    installed = [path for path in libraries if not path.is_relative_to(build)]
    in_packages = {path for path in installed if not _in_distribution(path)}
    packages = _debian_packages(in_packages | _headers(build))
    for package in packages:
        yield f"{package}.txt", (DOC / package / "copyright").read_bytes()
    yield "PACKAGES.txt", _said(["dpkg-query", "-W", f"-f={VERSIONS}", *packages]).encode()
    for path in sorted(COMMON.iterdir()):  # to which these refer
        yield f"common-licenses/{path.name}", path.read_bytes()
    for path in (repository / "build/deps").glob(f"*/{DOC.relative_to('/')}/*/copyright"):
        yield f"{path.parent.name}.txt", path.read_bytes()  # a package that was only unpacked
    for path in installed:
        yield from _in_distribution(path)
    yield from _of_crates(repository / CRATES)
    for path in (Path(_said(["rustc", "--print", "sysroot"]).strip()) / "share/doc").glob(
        "rust*/*"
    ):
        if path.name.lower().startswith(("copyright", "license")) and path.is_file():
            yield f"rust-{path.name}", path.read_bytes()


def _headers(build: Path) -> set[Path]:
    """Returns the system's headers that the objects were compiled from, as ninja noted them."""
    found: set[Path] = set()
    is_of_programs = False
    for line in _said(["ninja", "-C", str(build), "-t", "deps"]).splitlines():
        if line[:1].strip():  # the line of an object, ahead of those of its headers
            is_of_programs = line.startswith(OBJECTS)
        elif is_of_programs and line:
            found.add(Path(line.strip()))
    return {path for path in found if path.is_relative_to("/usr")}


def _debian_packages(paths: Iterable[Path]) -> list[str]:
    # A package's files are noted by the names that they had before /lib came to be a link.
    names = {str(path.resolve()) for path in paths}
    names |= {name.removeprefix("/usr") for name in names if name.startswith("/usr/lib")}
    done = subprocess.run(
        ["dpkg-query", "-S", *sorted(names)], capture_output=True, text=True, check=False
    )
    owners = (line.partition(": ")[0] for line in done.stdout.splitlines())
    return sorted(
        {owner.partition(":")[0] for owner in owners if not owner.startswith("diversion")}
    )


def _in_distribution(library: Path) -> list[tuple[str, bytes]]:
    """Returns the licences of the Python distribution that a library came with, if it did."""
    if not library.is_relative_to(sys.prefix):
        return []
    for distribution in distributions():
        files = distribution.files or []
        named = [file for file in files if file.name == library.name]
        if any(Path(str(distribution.locate_file(file))).resolve() == library for file in named):
            return [
                (f"{distribution.name}-{Path(file).name}", file.read_binary())
                for file in files
                if "licens" in str(file).lower()
            ]
    return []


def _of_crates(project: Path) -> Iterator[tuple[str, bytes]]:
    command = ["cargo", "metadata", "--format-version", "1", "--locked", "--offline"]
    for package in json.loads(_said([*command, "--manifest-path", str(project)]))["packages"]:
        for path in sorted(Path(package["manifest_path"]).parent.glob("LICENSE*")):
            yield f"{package['name']}-{path.name}", path.read_bytes()


def _said(command: list[str]) -> str:
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout
    except FileNotFoundError as error:
        raise LabError(
            f"{command[0]} is not installed, and tells whose licences to pack"
        ) from error
    except subprocess.CalledProcessError as error:
        raise LabError(
            f"{command[0]} does not tell whose licences to pack: {error.stderr}"
        ) from error
