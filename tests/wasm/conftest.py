# SPDX-License-Identifier: Apache-2.0
"""What the tests of pages share."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page
from scripts.screenshot import chromium


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    with chromium() as opened:
        yield opened


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    with browser.new_page() as opened:
        yield opened
