"""What `waiting` prints (bench/README.md)."""

from pydantic import Field

from finegrain_lab.processes import Output


class WaitingSample(Output):
    """What `waiting` prints: a number a gap."""

    policy: str
    gap_us: int
    hints: str
    first_task_ns: list[float] = Field(min_length=1)
    burned_share: list[float]
    sleeps: int = Field(ge=0)
    wake_ups: int = Field(ge=0)
    main_cpu: int
    assistant_cpu: int | None
    note: str = ""

    @property
    def task_cpus(self) -> list[int]:
        """Where tasks were seen."""
        return [] if self.assistant_cpu is None else [self.assistant_cpu]
