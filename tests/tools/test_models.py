# SPDX-License-Identifier: Apache-2.0
"""Which memory orders `make model` finds in the headers, and which it takes for exercised."""

from pathlib import Path

import pytest
from scripts.models.errors import ModelError
from scripts.models.orders import MetOrder, met_orders, named_orders, not_exercised, reasons

HEADER = """
// memory_order_release here is only spoken of
void f() {
  word_.store(1, memory_order_release);  // pairs with memory_order_acquire
  if (!word_.compare_exchange_strong(old, (old + 1),
                                     memory_order_acq_rel,
                                     memory_order_relaxed)) {
  }
}
"""


@pytest.fixture
def headers(tmp_path: Path) -> Path:
    folder = tmp_path / "include" / "finegrain"
    (folder / "queue").mkdir(parents=True)
    (folder / "queue" / "q.hpp").write_text(HEADER)
    return folder


def places(tmp_path: Path, *lines: str) -> list[Path]:
    file = tmp_path / "q_model.places"
    file.write_text("".join(f"{line}\n" for line in lines))
    return [file]


def test_orders_are_found_in_code_and_not_in_comments(headers: Path) -> None:
    found = [str(each) for each in named_orders(headers)]
    assert found == ["queue/q.hpp:4 release", "queue/q.hpp:6 acq_rel", "queue/q.hpp:7 relaxed"]


def test_an_order_is_exercised_by_a_call_of_which_it_is_an_argument(headers: Path) -> None:
    met = {MetOrder("queue/q.hpp", 4, "release"), MetOrder("queue/q.hpp", 5, "relaxed")}
    missing = not_exercised(named_orders(headers), met)
    assert [str(each) for each in missing] == ["queue/q.hpp:6 acq_rel"]


def test_an_operation_of_another_order_exercises_nothing(headers: Path) -> None:
    met = {MetOrder("queue/q.hpp", 4, "relaxed")}
    assert len(not_exercised(named_orders(headers), met)) == 3


def test_places_of_the_headers_are_read_wherever_the_repository_lies(tmp_path: Path) -> None:
    files = places(
        tmp_path,
        "/some/where/tests/../include/finegrain/queue/q.hpp:4 release",
        "/some/where/tests/model/q_model.cpp:9 relaxed",
    )
    assert met_orders(files, "include/finegrain") == {MetOrder("queue/q.hpp", 4, "release")}


def test_a_file_that_no_model_wrote_is_told(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="not a place: hello"):
        met_orders(places(tmp_path, "hello"), "include/finegrain")


def test_a_file_that_is_not_modelled_needs_a_reason(tmp_path: Path) -> None:
    table = tmp_path / "not_modelled.toml"
    table.write_text('"core/a.hpp" = ""\n')
    with pytest.raises(ModelError, match=r"core/a\.hpp: a reason is needed"):
        reasons(table)
