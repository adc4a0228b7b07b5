# SPDX-License-Identifier: Apache-2.0
"""Takes a picture of the top of a report: `python -m scripts.screenshot DIR`."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer
from playwright.sync_api import Browser, sync_playwright

CHROMIUM = "/usr/bin/chromium"  # Debian's
TIMEOUT_MS = 30_000
WIDTH, HEIGHT = 1280, 900


@contextmanager
def chromium() -> Iterator[Browser]:
    """Yields Debian's browser in headless mode; as root in a container it has no sandbox."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=CHROMIUM, args=["--no-sandbox"], timeout=TIMEOUT_MS
        )
        try:
            yield browser
        finally:
            browser.close()


def main(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="where `lab report` wrote it")],
    out: Annotated[Path, typer.Option(metavar="PNG")] = Path("docs/images/report.png"),
) -> None:
    """Takes a picture of the top of the folder's report.html."""
    report = folder / "report.html"
    if not report.exists():
        raise typer.BadParameter(f"no {report}: ./lab report {folder}")
    out.parent.mkdir(parents=True, exist_ok=True)
    with chromium() as browser:
        page = browser.new_page(
            viewport={"width": WIDTH, "height": HEIGHT}, color_scheme="light", device_scale_factor=1
        )
        page.goto(report.resolve().as_uri(), timeout=TIMEOUT_MS)
        page.screenshot(path=out)
    typer.echo(f"wrote {out}")


if __name__ == "__main__":
    typer.run(main)
