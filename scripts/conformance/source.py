# SPDX-License-Identifier: Apache-2.0
"""LLVM's tests, from the Debian source package of the installed libomp.

Nothing of it is kept in the repository. The package comes from the mirror that this machine uses,
with lists of apt's in a folder of our own; of its tarball only the tests are unpacked. Debian's
patches of 19.1.7 touch no test and are left out.
"""

import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from .errors import ConformanceError

PACKAGE = "llvm-toolchain-19"
LIBRARY_PACKAGE = "libomp5-19"
KEYRING = "/usr/share/keyrings/debian-archive-keyring.gpg"
TESTS = Path("openmp/runtime/test")
# What they include, and LLVM's license.
BESIDES = ("openmp/runtime/src/kmp_platform.h", "openmp/LICENSE.TXT")
# The tarball that has the tests; the package's other ones have Debian's own files.
TARBALL = "*.orig.tar.xz"


@dataclass(frozen=True)
class Tests:
    """The unpacked tests, and the source package's version."""

    folder: Path
    version: str


def get_tests(work: Path) -> Tests:
    """Unpacks the tests below `work` unless they are there; only then contacts the mirror."""
    version = _output("dpkg-query", "-W", "-f", "${source:Version}", LIBRARY_PACKAGE)
    # A colon would end an entry of LD_LIBRARY_PATH and similar variables.
    folder = work / f"{PACKAGE}-{version.replace(':', '_')}"
    if not (folder / TESTS / "lit.cfg").is_file():
        print(
            f"conformance: getting Debian's source package {PACKAGE} {version} (165 MB)", flush=True
        )
        _unpack(_download(work / "apt", version), folder)
    return Tests(folder / TESTS, version)


def _download(apt: Path, version: str) -> Path:
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
        ["source", "-qq", "--download-only", "--tar-only", f"{PACKAGE}={version}"],
    ):
        done = subprocess.run(
            ["apt-get", *options, *arguments], cwd=apt, capture_output=True, text=True, check=False
        )
        (apt / "log").write_text(done.stdout + done.stderr)
        if done.returncode != 0:
            raise ConformanceError(
                f"the source package {PACKAGE} {version} is not available (log: {apt}/log)"
            )
    tarballs = list(apt.glob(TARBALL))
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


def _unpack(tarball: Path, folder: Path) -> None:
    """Extracts the tests from the tarball, in one pass, and removes it."""
    new = folder.with_name(folder.name + ".new")
    shutil.rmtree(new, ignore_errors=True)
    new.mkdir(parents=True)
    done = subprocess.run(
        [
            *("tar", "-xJf", tarball, "-C", new, "--strip-components=1", "--wildcards"),
            *(f"*/{name}" for name in (TESTS, *BESIDES)),
        ],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        raise ConformanceError(f"{tarball} does not unpack: {done.stderr.strip().splitlines()[0]}")
    shutil.rmtree(folder, ignore_errors=True)
    new.rename(folder)
    tarball.unlink()


def _output(*command: str) -> str:
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except FileNotFoundError as error:
        raise ConformanceError(f"no {command[0]} here: Debian's packages are needed") from error
    if done.returncode != 0:
        message = (done.stderr.strip().splitlines() or ["it failed"])[0]
        raise ConformanceError(f"{command[0]}: {message}")
    return done.stdout.strip()
