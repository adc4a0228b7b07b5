# SPDX-License-Identifier: Apache-2.0
"""Describes the machine, and chooses its CPUs. Reads /proc and /sys.

Results are published, so they do not name the machine; where the lab was packed for the nodes of a
cluster they do, as many nodes are alike.
"""

from __future__ import annotations

import os
import platform
import re
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path
from typing import List, Optional, Tuple

from finegrain_lab.run.errors import LabError
from finegrain_lab.run.runtimes import Cpus, Manifest

ROOT = Path("/")
COMMIT = "COMMIT"  # the file in the place of a repository: `./lab pack`
SHORT_COMMIT = 10  # characters, enough to be unique for long
MARKS = r"\((R|TM|r|tm)\)"


@dataclass(frozen=True)
class Host:
    """Where and with what the numbers were measured."""

    cpu: str
    vendor: str
    family: str
    model: str
    stepping: str
    architecture: str
    cpus_online: int
    cpus_allowed: List[int]
    used_cpus: Tuple[int, int]
    placement: str
    smt: str
    used_cpus_are_siblings: Optional[bool]  # None: not exposed
    caches: List[str]
    hypervisor: bool
    kernel: str
    governor: str
    cgroup_quota_cpus: Optional[float]
    compiler: str
    flags: str
    build_type: str
    commit: str
    dirty: Optional[bool]
    python: str
    time_utc: str
    load_before: Tuple[float, float, float]
    load_after: Tuple[float, float, float]
    node: Optional[str] = None  # its name; None: the lab was not packed
    # The allowed CPUs by core, and by NUMA node. None: not exposed, or an older lab's.
    cores: Optional[List[List[int]]] = None
    nodes: Optional[List[List[int]]] = None


def allowed_cpus() -> list[int]:
    """Returns the CPUs that this process may use."""
    return sorted(os.sched_getaffinity(0))


def choose_cpus(asked: Cpus | None, root: Path = ROOT) -> tuple[Cpus, str]:
    """Returns the main and the assistant CPU, and why these.

    Unasked: the first allowed CPU with its SMT sibling, the paper's placement, or the first two
    allowed ones. Raises LabError if there are not two, or if the asked ones cannot be had.
    """
    allowed = allowed_cpus()
    if len(allowed) < 2:
        raise LabError(f"only CPU {allowed[0]} may be used here, and the experiment needs two")
    if asked is not None:
        if asked[0] == asked[1]:
            raise LabError(f"--cpus names CPU {asked[0]} twice, and the experiment needs two", 2)
        for cpu in asked:
            if cpu not in allowed:
                names = ",".join(map(str, allowed))
                raise LabError(f"CPU {cpu} may not be used here; allowed are {names}", 2)
        return asked, "asked for"
    for cpu in allowed:
        for sibling in siblings_of(cpu, root) or []:
            if sibling != cpu and sibling in allowed:
                return (cpu, sibling), "SMT siblings"
    return (allowed[0], allowed[1]), "the first two allowed: no SMT siblings among them"


def choose_all_cpus(asked: Cpus | None, root: Path = ROOT) -> tuple[Cpus, str, list[int]]:
    """Returns the two as `choose_cpus` does, and all CPUs to use: the asked ones, or all allowed.

    The two come first, then one of each other core, then these cores' siblings. Raises LabError.
    """
    pair, placement = choose_cpus(asked, root)
    others = [] if asked else [cpu for cpu in allowed_cpus() if cpu not in pair]

    def is_sibling(cpu: int) -> bool:
        before = {*pair, *others[: others.index(cpu)]}
        return not before.isdisjoint(siblings_of(cpu, root) or [])

    return pair, placement, [*pair, *sorted(others, key=is_sibling)]


def cores_first(cpus: Sequence[int], root: Path = ROOT) -> list[int]:
    """Returns the CPUs in this order, but one of each core ahead of all their siblings."""
    seen: set[int] = set()
    first: list[int] = []
    for cpu in cpus:
        if cpu not in seen:
            first.append(cpu)
            seen.update([cpu, *(siblings_of(cpu, root) or [])])
    return [*first, *(cpu for cpu in cpus if cpu not in first)]


