# SPDX-License-Identifier: Apache-2.0
"""One way to write a quantity for a reader: its number, a space, its unit; µs, not us.

Names of cases are written so too, but in the tables on the terminal: these have them as `--cases`
takes them, and little room.
"""

import re

_TIME = re.compile(r"\b(\d[\d.,]*) ?(ns|us|ms)\b")
_CODE_OR_TEXT = re.compile(r"<(style|script|code)\b.*?</\1>|(>[^<]+(?=<))", re.DOTALL)


def spelled(text: str) -> str:
    """Returns the text with its quantities written so."""
    text = _TIME.sub(lambda found: f"{found[1]} {found[2].replace('us', 'µs')}", text)
    return re.sub(r"(?<=\d)%", " %", text)


def spelled_html(html: str) -> str:
    """Returns the HTML with the quantities of its text written so: not of code or attributes."""
    return _CODE_OR_TEXT.sub(lambda found: spelled(found[2]) if found[2] else found[0], html)
