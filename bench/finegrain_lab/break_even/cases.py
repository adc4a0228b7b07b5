# SPDX-License-Identifier: Apache-2.0
"""What is measured: pairs of spin kernels of chosen lengths, and sites whose length changes."""

from dataclasses import dataclass

NAME = "break-even"
TITLE = "speedup by grain of always handing over, of the controller, and of the better of two"
HEADING = "From which grain on handing over pays"
# Main's branch to the assistant's.
MEANING = {
    "1to1": "Both branches equally long",
    "1to4": "The assistant's branch four times the main thread's",
    "4to1": "The main thread's branch four times the assistant's",
}
RATIOS = tuple(MEANING)
GRAINS_NS = (10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000)  # of the shorter branch
CHANGES_NS = ((50, 2_000), (10, 10_000))  # from below every break-even to far above, and back
ALWAYS = "relic-always"
ADAPTIVE = "relic-adaptive"
ORACLE = "oracle"
RUNTIMES = (ALWAYS, ADAPTIVE, ORACLE)


@dataclass(frozen=True)
class Site:
    """A call site: what one process measures."""

    ratio: str
    grain_ns: int
    change_to_ns: int | None = None

    @property
    def name(self) -> str:
        """Its name on the command line."""
        if self.change_to_ns is None:
            return f"{self.ratio}-{grain_text(self.grain_ns)}"
        return f"change-{grain_text(self.grain_ns)}-{grain_text(self.change_to_ns)}"

    @property
    def told(self) -> str:
        """Its name for a reader."""
        return self.name

    @property
    def points(self) -> list["Point"]:
        """What it gives a row of each: one grain, or the two between which it changes."""
        grains = (
            [self.grain_ns] if self.change_to_ns is None else [self.grain_ns, self.change_to_ns]
        )
        return [Point(self, grain) for grain in grains]


@dataclass(frozen=True)
class Point:
    """A site while it has one grain."""

    site: Site
    grain_ns: int

    @property
    def case(self) -> str:
        """Its name in the result file."""
        changes = self.site.change_to_ns is not None
        return f"{self.site.name}/{grain_text(self.grain_ns)}" if changes else self.site.name


def grain_text(grain_ns: float) -> str:
    """Returns a length as the cases' names have it."""
    return f"{grain_ns / 1000:g}us" if grain_ns >= 1000 else f"{grain_ns:g}ns"


SITES = (
    *(Site(ratio, grain_ns) for ratio in RATIOS for grain_ns in GRAINS_NS),
    *(Site("1to1", grain_ns, change_to_ns) for grain_ns, change_to_ns in CHANGES_NS),
)
