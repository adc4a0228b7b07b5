# SPDX-License-Identifier: Apache-2.0
"""syrk and cholesky: what the programs are told, what they have to answer, what is made of it."""

from typing import Any

import pytest
from conftest import Ran, Refused, host_of
from fakes import FakeBuild
from test_tasking import plan_of

from finegrain_lab.processes import ProcessFailed, WrongResult
from finegrain_lab.tasking import cholesky, syrk
from finegrain_lab.tasking.evaluate import to_result
from finegrain_lab.tasking.measure import Measured, Slot
from finegrain_lab.tasking.protocol import TileSample
from finegrain_lab.tasking.study import Study
from finegrain_lab.tasking.tiles import GFLOPS, TileCase, tile_cases

STUDIES = {"cholesky": cholesky.STUDY, "syrk": syrk.STUDY}
(OF_70,) = tile_cases("cholesky", 70, (16,))
(UPDATE_OF_70,) = tile_cases("syrk", 70, (16,))

pytestmark = pytest.mark.usefixtures("two_cpus")


def sample_of(case: TileCase, **keys: Any) -> TileSample:
    whole = {
        **{"runtime": "x", "threads": 2, "tasks": case.tasks, "ns": [100.0], "version": ""},
        **{"offloaded_share": 0.5, "cpus": [0, 1], "allocator": "glibc"},
        **{"tasks_by_thread": [[case.tasks, 0]]},
        **{"n": case.rows, "tile": case.x, "blas": "FakeBLAS 1"},
    }
    return TileSample.model_validate(whole | keys)


# ---- what is counted ----


def test_the_tasks_are_the_kernels_calls() -> None:
    # Five tiles a side: potrf 5, trsm 10, syrk 10, gemm 10; of 15 tiles five updates each.
    assert (OF_70.tasks, UPDATE_OF_70.tasks) == (35, 75)
    (exact,) = tile_cases("cholesky", 64, (16,))
    assert exact.tasks == 20


def operations_of_cholesky(n: int) -> int:
    """Element by element: a root, or a division, behind as many products taken off."""
    return sum(2 * column + 1 for row in range(n) for column in range(row + 1))


@pytest.mark.parametrize("n", [1, 2, 7, 70])
def test_the_operations_are_those_of_the_definition(n: int) -> None:
    (factored,) = tile_cases("cholesky", n, (16,))
    (updated,) = tile_cases("syrk", n, (16,))
    assert factored.flops == operations_of_cholesky(n)
    assert updated.flops == 2 * n * n * (n + 1) // 2  # n products and sums for each of a triangle


def test_gflops_are_the_operations_over_the_run_s_time() -> None:
    # 35 tasks of 100 ns each.
    assert GFLOPS.of(sample_of(OF_70), OF_70) == pytest.approx(OF_70.flops / 3500)
    assert not GFLOPS.lower_is_better


# ---- what the processes are told, and have to answer ----


@pytest.mark.parametrize("name", STUDIES)
def test_the_programs_get_the_matrix_and_the_tile(ran: Ran, build: FakeBuild, name: str) -> None:
    ran(name, "--cases", "64,256", "--runtimes", "gnu-openmp")
    (rows,) = {case.rows for case in STUDIES[name].cases if isinstance(case, TileCase)}
    for tile in (64, 256):
        lines = [line for line in build.starts() if f" {name} --n {rows} --tile {tile}" in line]
        assert {line.split()[0] for line in lines} == {
            *("spawn/spawn-serial", "spawn/spawn-pool", "spawn/spawn-gnu-openmp"),
        }


def test_cholesky_has_one_tile_on_every_number_of_threads(ran: Ran) -> None:
    rows = ran("cholesky", "--runtimes", "onetbb")["results"]
    threads = {
        case: {row["threads"] for row in rows if (row["case"], row["runtime"]) == (case, "onetbb")}
        for case in ("32", "64", "128", "256")
    }
    assert threads == {"32": {2}, "64": {1, 2}, "128": {2}, "256": {2}}


