# SPDX-License-Identifier: Apache-2.0
"""One archive of the lab for machines without root, compilers and network: nodes of clusters.

It has the build's programs, the dynamic loader and the libraries that they were linked with, so
that they run on any glibc, what runs samples (`finegrain_lab.run`, which needs Python 3.8 alone),
and the licences of all that is not ours.
"""

import functools
import gzip
import hashlib
import io
import json
import platform
import re
import stat
import subprocess
import tarfile
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from finegrain_lab import licences
from finegrain_lab.run.errors import LabError, reason_of
from finegrain_lab.run.host import COMMIT, SHORT_COMMIT, commit_of
from finegrain_lab.run.loader import LOADER
from finegrain_lab.run.runtimes import CHECKSUMS, MANIFEST, Build

BUILD = PurePosixPath("build")
PACKAGE = PurePosixPath("bench/finegrain_lab")
# Of `show`, what the experiments describe their tables and figures with.
SHOWN = ("__init__.py", "figures.py", "tables.py")
ALONGSIDE = Path(__file__).parent / "packed"  # what a user of the archive sees first
COMMANDS = ("finegrain-lab",)  # of these, what is started
MACHINES = Path("tests/sim/machines")
# Libraries whose licences do not let us pass them on, and why.
KEPT_BACK = {
    "libiomp5.so": "its licence does not let us pass it on: build the lab there",
}
LOADER_NAME = re.compile(r"^ld-linux.*\.so\.\d+$")


@dataclass
class Contents:
    """The files of an archive, by their paths in it."""

    files: dict[PurePosixPath, bytes] = field(default_factory=dict)
    executables: set[PurePosixPath] = field(default_factory=set)

    def add(self, path: PurePosixPath | str, data: bytes, *, is_executable: bool = False) -> None:
        """Adds a file."""
        at = PurePosixPath(path)
        self.files[at] = data
        if is_executable:
            self.executables.add(at)

    def checksums(self) -> str:
        """Returns the file that `sha256sum -c` reads."""
        return "".join(
            f"{hashlib.sha256(data).hexdigest()}  {path}\n"
            for path, data in sorted(self.files.items())
        )

    def write(self, archive: Path, top: str, time: int) -> None:
        """Writes the archive, all below one folder: the same bytes for the same contents."""
        with (
            archive.open("wb") as file,
            gzip.GzipFile("", "wb", fileobj=file, mtime=time) as zipped,
            tarfile.open(fileobj=zipped, mode="w") as tar,
        ):
            for path, data in sorted(self.files.items()):
                entry = tarfile.TarInfo(f"{top}/{path}")
                entry.size, entry.mtime = len(data), time
                entry.mode = 0o755 if path in self.executables else 0o644
                tar.addfile(entry, io.BytesIO(data))


def pack(build: Build, repository: Path, folder: Path, wheel: Path | None) -> Path:
    """Writes the archive into the folder, and returns its path. Raises LabError.

    `wheel`: of `make wheel`; the archive then has its commands, for the users' own programs.
    """
    commit, is_dirty = commit_of(repository)
    try:
        contents = _contents(build, repository)
        if wheel:
            _add_wheel(contents, wheel)
        contents.add(COMMIT, (commit + (" dirty" if is_dirty else "") + "\n").encode())
        contents.add(CHECKSUMS, contents.checksums().encode())
        short = commit[:SHORT_COMMIT] + ("-dirty" if is_dirty else "")
        top = f"finegrain-lab-{short}-{platform.machine()}"
        folder.mkdir(parents=True, exist_ok=True)
        archive = folder / f"{top}.tar.gz"
        contents.write(archive, top, int((build.folder / MANIFEST).stat().st_mtime))
        digest = hashlib.sha256(archive.read_bytes()).hexdigest()
        archive.with_name(f"{archive.name}.sha256").write_text(f"{digest}  {archive.name}\n")
    except OSError as error:
        raise LabError(f"cannot pack {error.filename}: {reason_of(error)}") from error
    return archive


