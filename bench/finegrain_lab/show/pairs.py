# SPDX-License-Identifier: Apache-2.0
"""Which rows two runs both have, and the numbers by which such a row is compared.

A number is a row's time over a yardstick's of the same round: that leaves out what slows both down.
The yardstick is what the experiment holds the row against, or, where that is held against something
itself, the end of that line: serial, the floor, … A runtime that is compared itself is none, since
a change of it would look like one of all rows that are over it: then the number is the time.
"""

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from finegrain_lab.run.runtimes import OPENMP
from finegrain_lab.show.measurements import Measurement, is_ours

_Key: TypeAlias = tuple[str, ...]  # of a row


@dataclass(frozen=True)
class Pair:
    """A row in both runs."""

    before: Measurement
    after: Measurement

    @property
    def ours(self) -> bool:
        """Says whether the row is finegrain's."""
        return self.before.ours

    @property
    def yardstick(self) -> str | None:
        """What its number is over; None: its number is its time."""
        name = self.before.reference
        if name is None or name != self.after.reference or is_ours(name) or name in OPENMP:
            return None
        return name if self.before.ratios and self.after.ratios else None

    @property
    def numbers(self) -> tuple[Sequence[float], Sequence[float]]:
        """Its numbers before and after, one a round."""
        if self.yardstick is None:
            return self.before.samples, self.after.samples
        return self.before.ratios, self.after.ratios

    @property
    def is_comparable(self) -> bool:
        """Says whether the numbers have logarithms, and are enough to tell how they vary."""
        return all(len(numbers) > 1 and min(numbers) > 0 for numbers in self.numbers)


@dataclass(frozen=True)
class Rows:
    """The rows of two runs of an experiment."""

    both: list[Pair]
    of_another_size: list[Measurement]  # of the first run
    only_before: list[Measurement]
    only_after: list[Measurement]


def match(before: Sequence[Measurement], after: Sequence[Measurement]) -> Rows:
    """Returns the rows, those that both have in the order of the first run."""
    derived = _derived(before) | _derived(after)
    old, new = (
        {row.key: row for row in _to_the_end(rows) if row.runtime not in derived}
        for rows in (before, after)
    )
    alone, others = _without(old, new), _without(new, old)
    return Rows(
        both=[Pair(old[key], new[key]) for key in old if key in new],
        of_another_size=[row for name, row in alone.items() if name in others],
        only_before=[row for name, row in alone.items() if name not in others],
        only_after=[row for name, row in others.items() if name not in alone],
    )


def _without(rows: Mapping[_Key, Measurement], others: Container[_Key]) -> dict[_Key, Measurement]:
    """Returns the rows that are not among the others, by their keys without the size."""
    return {replace(row, size="").key: row for key, row in rows.items() if key not in others}


def _to_the_end(rows: Sequence[Measurement]) -> list[Measurement]:
    """Returns the rows, each held against what its reference is held against, if that is."""
    by_key = {row.key: row for row in rows}
    found = []
    for row in rows:
        beside = by_key.get(replace(row, runtime=row.reference or "").key)
        if beside and beside.reference and beside.reference_samples:
            last = (beside.reference, beside.reference_samples)
            row = replace(row, reference=last[0], reference_samples=last[1])
        found.append(row)
    return found


def _derived(rows: Sequence[Measurement]) -> set[str]:
    """Returns the runtimes of which a row is one of ours again: the oracle, the better of two."""
    ours = {(row.case, tuple(row.samples)) for row in rows if row.ours}
    return {row.runtime for row in rows if not row.ours and (row.case, tuple(row.samples)) in ours}
