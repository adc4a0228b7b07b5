# SPDX-License-Identifier: Apache-2.0
"""How threads are spread over cores, SMT siblings and NUMA nodes."""

from __future__ import annotations

from collections.abc import Sequence

from finegrain_lab.run.host import Host

CORES, SIBLINGS, SOME = "a core each", "SMT siblings", "some as SMT siblings"


def spread_of(host: Host, cpus: Sequence[int]) -> str:
    """Returns how threads on these CPUs are spread, in words.

    Nothing for one thread, which is where every spread begins, and where the host does not tell.
    """
    if len(cpus) < 2 or not host.cores:
        return ""
    with_sibling = [cpu for cpu in cpus if len(_group_of(cpu, host.cores) & set(cpus)) > 1]
    kind = CORES if not with_sibling else SIBLINGS if len(with_sibling) == len(cpus) else SOME
    nodes = [node for node in host.nodes or [] if not set(node).isdisjoint(cpus)]
    return f"{kind}, {len(nodes)} NUMA nodes" if len(nodes) > 1 else kind


def _group_of(cpu: int, groups: Sequence[Sequence[int]]) -> set[int]:
    return next((set(group) for group in groups if cpu in group), {cpu})