def siblings_of(cpu: int, root: Path = ROOT) -> list[int] | None:
    """Returns the CPUs of this CPU's core, itself included; None if the system does not say."""
    text = _read(root / f"sys/devices/system/cpu/cpu{cpu}/topology/thread_siblings_list")
    return parse_cpu_list(text) if text else None


def with_siblings(cpus: Sequence[int], root: Path = ROOT) -> list[int]:
    """Returns all CPUs of these CPUs' cores: what runs on a sibling slows them down."""
    return sorted({other for cpu in cpus for other in siblings_of(cpu, root) or [cpu]})


def parse_cpu_list(text: str) -> list[int]:
    """Returns the CPUs of a list as the kernel writes it: 0-2,5."""
    cpus: list[int] = []
    for part in text.split(","):
        first, _, last = part.partition("-")
        cpus.extend(range(int(first), int(last or first) + 1))
    return cpus


def describe_host(
    cpus: Cpus, placement: str, manifest: Manifest, repository: Path, root: Path = ROOT
) -> Host:
    """Describes the machine now; `load_after` is today's load until the run is over."""
    info = _cpu_info(root, cpus[0])
    siblings = siblings_of(cpus[0], root)
    commit, dirty = commit_of(repository)
    return Host(
        cpu=info.get("model name", "not exposed"),
        vendor=info.get("vendor_id", info.get("CPU implementer", "not exposed")),
        family=info.get("cpu family", info.get("CPU architecture", "not exposed")),
        model=info.get("model", info.get("CPU part", "not exposed")),
        stepping=info.get("stepping", info.get("CPU revision", "not exposed")),
        architecture=platform.machine(),
        cpus_online=os.cpu_count() or 0,
        cpus_allowed=allowed_cpus(),
        used_cpus=cpus,
        placement=placement,
        smt=_smt(root),
        used_cpus_are_siblings=None if siblings is None else cpus[1] in siblings,
        caches=_caches(root, cpus[0]),
        hypervisor="hypervisor" in info.get("flags", "").split(),
        kernel=f"{platform.system()} {platform.release()}",
        governor=_governor(root, cpus),
        cgroup_quota_cpus=_quota(root),
        compiler=manifest.compiler,
        flags=manifest.flags,
        build_type=manifest.build_type,
        commit=commit,
        dirty=dirty,
        python=platform.python_version(),
        time_utc=datetime.now(timezone.utc).isoformat(timespec="seconds"),
        load_before=os.getloadavg(),
        load_after=os.getloadavg(),
        node=platform.node() if (repository / COMMIT).exists() else None,
        cores=_grouped([siblings_of(cpu, root) for cpu in allowed_cpus()]),
        nodes=_grouped([_cpus_of_node(path) for path in _nodes(root)]),
    )


def folder_name(host: Host) -> str:
    """Returns a name for this host's results: commit, CPU, whether siblings were used, compiler.

    And which node, where it is known.
    """
    siblings = {True: "siblings", False: "no-siblings", None: "siblings-unknown"}
    parts = (
        host.commit[:SHORT_COMMIT] + ("-dirty" if host.dirty else ""),
        f"{re.sub(MARKS, '', host.cpu)} {host.model}",
        siblings[host.used_cpus_are_siblings],
        host.compiler,
        *([host.node] if host.node else []),
    )
    return "_".join(re.sub("[^a-z0-9.]+", "-", part.lower()).strip("-") for part in parts)


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return ""  # not exposed here


def _cpu_info(root: Path, cpu: int) -> dict[str, str]:
    for block in _read(root / "proc/cpuinfo").split("\n\n"):
        pairs = (line.split(":", 1) for line in block.splitlines() if ":" in line)
        info = {key.strip(): value.strip() for key, value in pairs}
        if info.get("processor") == str(cpu):
            return info
    return {}


