"""What `spawn-RUNTIME … flat` prints (bench/README.md)."""

from pydantic import Field

from finegrain_lab.processes import Output


class FlatSample(Output):
    """The wall time of the whole loop, a number a batch."""

    runtime: str
    threads: int = Field(gt=0)
    producers: int = Field(gt=0)
    tasks: int = Field(gt=0)
    wall_ns: list[float] = Field(min_length=1)
    offloaded_share: float = Field(ge=0, le=1)
    cpus: list[int]  # where tasks were seen
    version: str
    note: str = ""