@pytest.mark.parametrize(
    ("keys", "text"),
    [
        ({"n": 71}, "answered with a run of something else"),
        ({"tile": 15}, "answered with a run of something else"),
        ({"tasks": 34}, "had 34 tasks, not 35"),
    ],
)
def test_a_run_of_something_else_is_a_failure(keys: dict[str, Any], text: str) -> None:
    OF_70.require_whole(sample_of(OF_70))
    with pytest.raises(ProcessFailed, match=text) as raised:
        OF_70.require_whole(sample_of(OF_70, **keys))
    assert not isinstance(raised.value, WrongResult)


def test_another_runtime_s_failure_is_noted(ran: Ran, build: FakeBuild) -> None:
    build.trouble_in("spawn/spawn-onetbb", "cut=63")
    (failed,) = ran("syrk", "--cases", "64", "--runtimes", "onetbb", status=1)["failed"]
    assert (failed["runtime"], failed["case"]) == ("onetbb", "64, 2 threads")
    assert failed["reason"] == "answered with a run of something else"


@pytest.mark.parametrize("name", STUDIES)
def test_a_build_without_openblas_says_so(refused: Refused, build: FakeBuild, name: str) -> None:
    build.trouble_in("spawn/spawn-serial", "echo 'spawn-serial: there is no OpenBLAS' >&2; exit 1")
    refused(name, text="there is no OpenBLAS")


@pytest.mark.parametrize(
    ("name", "whole"), [("cholesky", "LAPACK's dpotrf"), ("syrk", "BLAS's dsyrk")]
)
def test_the_result_says_what_was_checked_with_whose_kernels(
    ran: Ran, build: FakeBuild, name: str, whole: str
) -> None:
    build.trouble_in("spawn/spawn-onetbb", "blas=2")
    assert ran(name, "--runtimes", "onetbb")["checked"] == [
        f"{name}: the result, after every run, against {whole} of the whole matrix; kernels of "
        "FakeBLAS 1 and of FakeBLAS 2"
    ]


# ---- what is made of it ----


def test_the_papers_own_sizes(ran: Ran, build: FakeBuild) -> None:
    result = ran("cholesky", "--paper", "--runtimes", "onetbb")
    assert (result["mode"], result["cases"]) == ("paper", ["160", "256", "352"])
    assert ran("syrk", "--paper", "--runtimes", "onetbb")["cases"] == ["736", "848", "976", "1024"]
    assert any("--batches 3 --batch-ms 30 syrk --n 12288 --tile 976" in at for at in build.starts())


@pytest.mark.parametrize("study", STUDIES.values(), ids=STUDIES)
def test_the_lines_are_by_tile_and_the_best_one_is_named(build: FakeBuild, study: Study) -> None:
    plan = plan_of(build, study, ["onetbb"], "32", "64")
    measured = Measured(floor_samples=[100.0])
    for name, runtime, threads, ns in (
        ("32", "serial", 1, 9_000.0),
        ("32", "pool-private_deque", 2, 2_000.0),
        ("32", "onetbb", 2, 4_000.0),
        ("64", "serial", 1, 10_000.0),
        ("64", "pool-private_deque", 2, 20_000.0),
        ("64", "onetbb", 2, 9_000.0),
        ("64", "pool-private_deque", 1, 30_000.0),
        ("64", "onetbb", 1, 5_000.0),
    ):
        case = plan.case(name)
        assert isinstance(case, TileCase)
        measured.samples[Slot(name, runtime, threads)] = {
            at: sample_of(case, runtime=runtime, threads=threads, ns=[ns]) for at in range(3)
        }
    result = to_result(plan, measured, host_of(plan.build))
    (best,) = study.tables(study, result)
    case = plan.case("64")
    assert isinstance(case, TileCase)
    highest = case.flops / (case.tasks * 9_000)
    assert dict(best.rows)["onetbb"] == [f"{highest:.{1 if highest >= 10 else 2}f}", "64"]
    assert [cells[1] for _, cells in best.rows] == ["64", "32", "64"]
    by_tile, *by_threads = study.figures(study, result)
    assert by_tile.caption == "By rows of a tile, on 2 threads; higher is better."
    assert all(name in by_tile.svg for name in ("serial", "pool-private_deque", "onetbb"))
    assert "rows of a tile" in by_tile.svg
    assert len(by_threads) == (1 if study is cholesky.STUDY else 0)
    assert all("64: rows of a tile, of a matrix of 1,024 rows" in at.caption for at in by_threads)
