# SPDX-License-Identifier: Apache-2.0
"""The page that measures and draws the break-even curve, in headless Chromium.

FINEGRAIN_DEMO names the folder where the build has put it.
"""

import http.server
import os
import threading
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page
from tests.wasm.served import served

FOLDER = Path(os.environ["FINEGRAIN_DEMO"])
TIMEOUT_MS = 120_000
LENGTHS = 10
# The curve crosses 1 in the middle between 100 and 1000 ns, on a logarithmic axis.
MADE_UP = [(10, 0.1), (100, 0.5), (1_000, 1.5), (10_000, 1.9)]


@pytest.fixture(scope="module")
def site() -> Iterator[str]:
    with served(FOLDER) as address:
        yield f"{address}break_even.html"


@pytest.fixture
def complaints(page: Page) -> list[str]:
    """What the page complains of; filled while the test runs."""
    found: list[str] = []
    page.on("pageerror", lambda error: found.append(str(error)))
    page.on("console", lambda message: found.append(message.text))
    return found


def open_still(page: Page, site: str) -> None:
    """Opens the page without the program."""
    page.route("**/break_even.js", lambda route: route.fulfill(body=""))
    page.goto(site)


def points_of(speedups: Sequence[tuple[float, float]]) -> list[dict[str, float]]:
    return [
        {"branch_ns": ns, "speedup": speedup, "low": speedup - 0.1, "high": speedup + 0.1}
        for ns, speedup in speedups
    ]


def places(page: Page, kind: str, *names: str) -> list[tuple[float, ...]]:
    """Where the shapes of a class are in the plot."""
    get = "(all, names) => all.map(it => names.map(name => Number(it.getAttribute(name))))"
    found: Any = page.eval_on_selector_all(f"svg .{kind}", get, [*names])
    return [tuple(each) for each in found]


def drawn(page: Page, speedups: Sequence[tuple[float, float]]) -> str:
    """Draws made-up points, and returns the answer to them."""
    said: str = page.evaluate("it => { draw(it); return answer(it); }", points_of(speedups))
    return said


def test_it_measures_and_draws(page: Page, site: str, complaints: list[str]) -> None:
    page.goto(site)
    page.wait_for_selector("#answer[role]", timeout=TIMEOUT_MS)
    said = page.inner_text("#answer")
    assert page.get_attribute("#answer", "role") == "status", said
    assert "gain" in said
    measured: Any = page.evaluate("points")
    assert len(measured) == LENGTHS
    assert all(0 < it["low"] <= it["speedup"] <= it["high"] for it in measured)
    # The lengths are about what they are called: 50 ns to 50 us, the host aside.
    assert all(one["branch_ns"] < next_["branch_ns"] for one, next_ in pairwise(measured[::3]))
    assert len(places(page, "point", "cx", "cy")) == LENGTHS
    assert page.locator("tbody tr").count() == LENGTHS
    assert page.is_visible("table")
    assert complaints == []


def test_what_is_drawn_is_what_was_measured(page: Page, site: str, complaints: list[str]) -> None:
    open_still(page, site)
    assert drawn(page, MADE_UP) == "Branches of 316 ns and longer gain."
    points = places(page, "point", "cx", "cy")
    steps = [right[0] - left[0] for left, right in pairwise(points)]
    assert steps == pytest.approx([steps[0]] * 3)  # a power of ten each
    ((_, even, _, _),) = places(page, "even", "x1", "y1", "x2", "y2")
    per_unit = (even - points[2][1]) / 0.5
    for (_, speedup), (_, y) in zip(MADE_UP, points, strict=True):
        assert even - y == pytest.approx((speedup - 1) * per_unit)
    ((marked,),) = places(page, "break-even", "x1")
    assert marked == pytest.approx((points[1][0] + points[2][0]) / 2)
    bars = places(page, "spread", "x1", "y1", "y2")
    assert [x for x, _, _ in bars] == pytest.approx([x for x, _ in points])
    assert bars[1][1] - bars[1][2] == pytest.approx(0.2 * per_unit)
    assert complaints == []


def test_a_curve_that_does_not_cross_is_said_to(page: Page, site: str) -> None:
    open_still(page, site)
    assert drawn(page, [(100, 1.1), (1_000, 1.5)]) == "All of these lengths gain."
    assert places(page, "break-even", "x1") == []
    said = drawn(page, [(100, 0.5), (1_000, 1.5), (10_000, 0.9)])
    assert said.startswith("The longest of these does not gain")
    assert places(page, "break-even", "x1") == []


def test_nothing_leaves_the_plot(page: Page, site: str) -> None:
    open_still(page, site)
    drawn(page, [(10, 0), (100_000, 7)])
    page.evaluate("window.box = document.querySelector('svg').getBBox()")
    left, top, width, height = page.evaluate("[box.x, box.y, box.width, box.height]")
    assert left >= 0
    assert top >= 0
    assert left + width <= 720
    assert top + height <= 400


class NotIsolated(http.server.SimpleHTTPRequestHandler):
    """Serves the folder as any server does."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments, directory=str(FOLDER))

    def log_request(self, *_: object) -> None:
        """Says nothing."""


def test_a_server_that_does_not_isolate_is_told(page: Page) -> None:
    with http.server.ThreadingHTTPServer(("localhost", 0), NotIsolated) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        page.goto(f"http://localhost:{server.server_port}/break_even.html")
        assert page.get_attribute("#answer", "role") == "alert"
        assert "serve.py" in page.inner_text("#answer")
        server.shutdown()
