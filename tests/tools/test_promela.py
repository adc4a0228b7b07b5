# SPDX-License-Identifier: Apache-2.0
"""Which Promela models `make model` takes for right: those that keep all their promises."""

from pathlib import Path

import pytest
from scripts.models.errors import ModelError
from scripts.models.promela import explore, promises_of, title_of

MODEL = """/* Two that count, without end: an example.
 *
 * Sizes:
 *   -DMOST=3
 * Guaranteed:
 *   assertion   never too many,
 *               whatever happens
 *   end_state   no deadlock
 *   comes_back  to zero, in the end
 * Not guaranteed:
 *   gets_to_two
 * Broken on purpose:
 *   -DTOO_MANY   assertion   counts beyond
 *   -DSTUCK      end_state   does not count back
 *   -DSTAYS_UP   comes_back  counts back to one
 */
byte count;
active proctype counter() {
  do
  :: count < MOST -> count++;
#ifdef TOO_MANY
     count++;
#endif
     assert(count <= MOST)
#ifndef STUCK
#ifdef STAYS_UP
  :: count > 1 -> count = 1
#else
  :: count > 0 -> count = 0
#endif
#endif
  od
}
active proctype clock() {
end:
  do
  :: false
  od
}
ltl comes_back { [] (count > 0 -> <> (count == 0)) }
ltl gets_to_two { <> (count == 2) }
"""


@pytest.fixture
def model(tmp_path: Path) -> Path:
    file = tmp_path / "example.pml"
    file.write_text(MODEL)
    return file


def replace(model: Path, old: str, new: str) -> None:
    text = model.read_text()
    assert old in text
    model.write_text(text.replace(old, new))


def test_a_comment_is_read(model: Path) -> None:
    promises = promises_of(model)
    assert title_of(model) == "Two that count, without end"
    assert promises.sizes == (("-DMOST=3",),)
    assert promises.guaranteed == ("assertion", "end_state", "comes_back")
    assert promises.not_guaranteed == ("gets_to_two",)
    assert promises.broken["STAYS_UP"] == "comes_back"


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (" *   -DSTUCK      end_state   does not count back\n", "", "end_state is guaranteed or"),
        (" *   gets_to_two\n", "", "gets_to_two is a formula or a promise"),
        ("#ifdef TOO_MANY", "#ifdef OTHER", "nothing depends on TOO_MANY"),
        (" *   -DMOST=3\n", "", "no sizes"),
    ],
)
def test_a_comment_has_to_be_complete(model: Path, old: str, new: str, message: str) -> None:
    replace(model, old, new)
    with pytest.raises(ModelError, match=message):
        promises_of(model)


def test_a_model_that_keeps_its_promises(model: Path) -> None:
    explored = explore(model)
    assert explored.wrong == ()
    assert explored.states > 4


@pytest.mark.parametrize(
    ("old", "new", "faults"),
    [
        ("assert(count <= MOST)", "assert(count < MOST)", ["assertion violated"]),
        ("count < MOST -> count++", "count < MOST -> count++; count > 1", ["invalid end state"]),
        ("-> <> (count == 0)", "-> <> (count == 2)", ["comes_back is violated"]),
        ("{ <> (count == 2) }", "{ <> (count == 1) }", ["gets_to_two holds"]),
        ("  :: false\n", "  :: count > MOST -> count = 0\n", ["unreached"]),
        ("     count++;\n", "     skip;\n", ["-DTOO_MANY does not break assertion"]),
    ],
)
def test_a_broken_promise_is_told(model: Path, old: str, new: str, faults: list[str]) -> None:
    replace(model, old, new)
    told = "\n".join(explore(model).wrong)
    assert [each for each in faults if each not in told] == []


def test_a_search_that_was_cut_is_told(model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("scripts.models.promela._SEARCH_DEPTH", 3)
    assert any("too small" in each for each in explore(model).wrong)
