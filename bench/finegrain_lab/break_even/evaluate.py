# SPDX-License-Identifier: Apache-2.0
"""Turns samples into the result file."""

from collections.abc import Sequence

from finegrain_lab import statistics
from finegrain_lab.break_even.cases import ADAPTIVE, ALWAYS, NAME, ORACLE, RATIOS, RUNTIMES, Point
from finegrain_lab.break_even.measure import Measured, Plan
from finegrain_lab.break_even.results import Result, Row, Settings, WrongShare
from finegrain_lab.notes import notes_of
from finegrain_lab.results import Failure, Host
from finegrain_lab.runtimes import SERIAL

# Closer than this the two arms are one: no decision between them is worth the name of wrong.
MARGIN = 0.04


def to_result(plan: Plan, measured: Measured, host: Host) -> Result:
    """Turns samples into the result file."""
    sites = [site for site in plan.sites if site not in measured.failed]
    points = [point for site in sites for point in site.points]
    rows = [row for point in points for row in point_rows(measured, point)]
    samples = measured.of(sites)
    round_trips = [s.round_trip_ns for s in samples if s.round_trip_ns is not None]
    notes = notes_of(samples, plan.cpus)
    return Result(
        **measured.header(NAME, plan.mode, host),
        missing=[],
        failed=[
            Failure(runtime=ADAPTIVE, case=site.name, reason=reason)
            for site, reason in measured.failed.items()
        ],
        notes={"relic": notes} if notes else {},
        settings=Settings(
            batches=plan.mode.batches,
            batch_ms=plan.mode.batch_ms,
            spin_steps_per_us=measured.spin_steps_per_us,
        ),
        cases=[point.case for site in plan.sites for point in site.points],
        runtimes=list(RUNTIMES),
        results=rows,
        break_even_ns=break_evens(rows),
        round_trip_ns=statistics.median(round_trips) if round_trips else None,
        wrong_share=wrong_share(measured, points),
    )


def oracle_arm(measured: Measured, point: Point) -> str:
    """Returns the better of serial and always at this point, one arm for all of its rounds.

    Chosen by the median over the rounds of always' speedup. The better of the two in each batch, or
    in each round, would be another thing: where the arms are equal it picks whichever the noise
    favoured, every time anew, and is faster than both although nobody who must decide beforehand
    could be. One choice a point follows the noise of a median only: it can gain no more than that
    median's interval, and only where the arms lie closer than that. What is left flatters the
    oracle, not the controller that is held against it.
    """
    return ALWAYS if statistics.median(measured.speedups(point, ALWAYS)) > 1 else SERIAL


def point_rows(measured: Measured, point: Point) -> list[Row]:
    """Returns the three rows of a point."""
    oracle = oracle_arm(measured, point)
    shares = list(measured.shares(point).values())
    return [
        _row(measured, point, ALWAYS, ALWAYS, 1.0),
        _row(measured, point, ADAPTIVE, ADAPTIVE, sum(shares) / len(shares)),
        _row(measured, point, ORACLE, oracle, 1.0 if oracle == ALWAYS else 0.0),
    ]


def _row(measured: Measured, point: Point, runtime: str, arm: str, share: float) -> Row:
    """Returns the row of a runtime whose times are those of an arm."""
    times = measured.ns(point, arm)
    ns = list(times.values())
    speedups = measured.speedups(point, arm)
    of_oracle: list[float] = []
    if runtime == ADAPTIVE:
        oracle = measured.ns(point, oracle_arm(measured, point))
        of_oracle = statistics.paired_ratios(oracle, times)
    of_oracle_median, of_oracle_ci95 = statistics.median_and_ci(of_oracle)
    return Row(
        case=point.case,
        runtime=runtime,
        ratio=point.site.ratio,
        grain_ns=point.grain_ns,
        ns=statistics.median(ns),
        ns_ci95=statistics.median_ci(ns),
        serial_ns=statistics.median(list(measured.ns(point, SERIAL).values())),
        speedup=statistics.median(speedups),
        ci95=statistics.median_ci(speedups),
        of_oracle=of_oracle_median,
        of_oracle_ci95=of_oracle_ci95,
        offloaded_share=share,
        samples=ns,
    )


def break_evens(rows: Sequence[Row]) -> dict[str, float | None]:
    """Returns for each ratio that was measured from which grain on always handing over pays."""
    found: dict[str, float | None] = {}
    for ratio in RATIOS:
        steady = {
            row.grain_ns: row.speedup
            for row in rows
            if (row.ratio, row.runtime) == (ratio, ALWAYS) and not row.case.startswith("change-")
        }
        if steady:
            found[ratio] = statistics.log_crossing(steady)
    return found


def wrong_share(measured: Measured, points: Sequence[Point]) -> WrongShare:
    """Returns the share of calls that the oracle would have decided otherwise."""
    cases: dict[str, float] = {}
    for point in points:
        speedup = statistics.median(measured.speedups(point, ALWAYS))
        if max(speedup, 1 / speedup) <= 1 + MARGIN:
            continue
        shares = measured.shares(point).values()
        offloaded = sum(shares) / len(shares)
        cases[point.case] = 1 - offloaded if speedup > 1 else offloaded
    overall = sum(cases.values()) / len(cases) if cases else None
    return WrongShare(margin=MARGIN, overall=overall, cases=cases)
