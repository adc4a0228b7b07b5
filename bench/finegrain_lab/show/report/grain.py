# SPDX-License-Identifier: Apache-2.0
"""From which length on handing over pays."""

from collections.abc import Mapping
from typing import Any

from finegrain_lab.experiments.break_even import BREAK_EVEN, MEANING, break_even_texts
from finegrain_lab.experiments.relic_cases import NEVER, SPIN, SPIN_CASES
from finegrain_lab.experiments.relic_kernels import RELIC_KERNELS
from finegrain_lab.experiments.relic_summaries import pays_from
from finegrain_lab.run.runtimes import SERIAL


def grains(results: Mapping[str, Any]) -> dict[str, str]:
    """Returns, by what is handed over, from which length on that pays; the floor first."""
    sites, kernels = results.get(BREAK_EVEN.name), results.get(RELIC_KERNELS.name)
    return (_of_sites(sites) if sites else {}) | (_of_runtimes(kernels) if kernels else {})


def _of_sites(result: Any) -> dict[str, str]:
    return {
        "the floor: one cache line there and back": f"{result.floor_ns:.0f} ns",
        **{
            f"fork_join: {MEANING[branches].lower()}": text
            for branches, text in break_even_texts(result).items()
        },
    }


def _of_runtimes(result: Any) -> dict[str, str]:
    lengths = [case.removeprefix(SPIN) for case in SPIN_CASES if case in result.cases]
    if not lengths:
        return {}
    first = {name: pays_from(result, name) for name in result.runtimes if name != SERIAL}
    return {
        f"one of two equal tasks, by {name}": f"not up to {lengths[-1]}" if it == NEVER else it
        for name, it in first.items()
    }
