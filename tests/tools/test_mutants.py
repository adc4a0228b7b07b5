# SPDX-License-Identifier: Apache-2.0
"""What `make mutants` changes, and what it makes of the reasons to survive."""

from pathlib import Path

import pytest
from scripts.mutants.cli import REPOSITORY, shipped_mutants, shipped_survivors
from scripts.mutants.errors import MutantError
from scripts.mutants.generated import generated_mutants
from scripts.mutants.mutant import Mutant
from scripts.mutants.written import survivors, written_mutants

HEADER = """
void f() {
  if (word_.load(memory_order_acquire) == 1) {  // memory_order_seq_cst is only spoken of
    word_.store(2, memory_order_relaxed);
  }
  word_.exchange(3,
                 memory_order_acq_rel);
  word_.compare_exchange_strong(x, 4, memory_order_seq_cst, memory_order_acquire);
  asymmetric_ ? asymmetric_fence::heavy_fence() : asymmetric_fence::full_fence();
}
"""


@pytest.fixture
def headers(tmp_path: Path) -> Path:
    folder = tmp_path / "include"
    folder.mkdir()
    (folder / "a.hpp").write_text(HEADER)
    return folder


def write_table(tmp_path: Path, text: str) -> Path:
    table = tmp_path / "table.toml"
    table.write_text(text)
    return table


def test_orders_are_weakened_by_one_step_and_fences_removed(headers: Path) -> None:
    assert [str(each) for each in generated_mutants(headers)] == [
        "a.hpp:3 acquire -> relaxed",
        "a.hpp:7 acq_rel -> acquire",
        "a.hpp:7 acq_rel -> release",
        "a.hpp:8 seq_cst -> acq_rel",
        "a.hpp:8 acquire -> relaxed",
        "a.hpp:9 no heavy fence",
        "a.hpp:9 no full fence",
    ]


def test_a_mutant_changes_one_place(headers: Path) -> None:
    generated_mutants(headers)[0].write(headers)
    changed = (headers / "a.hpp").read_text()
    assert changed == HEADER.replace("memory_order_acquire", "memory_order_relaxed", 1)


def test_a_mutant_of_other_headers_is_refused(headers: Path) -> None:
    mutant = generated_mutants(headers)[0]
    (headers / "a.hpp").write_text("something else")
    with pytest.raises(MutantError, match="there is no 'memory_order_acquire'"):
        mutant.write(headers)


def test_a_written_mutant_has_its_place_and_checks(headers: Path, tmp_path: Path) -> None:
    table = write_table(
        tmp_path,
        '[[mutant]]\nfile = "a.hpp"\nwhat = "another value"\nbefore = "2, m"\nafter = "3, m"\n'
        'checks = ["a_model"]\n',
    )
    (mutant,) = written_mutants(table, headers)
    assert str(mutant) == "a.hpp:4 another value"
    assert mutant.checks == ("a_model",)


@pytest.mark.parametrize(("before", "times"), [("nowhere", 0), ("asymmetric_fence", 2)])
def test_a_written_mutant_has_one_place(
    headers: Path, tmp_path: Path, before: str, times: int
) -> None:
    table = write_table(
        tmp_path,
        f'[[mutant]]\nfile = "a.hpp"\nwhat = "x"\nbefore = "{before}"\nafter = ""\nchecks = []\n',
    )
    with pytest.raises(MutantError, match=f"is there {times} times, not once"):
        written_mutants(table, headers)


def test_a_survivor_is_known_by_its_line_and_mutation(headers: Path, tmp_path: Path) -> None:
    table = write_table(
        tmp_path,
        '[[survivor]]\nfile = "a.hpp"\nline = "memory_order_acq_rel);"\n'
        'mutation = "acq_rel -> acquire"\nreason = "because"\n',
    )
    mutants: list[Mutant] = generated_mutants(headers)
    known = survivors(table)
    explained = [str(each) for each in mutants if known.reason_for(each) == "because"]
    assert explained == ["a.hpp:7 acq_rel -> acquire"]
    assert known.without_mutant(mutants) == []
    assert len(known.without_mutant(mutants[:1])) == 1


def test_a_row_without_a_reason_is_refused(tmp_path: Path) -> None:
    table = write_table(tmp_path, '[[survivor]]\nfile = "a.hpp"\nline = "x"\nmutation = "y"\n')
    with pytest.raises(MutantError, match="reason: Field required"):
        survivors(table)


def test_all_fit_the_headers_of_today() -> None:
    mutants = shipped_mutants(REPOSITORY / "include" / "finegrain")
    assert shipped_survivors().without_mutant(mutants) == []
