# SPDX-License-Identifier: Apache-2.0
"""What `break-even` prints (bench/README.md)."""

from pydantic import Field

from finegrain_lab.processes import Output, RelicOutput


class Phase(Output):
    """The batches of one grain: times are of one call, a number a batch."""

    grain_ns: float
    serial_ns: list[float] = Field(min_length=1)
    always_ns: list[float]
    adaptive_ns: list[float]
    adaptive_offloaded_share: list[float]
    calls: list[int]

    def lists(self) -> list[list[float]]:
        """Returns all that has a number a batch."""
        calls = [float(count) for count in self.calls]
        times = [self.serial_ns, self.always_ns, self.adaptive_ns]
        return [*times, self.adaptive_offloaded_share, calls]


class BreakEvenSample(RelicOutput):
    """What `break-even` prints: a phase, or two where the grain changes."""

    ratio: str
    grain_ns: float
    change_to_ns: float | None
    phases: list[Phase] = Field(min_length=1)
    round_trip_ns: float | None
