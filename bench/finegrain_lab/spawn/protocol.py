"""What the programs `spawn-RUNTIME` print (bench/README.md)."""

from pydantic import Field

from finegrain_lab.processes import Output


class PolicyList(Output):
    """What `spawn-pool --list` prints."""

    runtime: str
    policies: list[str] = Field(min_length=1)


class SpawnSample(Output):
    """What a program prints: wall ns per spawn, a number a batch."""

    runtime: str
    threads: int = Field(gt=0)
    n: int = Field(gt=1)
    spawns: int = Field(gt=0)
    ns: list[float] = Field(min_length=1)
    offloaded_share: float = Field(ge=0, le=1)
    cpus: list[int]  # where leaves were seen
    version: str
    note: str = ""
