# SPDX-License-Identifier: Apache-2.0
"""A comparison on the terminal: first what differs in how it was measured, then the rows."""

from collections import Counter
from collections.abc import Sequence

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from finegrain_lab.show.changes import LEAST_CHANGE, USUAL_DRIFT, Change, control_drift
from finegrain_lab.show.compare import Compared, Comparison, Told
from finegrain_lab.show.measurements import Measurement
from finegrain_lab.show.statistics import CONFIDENCE
from finegrain_lab.show.table import new_table, print_lines

_MANIFOLD = 10.0  # a factor that is better read as one


def print_comparison(
    console: Console, comparison: Comparison, names: tuple[str, str], *, with_all: bool
) -> None:
    """Prints it; `names` are the folders', `with_all` shows the rows that are unchanged, too."""
    console.print(_hosts(comparison.told, names))
    print_lines(console, _warnings(comparison.told))
    for compared in comparison.experiments:
        console.print()
        changes = compared.changes if with_all else compared.named
        title = f"{compared.before.experiment}: {len(compared.named)} of "
        title += f"{_rows(len(compared.changes))} changed"
        if changes:
            console.print(_table(title, changes))
        else:
            print_lines(console, [title])
        print_lines(console, _beside(compared, names))
    console.print()
    print_lines(console, _ending(comparison, names))


def regression_lines(slower: Sequence[Change], share: float) -> list[str]:
    """Returns the rows of ours that are surely slower by more than this share."""
    lines = [
        f"{change.pair.before.experiment}: {change.pair.before.runtime} on "
        f"{change.pair.before.case}: {_percent(change.change)}, at least "
        f"{_percent(change.interval[0])}"
        for change in slower
    ]
    return [f"{_rows(len(slower))} of ours surely slower by more than {_share(share)}", *lines]


def _hosts(told: Sequence[Told], names: tuple[str, str]) -> Table:
    shown = new_table("what was compared", "")
    for name in names:
        shown.add_column(escape(name), overflow="fold")
    for each in told:
        mark = "[bold]" if each.differs else ""
        after = escape(each.after) if each.differs else "the same"
        shown.add_row(f"{mark}{escape(each.what)}", escape(each.before), f"{mark}{after}")
    return shown


def _warnings(told: Sequence[Told]) -> list[str]:
    differing = [each for each in told if each.differs]
    machine = [each.what for each in differing if each.is_machine]
    lines = []
    if machine:
        lines.append(
            f"the machines differ ({', '.join(machine)}): what differs below may be the machine's"
        )
    rest = [each.what for each in differing if not each.is_machine and each.what != "commit"]
    if rest:
        lines.append(f"the runs differ in {', '.join(rest)}: what differs below may come of that")
    return lines


def _table(title: str, changes: Sequence[Change]) -> Table:
    has_drift = any(change.basis == "beside" for change in changes)
    shown = new_table(title, "runtime")
    shown.columns[0].no_wrap = False
    shown.columns[0].overflow = "fold"
    shown.add_column("case", overflow="fold")
    shown.add_column("over", overflow="fold")
    for column in ("before", "after", *(["drift"] if has_drift else []), "change", "interval"):
        shown.add_column(column, justify="right", no_wrap=True)
    for change in changes:
        row, number = change.pair.before, _ratio if change.pair.yardstick else _time
        shown.add_row(
            escape(row.runtime),
            escape(row.case),
            escape(change.pair.yardstick or ""),
            number(change.before),
            number(change.after),
            *([_percent(change.drift)] if has_drift else []),
            f"{_colour(change)}{_percent(change.change)}",
            f"{_percent(change.interval[0])} to {_percent(change.interval[1])}",
        )
    return shown


def _colour(change: Change) -> str:
    if not change.named:
        return ""
    return "[red]" if change.change > 1 else "[green]"


def _ratio(value: float) -> str:
    return f"{value:.3g}" if value < 999.5 else f"{value:,.0f}"


def _time(ns: float) -> str:
    for unit, scale in (("s", 1e9), ("ms", 1e6), ("µs", 1e3)):
        if ns >= scale:
            return f"{_ratio(ns / scale)} {unit}"
    return f"{_ratio(ns)} ns"


def _percent(factor: float) -> str:
    return f"{100 * (factor - 1):+.1f} %" if factor < _MANIFOLD else f"x {factor:.3g}"


def _share(share: float) -> str:
    return f"{100 * share:g} %"


def _rows(count: int) -> str:
    return f"{count} row" if count == 1 else f"{count} rows"


def _beside(compared: Compared, names: tuple[str, str]) -> list[str]:
    """Returns what has to be known beside the rows of an experiment."""
    rows, changes = compared.rows, compared.changes
    drift = control_drift([change.pair for change in changes])
    lines = (
        [] if drift is None else [f"drift: the rows that are not ours moved by {_percent(drift)}"]
    )
    if assumed := sum(change.basis == "assumed" for change in changes):
        lines.append(
            f"{_rows(assumed)} without rows of others to tell the drift by: "
            f"{_share(USUAL_DRIFT)} is taken for usual"
        )
    if left_out := len(rows.both) - len(changes):
        lines.append(f"{_rows(left_out)} without a ratio: a time of 0 or less, or a single round")
    if rows.of_another_size:
        lines.append(f"{_rows(len(rows.of_another_size))} of another size: not compared")
    for name, found in zip(names, (rows.only_before, rows.only_after), strict=True):
        if found:
            lines.append(f"only in {name}: {_by_runtime(found)}")
    return lines


def _by_runtime(rows: Sequence[Measurement]) -> str:
    counts = Counter(row.runtime for row in rows)
    return ", ".join(f"{runtime} ({_rows(count)})" for runtime, count in counts.items())


def _ending(comparison: Comparison, names: tuple[str, str]) -> list[str]:
    lines = [
        f"only in {name}: {', '.join(found)}"
        for name, found in zip(names, (comparison.only_before, comparison.only_after), strict=True)
        if found
    ]
    named = [change for change in comparison.changes if change.named]
    ours = [change for change in named if change.pair.ours]
    slower = sum(change.change > 1 for change in ours)
    lines += [
        f"{len(named)} of {_rows(len(comparison.changes))} changed; of ours {slower} slower, "
        f"{len(ours) - slower} faster",
        "a change is less the drift of the rows of others beside it; had nothing changed, any row "
        f"at all would be named with a probability of at most {_share(round(1 - CONFIDENCE, 9))}; "
        f"a change below {_share(LEAST_CHANGE)} is not named",
    ]
    return lines