def _contents(build: Build, repository: Path) -> Contents:
    contents = Contents()
    programs, kept_back = _programs(build)
    libraries: dict[str, Path] = {}
    for relative in programs:
        path = (build.folder / relative).resolve()
        libraries.update(needed_libraries(path))
        contents.add(BUILD / relative.as_posix(), path.read_bytes(), is_executable=True)
    for path in _opened_libraries(build.folder):
        libraries.update({path.name: path, **needed_libraries(path)})
    contents.add(BUILD / MANIFEST.as_posix(), _manifest_without(build, kept_back))
    for name, path in sorted(libraries.items()):
        at = LOADER if LOADER_NAME.match(name) else LOADER.with_name(name)
        contents.add(BUILD / at.as_posix(), path.read_bytes(), is_executable=at == LOADER)
    for name, data in licences.of(build.folder, repository, libraries.values()):
        contents.add(PurePosixPath("licences") / name, data)
    package = repository / PACKAGE
    for path in [package / "__init__.py", *(package / "show" / name for name in SHOWN)]:
        contents.add(PACKAGE / path.relative_to(package).as_posix(), path.read_bytes())
    for part in ("run", "experiments"):
        for path in sorted((package / part).glob("*.py")):
            contents.add(PACKAGE / part / path.name, path.read_bytes())
    for path in sorted((repository / MACHINES).glob("*.toml")):
        contents.add(PurePosixPath(MACHINES) / path.name, path.read_bytes())
    for path in sorted(ALONGSIDE.iterdir()):
        contents.add(path.name, path.read_bytes(), is_executable=path.name in COMMANDS)
    contents.add("LICENSE", (repository / "LICENSE").read_bytes())
    return contents


def _programs(build: Build) -> tuple[list[Path], dict[Path, str]]:
    """Returns what of the build is packed, and what is not: why. Paths in the build's folder."""
    manifest = build.manifest
    found = [path.relative_to(build.folder) for path in _executables(build.folder / "bench")]
    found += [manifest.scaling, manifest.info]
    found += [each for each in (manifest.drop_in, manifest.drop_in_all) if each]
    kept_back = {
        path: KEPT_BACK[name]
        for path in found
        for name in needed_libraries((build.folder / path).resolve())
        if name in KEPT_BACK
    }
    return [path for path in found if path not in kept_back], kept_back


def _opened_libraries(folder: Path) -> list[Path]:
    """Returns what programs open by its full path, where that is here: OpenBLAS."""
    cache = (folder / "CMakeCache.txt").read_text()
    found = re.findall(r"^FINEGRAIN_OPENBLAS_PTHREAD:FILEPATH=(.+)$", cache, re.MULTILINE)
    return [path for path in map(Path, found) if path.is_file()]


def _executables(folder: Path) -> Iterator[Path]:
    for path in sorted(folder.rglob("*")):
        is_ours = "CMakeFiles" not in path.parts and "rust" not in path.parts
        if is_ours and path.is_file() and path.stat().st_mode & stat.S_IXUSR:
            yield path


def _manifest_without(build: Build, kept_back: dict[Path, str]) -> bytes:
    said = json.loads((build.folder / MANIFEST).read_bytes())
    for runtime in said["runtimes"]:
        if reason := kept_back.get(Path(runtime["executable"] or "")):
            runtime.update(executable=None, how_to_get=reason)
    return json.dumps(said, indent=1).encode()


@functools.cache
def needed_libraries(program: Path) -> dict[str, Path]:
    """Returns the libraries that the system's loader finds for it, with itself. Raises LabError."""
    done = subprocess.run(["ldd", program], capture_output=True, text=True, check=False)
    if done.returncode:
        raise LabError(f"ldd cannot tell what {program} needs: {done.stderr}")
    found: dict[str, Path] = {}
    for line in done.stdout.splitlines():
        name, _, path = line.strip().partition(" => ")
        if "not found" in path:
            raise LabError(f"{program} needs {name}, which is not here")
        words = (path or name).split()
        if words and words[0].startswith("/"):
            found[Path(name.split()[0]).name] = Path(words[0])
    return found


def _add_wheel(contents: Contents, wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as zipped:
        for entry in zipped.infolist():
            if not entry.is_dir():
                is_executable = bool(entry.external_attr >> 16 & stat.S_IXUSR)
                at = PurePosixPath("wheel") / entry.filename
                contents.add(at, zipped.read(entry), is_executable=is_executable)
