# SPDX-License-Identifier: Apache-2.0
"""From which length on handing over pays."""

from collections.abc import Mapping

from finegrain_lab.break_even.cases import MEANING
from finegrain_lab.break_even.results import Result as BreakEven
from finegrain_lab.break_even.table import break_even_text
from finegrain_lab.relic_kernels.cases import SPIN_CASES
from finegrain_lab.relic_kernels.results import Result as RelicKernels
from finegrain_lab.relic_kernels.table import pays_from
from finegrain_lab.results import ResultFile
from finegrain_lab.runtimes import SERIAL


def grains(results: Mapping[str, ResultFile]) -> dict[str, str]:
    """Returns, by what is handed over, from which length on that pays; the floor first."""
    found: dict[str, str] = {}
    for result in results.values():
        if isinstance(result, BreakEven):
            found = {**_of_sites(result), **found}
        elif isinstance(result, RelicKernels) and any(case in SPIN_CASES for case in result.cases):
            found |= _of_runtimes(result)
    return found


def _of_sites(result: BreakEven) -> dict[str, str]:
    return {
        "the floor: one cache line there and back": f"{result.floor_ns:.0f} ns",
        **{
            f"fork_join: {MEANING[ratio].lower()}": break_even_text(result, ratio)
            for ratio in result.break_even_ns
        },
    }


def _of_runtimes(result: RelicKernels) -> dict[str, str]:
    return {
        f"one of two equal tasks, by {runtime}": _told(result, runtime)
        for runtime in result.runtimes
        if runtime != SERIAL
    }


def _told(result: RelicKernels, runtime: str) -> str:
    first = pays_from(result, runtime)
    longest = [case for case in SPIN_CASES if case in result.cases][-1]
    return f"not up to {longest.removeprefix('spin-')}" if first == "-" else first
