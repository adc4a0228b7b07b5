# SPDX-License-Identifier: Apache-2.0
"""LLVM's and gcc's tests, from the Debian source packages of the installed runtimes.

Nothing of them is kept in the repository. A package comes from the mirror that this machine uses,
with lists of apt's in a folder of our own; of its tarball only the tests are unpacked. Debian's
patches of LLVM 19.1.7 touch no test, those of gcc 12.2.0 what cannot run here; they are left out.
"""

import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from .errors import ConformanceError

KEYRING = "/usr/share/keyrings/debian-archive-keyring.gpg"


@dataclass(frozen=True)
class Package:
    """A source package, and where the tests are in it."""

    name: str
    installed: str  # a binary package of the version that is wanted
    size: str
    tarball: str  # the one that has the tests, a pattern; the others have Debian's own files
    inner: str  # a tarball in it, if there is one: a pattern
    tests: Path
    besides: tuple[str, ...]  # what they include, and the license


LLVM = Package(
    *("llvm-toolchain-19", "libomp5-19", "165 MB", "*.orig.tar.xz", ""),
    Path("openmp/runtime/test"),
    ("openmp/runtime/src/kmp_platform.h", "openmp/LICENSE.TXT"),
)
GCC = Package(
    *("gcc-12", "gcc-12", "87 MB", "*.orig.tar.gz", "gcc-12.*.tar.xz"),
    Path("libgomp/testsuite"),
    ("COPYING3",),
)


@dataclass(frozen=True)
class Tests:
    """The unpacked tests, and the source package's version."""

    folder: Path
    version: str


def get_tests(work: Path, package: Package) -> Tests:
    """Unpacks the tests below `work` unless they are there; only then contacts the mirror."""
    version = _output("dpkg-query", "-W", "-f", "${source:Version}", package.installed)
    # A colon would end an entry of LD_LIBRARY_PATH and similar variables.
    folder = work / f"{package.name}-{version.replace(':', '_')}"
    if not (folder / package.tests).is_dir():
        print(
            f"conformance: getting Debian's source package {package.name} {version} "
            f"({package.size})",
            flush=True,
        )
        _unpack(_download(work / "apt" / package.name, package, version), package, folder)
    return Tests(folder / package.tests, version)


def _download(apt: Path, package: Package, version: str) -> Path:
    """Downloads the tarball into `apt`; apt-get checks its hash against the signed list."""
    for folder in ("lists/partial", "cache/archives/partial"):
        (apt / folder).mkdir(parents=True, exist_ok=True)
    (apt / "sources.list").write_text("".join(f"{line}\n" for line in _source_lines()))
    options = [
        *(
            "-o",
            f"Dir::Etc::sourcelist={apt}/sources.list",
            "-o",
            "Dir::Etc::sourceparts=/dev/null",
        ),
        *("-o", f"Dir::State::lists={apt}/lists", "-o", f"Dir::Cache={apt}/cache"),
        *("-o", "APT::Sandbox::User=root"),
    ]
    for arguments in (
        ["update", "-qq"],
        ["source", "-qq", "--download-only", "--tar-only", f"{package.name}={version}"],
    ):
        done = subprocess.run(
            ["apt-get", *options, *arguments], cwd=apt, capture_output=True, text=True, check=False
        )
        (apt / "log").write_text(done.stdout + done.stderr)
        if done.returncode != 0:
            raise ConformanceError(
                f"the source package {package.name} {version} is not available (log: {apt}/log)"
            )
    tarballs = list(apt.glob(package.tarball))
    if len(tarballs) != 1:
        raise ConformanceError(f"{len(tarballs)} tarballs in {apt}, not one; remove that folder")
    return tarballs[0]


def _source_lines() -> list[str]:
    """The source lists of the suites whose binary lists this machine has."""
    targets = _output(
        *("apt-get", "indextargets", "--format", "$(SITE) $(RELEASE)"),
        *("Created-By: Packages", "Component: main", "Origin: Debian"),
    )
    lines = sorted(
        {f"deb-src [signed-by={KEYRING}] {target} main" for target in targets.split("\n")}
    )
    if not targets:
        raise ConformanceError("apt lists no Debian mirror: run apt-get update once, as root")
    return lines


def _unpack(tarball: Path, package: Package, folder: Path) -> None:
    """Extracts the tests from the tarball, and removes it."""
    new = folder.with_name(folder.name + ".new")
    shutil.rmtree(new, ignore_errors=True)
    new.mkdir(parents=True)
    wanted = [f"*/{name}" for name in (package.tests, *package.besides)]
    if package.inner:
        _extract(tarball, new, [f"*/{package.inner}"])
        tarball.unlink()
        (tarball,) = new.glob(package.inner)
    _extract(tarball, new, wanted)
    tarball.unlink()
    shutil.rmtree(folder, ignore_errors=True)
    new.rename(folder)


def _extract(tarball: Path, folder: Path, patterns: list[str]) -> None:
    """Extracts what the patterns match, without the first folder of its path."""
    done = subprocess.run(
        ["tar", "-xf", tarball, "-C", folder, "--strip-components=1", "--wildcards", *patterns],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        raise ConformanceError(f"{tarball} does not unpack: {done.stderr.strip().splitlines()[0]}")


def _output(*command: str) -> str:
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except FileNotFoundError as error:
        raise ConformanceError(f"no {command[0]} here: Debian's packages are needed") from error
    if done.returncode != 0:
        message = (done.stderr.strip().splitlines() or ["it failed"])[0]
        raise ConformanceError(f"{command[0]}: {message}")
    return done.stdout.strip()
