# SPDX-License-Identifier: Apache-2.0
"""What a build holds (runtimes.json), and how each peer is set up for its process."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Dict, Literal, Optional, Tuple

from finegrain_lab.run.errors import LabError, reason_of
from finegrain_lab.run.shapes import Misfit, fit, parse_json

MANIFEST = Path("bench/runtimes.json")
CHECKSUMS = "SHA256SUMS"  # beside the folder of a build that `./lab pack` packed
SERIAL = "serial"
OURS = ("relic", "relic-paper")  # everything else but serial is a peer
# In relic-kernels alone: elsewhere the pool's policies of these names stand.
X_OPENMP = ("x-openmp-static", "x-openmp-wait", "x-openmp-nowait")

Cpus = Tuple[int, int]  # main, assistant
PeerSettings = Literal["tuned", "default"]
Binding = Literal["on", "off"]  # of threads to CPUs
Programs = Literal["relic-kernels", "periodic", "loops", "graph", "pipeline", "spawn"]


@dataclass(frozen=True)
class Runtime:
    """One runtime of the build; without an executable it is not installed."""

    name: str
    programs: Tuple[Programs, ...]  # that it has, or would have: in other experiments it is no peer
    executable: Optional[Path]
    compiler: str = ""
    flags: str = ""
    how_to_get: str = ""
    note: str = ""


@dataclass(frozen=True)
class Manifest:
    """runtimes.json. The order of the runtimes is the order of every table."""

    schema: Literal[4]
    compiler: str
    flags: str
    build_type: str
    floor: Path
    calibrate: Path
    handoff: Path
    handoff_instructions: Path
    break_even: Path
    waiting: Path
    sync: Path
    queues: Path
    periodic: Path  # the folder of its programs, as are the next five
    loops: Path
    graph: Path
    pipeline: Path
    spawn: Path
    omp: Path
    scaling: Path  # a program of the tests
    drop_in: Optional[Path]  # the library that runs their tasks; None: not built
    drop_in_all: Optional[Path]  # the one with regions of its own, too
    info: Path
    runtimes: Tuple[Runtime, ...]


@dataclass(frozen=True)
class Build:
    """A build folder and what its manifest says."""

    folder: Path
    manifest: Manifest

    def program(self, relative: Path) -> Path:
        """Returns the program's path. Raises LabError if it is not there."""
        path = self.folder / relative
        if not os.access(path, os.X_OK):
            raise LabError(f"the build lacks {path}: {_remedy(self.folder)}")
        return path

    def drop_in(self) -> Path:
        """Returns the OpenMP drop-in, as LD_PRELOAD takes it. Raises LabError without one."""
        return self._preloadable(self.manifest.drop_in)

    def drop_in_all(self) -> Path:
        """Returns the drop-in with regions of its own likewise. Raises LabError without one."""
        return self._preloadable(self.manifest.drop_in_all)

    def _preloadable(self, library: Path | None) -> Path:
        if library is None:
            raise LabError("the build has no OpenMP drop-in: it needs libffi (Debian: libffi-dev)")
        path = (self.folder / library).resolve()
        if not path.is_file():
            raise LabError(f"the build lacks {path}: {_remedy(self.folder)}")
        if any(separator in str(path) for separator in " :"):
            raise LabError(f"LD_PRELOAD cannot hold a path with a blank or a colon: {path}")
        return path

    def known(self, programs: Programs) -> list[Runtime]:
        """Returns the runtimes that have such a program, or would have."""
        return [runtime for runtime in self.manifest.runtimes if programs in runtime.programs]

    def installed(self, programs: Programs) -> list[Runtime]:
        """Returns the runtimes of these programs that can run."""
        return [runtime for runtime in self.known(programs) if runtime.executable]

    def missing(self, programs: Programs) -> list[Runtime]:
        """Returns the runtimes of these programs that the build could not have."""
        return [runtime for runtime in self.known(programs) if not runtime.executable]

    def command(self, runtime: Runtime) -> Path:
        """Returns the program of an installed runtime of relic-kernels."""
        if runtime.executable is None:
            raise LabError(f"{runtime.name} is not installed: {runtime.how_to_get}")
        return self.program(runtime.executable)

    def choose(self, names: Sequence[str] | None) -> list[Runtime]:
        """Returns serial and the runtimes of relic-kernels of these names (all if None).

        Raises LabError for a name that the build does not know or cannot run.
        """
        known = {runtime.name: runtime for runtime in self.known("relic-kernels")}
        for name in names or ():
            if name not in known:
                raise LabError(f"there is no runtime '{name}'; known are {', '.join(known)}", 2)
            self.command(known[name])
        chosen = [
            runtime
            for runtime in self.installed("relic-kernels")
            if names is None or runtime.name in names or runtime.name == SERIAL
        ]
        if not any(runtime.name == SERIAL for runtime in chosen):
            raise LabError(f"the build in {self.folder} has no serial runtime to compare with")
        return chosen


def is_built(folder: Path) -> bool:
    """Says whether there is a build in this folder, of whatever programs."""
    return (folder / MANIFEST).is_file()