def _smt(root: Path) -> str:
    control = _read(root / "sys/devices/system/cpu/smt/control")
    active = _read(root / "sys/devices/system/cpu/smt/active")
    if not control and not active:
        return "not exposed"
    state = {"1": "on", "0": "off"}.get(active, "not exposed")
    return f"{state} (control: {control})" if control else state


def _caches(root: Path, cpu: int) -> list[str]:
    caches = []
    for index in sorted((root / f"sys/devices/system/cpu/cpu{cpu}/cache").glob("index*")):
        level, kind, size = (_read(index / name) for name in ("level", "type", "size"))
        shared = _read(index / "shared_cpu_list")
        letter = {"Data": "d", "Instruction": "i"}.get(kind, "")
        caches.append(f"L{level}{letter} {size}, CPUs {shared}")
    return caches


def _nodes(root: Path) -> list[Path]:
    folder = root / "sys/devices/system/node"
    return sorted(folder.glob("node[0-9]*"), key=lambda path: int(path.name[len("node") :]))


def _cpus_of_node(path: Path) -> list[int] | None:
    text = _read(path / "cpulist")  # empty of a node that has memory only
    return parse_cpu_list(text) if text else None


def _grouped(groups: Sequence[list[int] | None]) -> list[list[int]] | None:
    """Returns each group once, without the CPUs that are not allowed; None without any."""
    allowed = set(allowed_cpus())
    kept = (tuple(cpu for cpu in group or [] if cpu in allowed) for group in groups)
    return [list(group) for group in dict.fromkeys(kept) if group] or None


def _governor(root: Path, cpus: Sequence[int]) -> str:
    found = [_read(root / f"sys/devices/system/cpu/cpu{c}/cpufreq/scaling_governor") for c in cpus]
    return ", ".join(dict.fromkeys(name for name in found if name)) or "not exposed"


def _quota(root: Path) -> float | None:
    """Returns the tightest CPU quota of this process's cgroups, in CPUs; None without one."""
    quotas = []
    for line in _read(root / "proc/self/cgroup").splitlines():
        _, controllers, path = line.split(":", 2)
        if controllers == "":
            quotas += _quotas_up(root / "sys/fs/cgroup", path, _quota_v2)
        elif "cpu" in controllers.split(","):
            quotas += _quotas_up(root / "sys/fs/cgroup/cpu", path, _quota_v1)
    return min(quotas, default=None)


def _quotas_up(mount: Path, path: str, read_quota: Callable[[Path], float | None]) -> list[float]:
    group = mount / path.strip("/")
    folders = [group, *(parent for parent in group.parents if mount in (parent, *parent.parents))]
    return [quota for folder in folders if (quota := read_quota(folder)) is not None]


def _quota_v2(folder: Path) -> float | None:
    quota, _, period = _read(folder / "cpu.max").partition(" ")
    return int(quota) / int(period) if quota.isdigit() and period.isdigit() else None


def _quota_v1(folder: Path) -> float | None:
    quota, period = _read(folder / "cpu.cfs_quota_us"), _read(folder / "cpu.cfs_period_us")
    return int(quota) / int(period) if quota.isdigit() and period.isdigit() else None


def commit_of(repository: Path) -> tuple[str, bool | None]:
    """Returns the commit, and whether there are changes; those of when it was packed, if it was."""
    if packed := _read(repository / COMMIT):
        packed_commit, _, dirty = packed.partition(" ")
        return packed_commit, bool(dirty)
    commit = _git(repository, "rev-parse", "--verify", "--quiet", "HEAD")
    changes = _git(repository, "status", "--porcelain")
    return commit or "none", None if changes is None else bool(changes)


def _git(repository: Path, *arguments: str) -> str | None:
    try:
        done = subprocess.run(
            ["git", "-C", repository, *arguments], capture_output=True, text=True, check=True
        )
    except (OSError, subprocess.CalledProcessError):
        return None
    return done.stdout.strip()
