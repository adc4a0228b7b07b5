"""Takes a picture of the top of the report: `python -m scripts.screenshot REPORT PNG`."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

CHROMIUM = "/usr/bin/chromium"  # Debian's
TIMEOUT_MS = 30_000
WIDTH, HEIGHT = 1280, 900


@contextmanager
def chromium() -> Iterator[Browser]:
    """Gives Debian's browser without a window; as root in a container it has no sandbox."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=CHROMIUM, args=["--no-sandbox"], timeout=TIMEOUT_MS
        )
        try:
            yield browser
        finally:
            browser.close()


def main(report: str, picture: str) -> None:
    """Writes the picture."""
    with chromium() as browser:
        page = browser.new_page(
            viewport={"width": WIDTH, "height": HEIGHT}, color_scheme="light", device_scale_factor=1
        )
        page.goto(Path(report).resolve().as_uri(), timeout=TIMEOUT_MS)
        page.screenshot(path=picture)


if __name__ == "__main__":
    main(*sys.argv[1:])
