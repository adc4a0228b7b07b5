# SPDX-License-Identifier: Apache-2.0
"""What `handoff`, `handoff-instructions` and `finegrain-info` print (bench/README.md)."""

from pydantic import Field

from finegrain_lab.processes import Output


class Candidate(Output):
    """A runtime of `handoff --list`; without a policy it is not installed."""

    name: str
    policies: list[str]  # the first is the runtime's default
    bursts: bool = False
    version: str = ""
    note: str = ""
    how_to_get: str = ""


class Candidates(Output):
    """What `handoff --list` prints."""

    runtimes: list[Candidate] = Field(min_length=1)


class HandoffSample(Output):
    """What `handoff` prints: a number a batch."""

    runtime: str
    policy: str
    case: str
    ns: list[float] = Field(min_length=1)
    main_cpu: int
    task_cpus: list[int]
    note: str = ""


class InstructionCase(Output):
    """What `handoff-instructions` prints."""

    case: str
    repeat: int = Field(gt=0)
    toggle: list[str] = Field(min_length=1)


class Placement(Output):
    """Two CPUs, and how near they are."""

    kind: str
    main_cpu: int
    assistant_cpu: int


class Pair(Output):
    """The two CPUs that relic would use; none for the assistant where it runs inline."""

    main_cpu: int
    assistant_cpu: int | None
    kind: str | None = None
    reason: str = ""


class Cpu(Output):
    """A CPU's place; a part that the system does not tell is null or -1."""

    id: int
    core: int | None = None
    package: int | None = None
    l2: int | None = None
    l3: int | None = None


class Info(Output):
    """What `finegrain-info --json` prints, as far as the lab reads it."""

    cpus: list[Cpu]
    pair: Pair
    placements: list[Placement]
