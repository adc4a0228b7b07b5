# SPDX-License-Identifier: Apache-2.0
"""The programs of tests/wasm in headless Chromium, in a page isolated from other origins.

FINEGRAIN_PAGES names the folder where Emscripten has put them.
"""

import functools
import http.server
import os
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page
from scripts.screenshot import chromium

PAGE = Path(__file__).with_name("page.html")
PROGRAMS = Path(os.environ["FINEGRAIN_PAGES"])
TIMEOUT_MS = 120_000


class Isolated(http.server.SimpleHTTPRequestHandler):
    """Serves the page and the programs as threads require: without them nothing is shared."""

    def end_headers(self) -> None:
        self.send_header("Cross-Origin-Opener-Policy", "same-origin")
        self.send_header("Cross-Origin-Embedder-Policy", "require-corp")
        super().end_headers()

    def translate_path(self, path: str) -> str:
        return str(PAGE) if path.startswith("/page.html") else super().translate_path(path)

    def log_request(self, *_: object) -> None:
        """Says nothing."""


@pytest.fixture(scope="module")
def site() -> Iterator[str]:
    handler = functools.partial(Isolated, directory=str(PROGRAMS))
    with http.server.ThreadingHTTPServer(("localhost", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://localhost:{server.server_port}/page.html"
        server.shutdown()


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as opened:
        yield opened


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    with browser.new_page() as opened:
        yield opened


def run(page: Page, command: str, end: str = "exit 0") -> str:
    """What a program prints that has to end so: its address with its arguments."""
    page.goto(command)
    assert page.evaluate("crossOriginIsolated")
    page.wait_for_function("document.title != 'running'", timeout=TIMEOUT_MS)
    printed = page.inner_text("pre")
    assert page.title() == end, printed
    return printed


def test_relics_and_pools_in_a_page(page: Page, site: str) -> None:
    printed = run(page, f"{site}?relic_and_pool.js")
    assert "relic: 1000000 of 1000000 tasks ran once" in printed
    assert "pool of 2: fib(30) = 832040" in printed


def test_the_main_thread_of_a_page_works_alone(page: Page, site: str) -> None:
    printed = run(page, f"{site}?main_thread.js")
    assert printed.count("the main thread of a page must not wait") == 2


def test_what_would_sleep_there_ends_the_program(page: Page, site: str) -> None:
    printed = run(page, f"{site}?main_thread.js&sleep", "aborted")
    assert printed.splitlines()[0].startswith("finegrain: the main thread of a page must not sleep")
