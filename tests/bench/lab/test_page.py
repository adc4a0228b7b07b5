# SPDX-License-Identifier: Apache-2.0
"""The one page, of made-up results of all experiments on two hosts, in a real browser."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from conftest import WholeRun, changed, save
from playwright.sync_api import Browser, Page
from scripts.screenshot import chromium

from finegrain_lab import cli
from finegrain_lab.experiments import EXPERIMENTS

TIMEOUT_MS = 60_000
PHONE, DESK, PAPER = 390, 1280, 720  # CSS pixels; paper is A4 between its margins
SCREEN = 800  # high
LEAST_CONTRAST = 4.5  # WCAG 2.2, AA
SCHEMES = ("light", "dark")
ON_BOTH = ("relic-kernels", "break-even", "sync", "spawn", "syrk")


@dataclass(frozen=True)
class Report:
    """What the command wrote, and which figures it has to have written."""

    path: Path
    figures: Path
    hosts: Sequence[str]
    names: Sequence[str]  # of the figures: HOST/EXPERIMENT-NAME, or OF-NAME of several hosts


@pytest.fixture(scope="module")
def report(whole: WholeRun, tmp_path_factory: pytest.TempPathFactory) -> Report:
    folder = tmp_path_factory.mktemp("report")
    runs = [whole(each.name) for each in EXPERIMENTS]
    first = {run.name: run.result for run in runs}
    other = {"cpu": "Another CPU", "cpus_allowed": list(range(64)), "used_cpus_are_siblings": True}
    second = {
        name: changed(result, host=changed(result.host, **other))
        for name, result in first.items()
        if name in ON_BOTH
    }
    hosts = {"first": first, "second": second}
    for name, results in hosts.items():
        (folder / name).mkdir()
        for result in results.values():
            save(folder / name, result)
    assert cli.main(["report", *(str(folder / name) for name in hosts)]) == 0
    # As many as each experiment has in a page of its own.
    drawings = {run.name: re.findall(r'download="([\w.-]+)\.svg"', run.page) for run in runs}
    names = [
        f"{host}/{drawing}"
        for host, results in hosts.items()
        for name in results
        for drawing in drawings[name]
    ]
    names += [f"{host}/answer-standings" for host in hosts]
    names += [f"many-cores-fib-{which}" for which in ("simulated", "measured-1", "measured-2")]
    names += [f"many-cores-regions-{which}" for which in ("simulated", "measured-1")]
    return Report(folder / "first/report.html", folder / "first/figures", list(hosts), names)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as opened:
        yield opened


Opened = Callable[..., Page]


@pytest.fixture
def opened(browser: Browser, report: Report) -> Iterator[Opened]:
    """Opens the page anew, all of it unless it is asked for as it comes.

    Holds that nothing was complained of, and nothing else asked for.
    """
    pages: list[Page] = []
    complaints: list[str] = []
    requests: list[str] = []

    def open_page(
        width: int = DESK,
        scheme: Any = "light",
        media: Any = "screen",
        *,
        as_it_comes: bool = False,
        script: bool = True,
        at: str = "",
    ) -> Page:
        page = browser.new_page(
            viewport={"width": width, "height": SCREEN},
            color_scheme=scheme,
            java_script_enabled=script,
        )
        pages.append(page)
        page.set_default_timeout(TIMEOUT_MS)
        page.on("console", lambda message: complaints.append(message.text))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("request", lambda request: requests.append(request.url))
        page.emulate_media(media=media)
        page.goto(report.path.as_uri() + at)
        if not as_it_comes:
            page.evaluate("document.querySelectorAll('main details').forEach(it => it.open = true)")
        return page

    yield open_page
    for page in pages:
        page.close()
    assert complaints == []
    assert {url.split("#")[0] for url in requests} == {report.path.as_uri()}


@pytest.mark.parametrize("width", [PHONE, DESK])
def test_only_tables_scroll_sideways(opened: Opened, width: int) -> None:
    page = opened(width)
    wide = page.evaluate(
        """() => [...document.querySelectorAll("body *")]
          .filter(it => !it.closest(".scroll table, svg")
                        && it.getBoundingClientRect().right > document.documentElement.clientWidth)
          .map(it => it.outerHTML.slice(0, 80))"""
    )
    assert wide == []
    assert page.evaluate("document.documentElement.scrollWidth") == width


@pytest.mark.parametrize("width", [PHONE, DESK])
def test_every_figure_is_there_to_be_seen_and_to_be_heard(
    opened: Opened, report: Report, width: int
) -> None:
    found = opened(width).evaluate(
        """() => [...document.querySelectorAll("figure > svg")].map(it => ({
          width: it.getBoundingClientRect().width, height: it.getBoundingClientRect().height,
          role: it.getAttribute("role"), told: it.getAttribute("aria-label"),
          caption: it.parentElement.querySelector("figcaption").innerText}))"""
    )
    assert len(found) == len(report.names)
    for figure in found:
        assert figure["width"] > 200
        assert figure["height"] > 50
        assert figure["role"] == "img"
        assert len(figure["told"]) > 20
        assert figure["caption"]


def test_every_figure_is_a_file_too(report: Report) -> None:
    files = {str(path.relative_to(report.figures)) for path in report.figures.rglob("*.*")}
    assert files == {f"{name}.{kind}" for name in report.names for kind in ("csv", "svg")}


def test_every_figure_can_be_taken_along(opened: Opened, report: Report) -> None:
    page = opened()
    links = page.locator("figure figcaption a[download]")
    names = [link.get_attribute("download") or "" for link in links.all()]
    files = [path.name for path in report.figures.rglob("*.*")]
    assert sorted(names) == sorted(files)
    with page.expect_download() as download:
        page.locator("a[download='sync-cycles.csv']").first.click()
    taken = Path(download.value.path()).read_text()
    assert taken == (report.figures / "first/sync-cycles.csv").read_text()
    with page.expect_download() as download:
        page.locator("a[download='sync-cycles.svg']").first.click()
    taken = Path(download.value.path()).read_text()
    assert taken == (report.figures / "first/sync-cycles.svg").read_text()


def test_names_are_only_once_and_references_lead_to_them(opened: Opened) -> None:
    found = opened().evaluate(
        """() => ({
          ids: [...document.querySelectorAll("[id]")].map(it => it.id),
          wanted: [...document.querySelectorAll("*")].flatMap(it => [...it.attributes]
            .filter(a => a.name.endsWith("href") && a.value.startsWith("#"))
            .map(a => a.value.slice(1))
            .concat([...it.attributes].flatMap(a => [...a.value.matchAll(/url\\(#([^)]*)\\)/g)]
              .map(m => m[1]))))})"""
    )
    assert len(found["ids"]) == len(set(found["ids"]))
    assert set(found["wanted"]) <= set(found["ids"])
    assert len(found["wanted"]) > 100


def test_headings_are_in_order_and_tell_the_experiments(opened: Opened) -> None:
    headings = opened().locator("h1, h2, h3, h4, h5, h6")
    levels = [int(tag[1]) for tag in headings.evaluate_all("all => all.map(it => it.tagName)")]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(below - above <= 1 for above, below in pairwise(levels))
    texts = " ".join(headings.all_inner_texts())
    assert all(experiment.heading.split(":")[0] in texts for experiment in EXPERIMENTS)


def test_no_table_is_cut_off_on_a_desk(opened: Opened) -> None:
    cut = opened(DESK).evaluate(
        """() => [...document.querySelectorAll(".scroll")]
          .filter(it => it.scrollWidth > it.clientWidth)
          .map(it => [it.innerText.slice(0, 80), it.scrollWidth, it.clientWidth])"""
    )
    assert cut == []


def test_the_answer_is_open_and_the_experiments_are_a_line_each(opened: Opened) -> None:
    page = opened(as_it_comes=True)
    assert page.locator("table.standings").is_visible()
    assert page.locator("table.items").first.is_visible()
    for experiment in EXPERIMENTS:
        section = page.locator(f"#{experiment.name}")
        assert section.locator("summary h3").is_visible()
        assert section.locator("summary .line").first.inner_text()
        assert not section.locator("svg").first.is_visible()
        box = section.bounding_box()
        assert box
        assert box["height"] < SCREEN / 4
    height = page.evaluate("document.documentElement.scrollHeight")
    assert height < 20 * SCREEN


@pytest.mark.parametrize("script", [True, False])
def test_a_link_opens_what_it_leads_to(opened: Opened, script: bool) -> None:
    page = opened(as_it_comes=True, script=script)
    figure = page.locator("#queues svg").first
    assert not figure.is_visible()
    page.locator("table.standings a[href='#queues']").click()
    assert figure.is_visible()
    page.locator("table.items a[href='#sync']").first.click()
    assert page.locator("#sync svg").first.is_visible()
    assert (
        opened(at="#queues", as_it_comes=True, script=script)
        .locator("#queues svg")
        .first.is_visible()
    )


def test_a_section_opens_and_closes_without_the_script(opened: Opened) -> None:
    page = opened(as_it_comes=True, script=False)
    figure = page.locator("#queues svg").first
    for is_open in (True, False):
        page.locator("#queues summary").first.click()
        assert figure.is_visible() == is_open


def test_what_was_folded_again_opens_again(opened: Opened) -> None:
    page = opened(as_it_comes=True)
    figure = page.locator("#queues svg").first
    for _ in range(2):
        page.locator("nav a[href='#queues']").click()
        assert figure.is_visible()
        page.locator("#queues summary").first.click()
        assert not figure.is_visible()


def test_the_contents_work_on_a_phone(opened: Opened) -> None:
    page = opened(PHONE, as_it_comes=True)
    link = page.locator("nav a[href='#queues']")
    assert not link.is_visible()
    page.locator("nav summary").click()
    names = page.locator("nav a").all_inner_texts()
    assert {experiment.name for experiment in EXPERIMENTS} <= set(names)
    link.click()
    box = page.locator("#queues").bounding_box()
    assert box
    assert abs(box["y"]) < 20
    page.locator("a.up").click()
    box = page.locator("nav summary").bounding_box()
    assert box
    assert 0 <= box["y"] < 40


def test_the_contents_stand_beside_the_page_on_a_desk(opened: Opened) -> None:
    page = opened(DESK)
    assert page.locator("nav a[href='#queues']").is_visible()
    page.evaluate("document.querySelector('#machines').scrollIntoView()")
    box = page.locator("nav").bounding_box()
    assert box
    assert box["y"] == 0


# The contrast of every text with what is behind it (WCAG 2.2), the least first.
CONTRASTS = """() => {
  const parts = colour => colour.match(/[\\d.]+/g).map(Number);
  const light = ([r, g, b]) => [r, g, b].map(it => it / 255)
    .map(it => it <= 0.04045 ? it / 12.92 : ((it + 0.055) / 1.055) ** 2.4)
    .reduce((sum, it, at) => sum + it * [0.2126, 0.7152, 0.0722][at], 0);
  const behind = element => {
    for (let it = element; it; it = it.parentElement) {
      const colour = parts(getComputedStyle(it).backgroundColor);
      if (colour.length == 3 || colour[3] == 1) return colour;
    }
    return [255, 255, 255];
  };
  const found = {};
  for (const element of document.querySelectorAll("body *")) {
    const text = [...element.childNodes].some(it => it.nodeType == 3 && it.data.trim());
    if (!text || !element.getClientRects().length) continue;
    const style = getComputedStyle(element);
    const front = parts(element instanceof SVGElement ? style.fill : style.color);
    const [low, high] = [light(front), light(behind(element))].sort((a, b) => a - b);
    const kind = element.tagName + (element.getAttribute("class") ? "." + element.className : "");
    const contrast = (high + 0.05) / (low + 0.05) * (front[3] ?? 1);
    found[kind] = Math.min(found[kind] ?? 99, contrast);
  }
  return found;
}"""


@pytest.mark.parametrize("media", ["screen", "print"])
@pytest.mark.parametrize("scheme", SCHEMES)
def test_every_text_can_be_read(opened: Opened, scheme: str, media: str) -> None:
    found: dict[str, float] = opened(scheme=scheme, media=media).evaluate(CONTRASTS)
    kinds = " ".join(found)
    assert all(kind in kinds for kind in ("P", "TD", "TD.best", "SMALL", "A", "FIGCAPTION", "text"))
    assert {kind: at for kind, at in found.items() if at < LEAST_CONTRAST} == {}


def test_the_schemes_differ(opened: Opened) -> None:
    backgrounds = [
        opened(scheme=scheme).evaluate("getComputedStyle(document.body).backgroundColor")
        for scheme in SCHEMES
    ]
    assert backgrounds[0] == "rgb(255, 255, 255)"
    assert backgrounds[1] != backgrounds[0]


def test_paper_has_all_of_it(opened: Opened) -> None:
    page = opened(PAPER, scheme="dark", media="print", as_it_comes=True)
    folded: Sequence[str] = page.evaluate(
        """() => [...document.querySelectorAll("main details *")]
          .filter(it => !it.checkVisibility() && !it.closest("svg, .links"))
          .map(it => it.outerHTML.slice(0, 80))"""
    )
    assert folded == []
    hidden: Sequence[str] = page.evaluate(
        """() => [...document.querySelectorAll("body *")]
          .filter(it => getComputedStyle(it).display == "none" && !it.closest("svg, nav, script"))
          .map(it => it.className)"""
    )
    assert set(hidden) <= {"up", "links"}
    cut: Sequence[str] = page.evaluate(
        """() => [...document.querySelectorAll("main *")]
          .filter(it => !it.closest("svg") && getComputedStyle(it).overflowX != "visible")
          .map(it => it.outerHTML.slice(0, 80))"""
    )
    assert cut == []
    assert page.evaluate("document.documentElement.scrollWidth") <= PAPER
    pdf = page.pdf(format="A4")
    assert pdf.startswith(b"%PDF")
    assert pdf.count(b"/Type /Page\n") > 20
