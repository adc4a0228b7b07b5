# SPDX-License-Identifier: Apache-2.0
"""Quantities are written in one way, in every page and above and below every table."""

import re
from html import unescape
from typing import Any

import pytest

from finegrain_lab.experiments import EXPERIMENTS
from finegrain_lab.show.drawing import Drawing
from finegrain_lab.show.report.answer import answer_of
from finegrain_lab.show.report.document import render
from finegrain_lab.show.report.many_cores import comparisons_of
from finegrain_lab.show.report.measured import Measured
from finegrain_lab.show.table import make_console, print_lines
from finegrain_lab.show.units import spelled, spelled_html

OTHER = re.compile(r"\b\d[\d.,]*(?:ns|us|µs|ms)\b|\bus\b|\d%|speed-up")


def test_a_quantity_has_a_space_and_a_greek_letter() -> None:
    assert spelled("20.32 us for 1ns, 2us, 3.42% of 10 ms") == (
        "20.32 µs for 1 ns, 2 µs, 3.42 % of 10 ms"
    )
    assert spelled("65536x100ns, relic, 5 s") == "65536x100ns, relic, 5 s"


def test_code_and_attributes_stay_as_they_are() -> None:
    html = '<a href="1us">1us</a> <code>--cases spin-1us</code><style>a { width: 1%; }</style>'
    assert spelled_html(html) == html.replace(">1us<", ">1 µs<")


def text_of(html: str) -> str:
    html = re.sub(r"<(style|script|code)\b.*?</\1>", "", html, flags=re.DOTALL)
    return unescape(re.sub(r"<[^>]*>", "\n", html))


@pytest.mark.parametrize("name", [experiment.name for experiment in EXPERIMENTS])
def test_every_page_has_one_style(pages: dict[str, str], name: str) -> None:
    text = text_of(pages[name])
    assert len(text) > 1000
    assert OTHER.findall(text) == []


def test_the_page_of_all_has_it_too(
    whole_results: dict[str, Any], drawings: dict[str, list[Drawing]]
) -> None:
    measured = Measured("here", whole_results, {})
    vars(measured)["drawings"] = drawings  # as if they were drawn for it
    page = render([measured], [answer_of(measured)], comparisons_of([measured]))
    assert OTHER.findall(text_of(page)) == []


def test_lines_on_the_terminal_have_it_too(capsys: pytest.CaptureFixture[str]) -> None:
    print_lines(make_console(), ["pays from 2us, 5% [of it]"])
    assert capsys.readouterr().out == "pays from 2 µs, 5 % [of it]\n"
