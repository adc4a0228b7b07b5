# SPDX-License-Identifier: Apache-2.0
"""What `make check` takes for concerned by a change."""

from scripts.check import python_tests, tidied


def test_what_is_concerned_names_the_file() -> None:
    chosen = python_tests(["bench/finegrain_lab/experiments/sync.py"])
    assert "tests/bench/lab/test_sync.py" in chosen
    assert "tests/bench/lab/test_papers.py" not in chosen
    assert "tests/tools/test_models.py" in python_tests(["scripts/models/orders.py"])
    assert python_tests(["src/omp/lock.cpp"]) == []


def test_tests_that_changed_are_run_and_no_program_of_theirs() -> None:
    changed = ["tests/tools/test_setup.py", "tests/bench/programs/test_programs.py"]
    assert python_tests(changed) == ["tests/tools/test_setup.py"]


def test_documents_are_checked_for_their_links() -> None:
    assert "tests/docs/test_links.py" in python_tests(["docs/pool.md"])


def test_a_header_is_tidied_by_its_unit_test() -> None:
    changed = ["include/finegrain/queue/spsc_ring.hpp", "docs/pool.md", "tests/tools/gone.cpp"]
    assert tidied(changed) == ["tests/unit/queue/spsc_ring_test.cpp"]
