# SPDX-License-Identifier: Apache-2.0
"""Rows of two runs as a noisy host gives them, with changes that are known."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from finegrain_lab.show.measurements import Measurement, is_ours


@dataclass(frozen=True)
class Layout:
    """The rows of an experiment: every runtime on every case."""

    experiment: str
    cases: Sequence[str]
    runtimes: Sequence[str]
    reference: str | None
    rounds: int


KERNELS = Layout(
    experiment="relic-kernels",
    cases=[f"case-{number}" for number in range(17)],
    runtimes=[
        *("serial", "relic", "relic-paper", "gnu-openmp", "llvm-openmp", "intel-openmp"),
        *("x-openmp-static", "x-openmp-wait", "x-openmp-nowait", "onetbb", "taskflow"),
    ],
    reference="serial",
    rounds=20,
)
# Bursts: the floor beside them is not in the file.
HANDOFF = Layout(
    experiment="handoff",
    cases=[f"burst-{2**size}, shared_l3" for size in range(1, 8)],
    runtimes=[
        *("relic (spin)", "relic (spin_pause)", "relic (spin_then_sleep)", "relic-paper (spin)"),
        *("boost-spsc (spin)", "boost-spsc (spin_pause)", "atomic-queue (spin)"),
        *("atomic-queue (spin_pause)", "moodycamel-rw (spin)"),
    ],
    reference=None,
    rounds=40,
)
WAITING = Layout(
    experiment="waiting",
    cases=["gap-1us", "gap-10us", "gap-100us", "gap-1ms"],
    runtimes=["relic (spin)", "relic (spin_pause)", "relic (spin_then_sleep)"],
    reference=None,
    rounds=9,
)


@dataclass(frozen=True)
class Noise:
    """Standard deviations of logarithms."""

    of_round: float = 0.10  # the host's, shared by a round of a case
    of_sample: float = 0.03
    of_run: float = 0.02  # a row's own, in all rounds of a run


QUIET = Noise(of_round=0.03, of_sample=0.02, of_run=0.005)


def run(layout: Layout, noise: Noise, seed: int) -> list[Measurement]:
    """Returns the rows of one run; nothing but the noise differs between seeds."""
    draw = np.random.default_rng(seed)
    rows = []
    for case in layout.cases:
        shared = draw.normal(0, noise.of_round, layout.rounds)
        times = {
            runtime: np.exp(
                np.log(100 + 10 * number)
                + shared
                + draw.normal(0, noise.of_run)
                + draw.normal(0, noise.of_sample, layout.rounds)
            ).tolist()
            for number, runtime in enumerate(layout.runtimes)
        }
        for runtime, samples in times.items():
            held = layout.reference if runtime != layout.reference else None
            ours = is_ours(runtime)
            rows.append(
                Measurement(
                    experiment=layout.experiment,
                    case=case,
                    runtime=runtime,
                    ours=ours,
                    default=ours and runtime == "relic",
                    samples=samples,
                    reference=held,
                    reference_samples=times[held] if held else (),
                )
            )
    return rows


def slowed(
    rows: Sequence[Measurement], factor: float, *, starting: tuple[str, ...] = ("",)
) -> list[Measurement]:
    """Returns the rows; the runtimes that start so take so many times as long, references too."""

    def times(runtime: str | None, samples: Sequence[float]) -> list[float]:
        is_slowed = runtime is not None and runtime.startswith(starting)
        return [ns * factor if is_slowed else ns for ns in samples]

    return [
        replace(
            row,
            samples=times(row.runtime, row.samples),
            reference_samples=times(row.reference, row.reference_samples),
        )
        for row in rows
    ]
