# SPDX-License-Identifier: Apache-2.0
"""What the programs `omp-RUNTIME` print (bench/README.md)."""

import statistics
from collections.abc import Sequence

from pydantic import Field

from finegrain_lab.processes import Output


class OmpSample(Output):
    """What a program prints of one case."""

    runtime: str
    case: str
    size: int
    threads: int = Field(gt=0)
    tasks: int = Field(ge=0)  # explicit ones of a batch
    # A number a batch: wall time of the whole work; of overheads, of one construct less its
    # reference, which can be below 0 by the clock's noise.
    ns: list[float] = Field(min_length=1)
    offloaded_share: float = Field(ge=0, le=1)
    cpus: list[int]  # where the threads were seen
    version: str
    note: str = ""

    @property
    def median_ns(self) -> float:
        """The median over the batches."""
        return statistics.median(self.ns)


def joined(samples: Sequence[OmpSample]) -> OmpSample:
    """Returns the samples as one, with the batches of all. The last one's share and CPUs stand."""
    return samples[-1].model_copy(update={"ns": [ns for sample in samples for ns in sample.ns]})
