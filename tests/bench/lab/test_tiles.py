# SPDX-License-Identifier: Apache-2.0
"""syrk and cholesky: what the programs are told, what they have to answer, what is made of it."""

from typing import Any

import pytest
from conftest import Ran, Refused
from fakes import FakeBuild
from runs import result_of
from test_tasking import output, plan_of, rows_of, slot_of, tables_of

from finegrain_lab.experiments.cholesky import CHOLESKY
from finegrain_lab.experiments.syrk import SYRK
from finegrain_lab.experiments.tiles import TileCase, TileSample, flops, gflops, tile_cases
from finegrain_lab.run.experiment import Experiment, Slot
from finegrain_lab.run.shapes import fit
from finegrain_lab.show.figures import Figure

EXPERIMENTS = {"cholesky": CHOLESKY, "syrk": SYRK}
(OF_70,) = tile_cases("cholesky", 70, (16,))
(UPDATE_OF_70,) = tile_cases("syrk", 70, (16,))

pytestmark = pytest.mark.usefixtures("two_cpus")


def printed(case: TileCase, of: Slot, ns: float, **keys: Any) -> dict[str, Any]:
    own = {"tasks": case.tasks, "n": case.rows, "tile": case.x, "blas": "FakeBLAS 1"}
    return output(of, [ns], **{**own, **keys})


def sample_of(case: TileCase, **keys: Any) -> TileSample:
    found: TileSample = fit(printed(case, slot_of("16", "x", 2), 100.0, **keys), TileSample)
    return found


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
    assert flops("cholesky", n) == operations_of_cholesky(n)
    assert flops("syrk", n) == 2 * n * n * (n + 1) // 2  # n products and sums, of a triangle each


def test_gflops_are_the_operations_over_the_run_s_time() -> None:
    # 35 tasks of 100 ns each.
    assert gflops(sample_of(OF_70), OF_70) == pytest.approx(flops("cholesky", 70) / 3500)


# ---- what the processes are told, and have to answer ----


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_the_programs_get_the_matrix_and_the_tile(ran: Ran, build: FakeBuild, name: str) -> None:
    ran(name, "--cases", "64,256", "--runtimes", "gnu-openmp")
    for tile in (64, 256):
        lines = [line for line in build.starts() if f" {name} --n 1024 --tile {tile}" in line]
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
    assert OF_70.complaint(sample_of(OF_70)) == ""
    assert OF_70.complaint(sample_of(OF_70, **keys)) == text


def test_another_runtime_s_failure_is_noted(ran: Ran, build: FakeBuild) -> None:
    build.trouble_in("spawn/spawn-onetbb", "cut=63")
    (failed,) = ran("syrk", "--cases", "64", "--runtimes", "onetbb", status=1)["failed"]
    assert (failed["runtime"], failed["case"]) == ("onetbb", "64, 2 threads")
    assert failed["reason"] == "answered with a run of something else"


@pytest.mark.parametrize("name", EXPERIMENTS)
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
    assert ran(name, "--runtimes", "onetbb")["settings"]["checked"] == [
        f"{name}: the result, after every run, against {whole} of the whole matrix; kernels of "
        "FakeBLAS 1 and of FakeBLAS 2"
    ]


# ---- what is made of it ----


def test_the_papers_own_sizes(ran: Ran, build: FakeBuild) -> None:
    result = ran("cholesky", "--paper", "--runtimes", "onetbb")
    assert (result["mode"], result["cases"]) == ("paper", ["160", "256", "352"])
    assert ran("syrk", "--paper", "--runtimes", "onetbb")["cases"] == ["736", "848", "976", "1024"]
    assert any("--batches 3 --batch-ms 30 syrk --n 12288 --tile 976" in at for at in build.starts())


@pytest.mark.parametrize("experiment", EXPERIMENTS.values(), ids=EXPERIMENTS)
def test_the_lines_are_by_tile_and_the_best_one_is_named(
    build: FakeBuild, experiment: Experiment
) -> None:
    times = {
        ("32", "serial", 1): 9_000.0,
        ("32", "pool-private_deque", 2): 2_000.0,
        ("32", "onetbb", 2): 4_000.0,
        ("64", "serial", 1): 10_000.0,
        ("64", "pool-private_deque", 2): 20_000.0,
        ("64", "onetbb", 2): 9_000.0,
        ("64", "pool-private_deque", 1): 30_000.0,
        ("64", "onetbb", 1): 5_000.0,
    }
    cases = {case.name: case for case in tile_cases(experiment.name, 1024, (32, 64))}
    result = result_of(
        experiment,
        plan_of(build, experiment, ["onetbb"], "32", "64"),
        {slot_of(*of): [printed(cases[of[0]], slot_of(*of), ns)] * 3 for of, ns in times.items()},
    )
    (best,) = tables_of(experiment, result, "with which tiles")
    assert best.title == "the highest throughput, 2 threads, and with which tiles"
    highest = flops(experiment.name, 1024) / (cases["64"].tasks * 9_000)
    assert rows_of(best)["onetbb"] == [f"{highest:.{1 if highest >= 10 else 2}f}", "64"]
    assert [cells[1] for cells in rows_of(best).values()] == ["64", "32", "64"]
    parts = [part for section in experiment.sections(result) for part in section.parts]
    by_tile, *by_threads = [part for part in parts if isinstance(part, Figure)]
    assert by_tile.caption == "By rows of a tile, on 2 threads; higher is better."
    assert [it.name for it in by_tile.shown] == ["serial", "pool-private_deque", "onetbb"]
    assert by_tile.x.label == "rows of a tile"
    assert len(by_threads) == (1 if experiment is CHOLESKY else 0)
    assert all("64: rows of a tile, of a matrix of 1,024 rows" in at.caption for at in by_threads)