def load_build(folder: Path) -> Build:
    """Reads the build's manifest. Raises LabError."""
    path = folder / MANIFEST
    try:
        return Build(folder, fit(parse_json(path.read_bytes()), Manifest))
    except FileNotFoundError as error:
        why = f"no build in {folder} ({MANIFEST} is missing)"
        raise LabError(f"{why}: {_remedy(folder)}") from error
    except OSError as error:
        raise LabError(f"cannot read {path}: {reason_of(error)}") from error
    except Misfit as error:
        why = f"{path} is not what this lab reads ({error})"
        raise LabError(f"{why}: {_remedy(folder)}") from error


def _remedy(folder: Path) -> str:
    """Returns what brings back what the build in this folder lacks."""
    is_packed = (folder.absolute().parent / CHECKSUMS).is_file()
    return f"unpack the archive again ({CHECKSUMS} tells all)" if is_packed else "run 'make lab'"


def fingerprint(build: Build) -> str:
    """Returns what changes when any of the build's programs, or the drop-in, is built again."""
    digest = hashlib.sha256()
    elsewhere = [build.folder / build.manifest.scaling]
    elsewhere += [build.drop_in()] if build.manifest.drop_in else []
    if build.manifest.drop_in_all:  # which `make demo` does not build
        elsewhere.append((build.folder / build.manifest.drop_in_all).resolve())
    for path in sorted((build.folder / "bench").rglob("*")) + elsewhere:
        if path.is_file() and (os.access(path, os.X_OK) or path in elsewhere):
            status = path.stat()
            digest.update(f"{path.name} {status.st_size} {status.st_mtime_ns}\n".encode())
    return digest.hexdigest()[:16]


def cpu_list(cpus: Sequence[int]) -> str:
    """Returns the CPUs as every program of the lab takes them."""
    return ",".join(map(str, cpus))


@dataclass(frozen=True)
class Settings:
    """The environment variables of one runtime.

    `{count}` stands for the number of its threads, `{places}` for their CPUs.
    """

    needed: Dict[str, str]  # what it takes to get a thread on each of the CPUs
    tuned: Dict[str, str]  # and what lets it wait as eagerly as relic does

    def environment(
        self, kind: PeerSettings, cpus: Sequence[int], *, tied: bool = True
    ) -> dict[str, str]:
        """Returns the variables for a process. Not `tied`: its threads' CPUs are the system's."""
        chosen = {**self.needed, **(self.tuned if kind == "tuned" else {})}
        if not tied:
            chosen = {name: value for name, value in chosen.items() if name != _PLACES}
            chosen.update({_BIND: "false"} if _PLACES in self.needed else {})
        places = ",".join(f"{{{cpu}}}" for cpu in cpus)
        return {
            name: value.replace("{count}", str(len(cpus))).replace("{places}", places)
            for name, value in chosen.items()
        }


# Places in this order and `close` put the primary thread on the first place and the other thread on
# the second (OpenMP 5.2, 10.1.3), as GNU's and LLVM's runtimes do.
_PLACES = "OMP_PLACES"
_BIND = "OMP_PROC_BIND"
_OPENMP_NEEDED = {"OMP_NUM_THREADS": "{count}", _PLACES: "{places}"}
_OPENMP_TUNED = {
    "OMP_DYNAMIC": "false",
    _BIND: "close",
    "OMP_WAIT_POLICY": "active",  # LLVM's runtime takes KMP_LIBRARY=turnaround from this
}
_KMP = Settings(_OPENMP_NEEDED, {**_OPENMP_TUNED, "KMP_BLOCKTIME": "infinite"})

OPENMP = ("gnu-openmp", "llvm-openmp", "intel-openmp")
_SAME_FOR_RELEASE = {"llvm-openmp": "intel-openmp"}  # Debian builds LLVM's with assertions


def without_doubles(names: Collection[str]) -> list[str]:
    """Returns the runtimes but those whose build for release is among them."""
    return [name for name in names if _SAME_FOR_RELEASE.get(name) not in names]


def _with_policy(policy: str) -> Settings:
    """LLVM's or Intel's runtime, its tasks on the drop-in's queues."""
    return Settings({**_KMP.needed, "FINEGRAIN_POLICY": policy}, _KMP.tuned)


# The runtimes that are not here take their CPUs from --cpus and have nothing to tune.
SETTINGS = {
    "gnu-openmp": Settings(_OPENMP_NEEDED, {**_OPENMP_TUNED, "GOMP_SPINCOUNT": "infinite"}),
    "llvm-openmp": _KMP,
    "intel-openmp": _KMP,
    **{name: _with_policy(name.replace("x-openmp-", "xqueue_")) for name in X_OPENMP},
    "opencilk": Settings({"CILK_NWORKERS": "{count}"}, {}),
}


def environment_of(
    runtime: str, kind: PeerSettings, cpus: Sequence[int], *, tied: bool = True
) -> dict[str, str]:
    """Returns the variables that this runtime's process gets: a thread on each of these CPUs.

    Not `tied`: as many threads, wherever the system puts them.
    """
    settings = SETTINGS.get(runtime)
    return settings.environment(kind, cpus, tied=tied) if settings else {}


# Without these a passive runtime has the waiting that it takes for passive.
_EAGER = ("KMP_BLOCKTIME", "GOMP_SPINCOUNT")


def passive_environment_of(runtime: str, cpus: Sequence[int]) -> dict[str, str]:
    """Returns the variables for an OpenMP runtime whose idle threads are to sleep at once."""
    tuned = environment_of(runtime, "tuned", cpus)
    kept = {name: value for name, value in tuned.items() if name not in _EAGER}
    return {**kept, "OMP_WAIT_POLICY": "passive"}
