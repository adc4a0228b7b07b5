# SPDX-License-Identifier: Apache-2.0
"""The programs of tests/wasm in headless Chromium, in a page isolated from other origins.

FINEGRAIN_PAGES names the folder where Emscripten has put them.
"""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page
from tests.wasm.served import served

TIMEOUT_MS = 120_000


@pytest.fixture(scope="module")
def site() -> Iterator[str]:
    with served(Path(os.environ["FINEGRAIN_PAGES"])) as address:
        yield f"{address}page.html"


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
