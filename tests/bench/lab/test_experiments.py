# SPDX-License-Identifier: Apache-2.0
"""What every experiment keeps to: its command, its files, its page, its tables."""

import io
import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from conftest import Lab, Ran, Refused, WholeRun, changed, expect_one_line, files_below
from fakes import FakeBuild
from rich.console import Console
from test_report import Page

from finegrain_lab import cli
from finegrain_lab.experiments import EXPERIMENTS, experiment_of
from finegrain_lab.run.errors import LabError
from finegrain_lab.show.result import load
from finegrain_lab.show.terminal import print_result
from finegrain_lab.show.views import page_of

PUBLISHED = next((Path(__file__).parents[3] / "results").glob("a693239a08*"))
NAMES = [experiment.name for experiment in EXPERIMENTS]
EVERY_FILE_HAS = {
    *("schema", "experiment", "mode", "host", "floor_ns", "floor_samples", "rounds", "seconds"),
    *(
        "seed",
        "resumed",
        "beside",
        "settings",
        "results",
        "missing",
        "failed",
        "notes",
        "cases",
        "runtimes",
    ),
}
FIGURES = {
    "relic-kernels": 4,
    "handoff": 3,
    "break-even": 3,
    "waiting": 2,
    "sync": 1,
    "queues": 3,
    "neighbour": 1,
    "periodic": 1,
    "loops": 5,
    "graph": 6,
    "pipeline": 2,
    "spawn": 6,
    "tasking-overhead": 1,
    "task-distribution": 1,
    "stealing-efficiency": 2,
    "queue-size": 1,
    "producers": 2,
    "uts": 15,
    "strassen": 2,
    "syrk": 1,
    "cholesky": 2,
    "spawn-homogeneous": 5,
    "spawn-heterogeneous": 5,
    "bots": 9,
    "omp": 10,
    "omp-regions": 2,
    "scaling": 13,
}


def test_all_are_there() -> None:
    assert list(FIGURES) == NAMES, "FIGURES has the number of figures of each"


def test_list_shows_each_with_its_modes_and_contents(
    lab: Lab, build: FakeBuild, capsys: pytest.CaptureFixture[str]
) -> None:
    assert lab("list", "--build", build.folder) == 0
    output = " ".join(capsys.readouterr().out.split())
    for experiment in EXPERIMENTS:
        modes = " ".join(f"--{mode}" for mode in experiment.modes)
        assert f"{experiment.name}: {experiment.title} modes: {modes}" in output
        for word, names in experiment.contents.items():
            assert f"{word}: {' '.join(names)}" in output


@pytest.mark.parametrize("name", NAMES)
def test_a_whole_run_and_its_tables_again(
    whole: WholeRun, tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    run = whole(name)
    file = run.path.name
    assert files_below(run.folder) == [f"{name}.html", file]
    result = run.file
    assert result.keys() >= EVERY_FILE_HAS
    assert (result["experiment"], result["mode"]) == (name, "quick")
    assert result["rounds"] == 3
    assert result["seed"] == 20240501
    assert all({"case", "runtime", "samples"} <= row.keys() for row in result["results"])
    few = (2, 3) if name == "scaling" else (3,)  # its longest simulations have fewer seeds
    assert all(len(row["samples"]) in few for row in result["results"])

    shutil.copy(run.path, tmp_path)
    capsys.readouterr()
    assert cli.main(["show", str(tmp_path)]) == 0
    assert files_below(tmp_path) == [file]
    kept = [line for line in run.said.splitlines() if not line.startswith("wrote ")]
    assert capsys.readouterr().out.splitlines() == kept


@pytest.mark.parametrize("name", NAMES)
def test_cpus_and_the_mode_reach_every_process(ran: Ran, build: FakeBuild, name: str) -> None:
    result = ran(name, "--full", "--cpus", "1,0")
    assert (result["mode"], result["host"]["used_cpus"]) == ("full", [1, 0])
    placed = [line for line in build.starts() if "--cpus" in line]
    assert placed
    assert all("--cpus 1,0" in line for line in placed)


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (("handoff", "--paper"), "handoff has --quick and --full, no --paper"),
        (("break-even", "--paper"), "no --paper"),
        (("waiting", "--paper"), "no --paper"),
        (("spawn", "--paper"), "no --paper"),
        (("sync", "--paper"), "no --paper"),
        (("periodic", "--paper"), "periodic has --quick and --full, no --paper"),
        (("periodic", "--cases", "2ms"), "no case '2ms'; known are 100us-4us-0%, 100us-4us-1%"),
        (("periodic", "--runtimes", "tbb"), "no runtime 'tbb'; known are serial, relic, pool, gnu"),
        (("loops", "--paper"), "loops has --quick and --full, no --paper"),
        (("loops", "--cases", "16x2ns"), "no case '16x2ns'; known are 16x1ns, 100x1ns"),
        (("loops", "--runtimes", "tbb"), "no runtime 'tbb'; known are serial, relic, pool, gnu"),
        (("scaling", "--paper"), "scaling has --quick and --full, no --paper"),
        (("scaling", "--cases", "flat"), "no case 'flat'; known are fib, fib-asleep, flat-one"),
        (("scaling", "--runtimes", "pool"), "scaling takes no --runtimes"),
        (("graph", "--paper"), "graph has --quick and --full, no --paper"),
        (("graph", "--cases", "chain"), "no case 'chain'; known are chain-empty, diamond-empty"),
        (("graph", "--runtimes", "tbb"), "no runtime 'tbb'; known are serial, relic, pool, gnu"),
        (("pipeline", "--paper"), "pipeline has --quick and --full, no --paper"),
        (("pipeline", "--cases", "s-s"), "no case 's-s'; known are s-s-empty, s-s-200ns"),
        (
            ("pipeline", "--runtimes", "gnu-openmp"),
            "known are serial, relic, pool, two-threads, one",
        ),
        (("sync", "--runtimes", "mutex"), "sync takes no --runtimes"),
        (("queues", "--cpus", "1,1"), "twice"),
        (("spawn", "--cases", "fib,bib"), "no case 'bib'; known are fib, tree, flat"),
        (("spawn", "--cpus", "0,9"), "CPU 9 may not be used"),
        (("handoff", "--peers", "tuned"), "handoff takes no --peers"),
        (("break-even", "--runtimes", "relic"), "break-even takes no --runtimes"),
        (("waiting", "--cases", "1us"), "waiting takes no --cases"),
        (("producers", "--cases", "one-7"), "no case 'one-7'; known are one-0, one-128"),
        (("queue-size", "--cases", "8"), "no case '8'; known are 4, 16, 64, 256, growing"),
        (("omp", "--paper"), "omp has --quick and --full, no --paper"),
        (("omp", "--cases", "fft"), "no case 'fft'; known are fib-nocutoff, nqueens, sort"),
        (("omp-regions", "--paper"), "omp-regions has --quick and --full, no --paper"),
        (("omp-regions", "--cases", "cg"), "no case 'cg'; known are parallel, parallel-value"),
        (
            ("omp-regions", "--runtimes", "relic"),
            "no runtime 'relic'; known are serial, intel-openmp, gnu-openmp, finegrain-clang",
        ),
        (("handoff", "--cases", "burst-3"), "no case 'burst-3'; known are empty, burst-2"),
        (("break-even", "--cases", "1to1-15ns"), "no case '1to1-15ns'"),
        (("handoff", "--cpus", "0,0"), "twice"),
        (("break-even", "--cpus", "0,9"), "CPU 9 may not be used"),
        (("waiting", "--cpus", "9,0"), "CPU 9 may not be used"),
    ],
)
def test_what_means_nothing_is_refused(
    refused: Refused, build: FakeBuild, arguments: tuple[str, ...], text: str
) -> None:
    refused(*arguments, text=text, status=2)
    assert [line for line in build.starts() if not line.startswith("valgrind")] == []


@pytest.mark.parametrize(
    ("name", "program"),
    [
        ("relic-kernels", "floor"),
        ("handoff", "handoff"),
        ("handoff", "handoff-instructions"),
        ("handoff", "finegrain-info"),
        ("break-even", "break-even"),
        ("break-even", "calibrate"),
        ("waiting", "waiting"),
        ("waiting", "handoff"),
        ("sync", "sync"),
        ("queues", "queues"),
        ("periodic", "periodic/periodic-pool"),
        ("periodic", "periodic/periodic-gnu-openmp"),
        ("periodic", "calibrate"),
        ("loops", "loops/loops-pool"),
        ("loops", "loops/loops-serial"),
        ("graph", "graph/graph-pool"),
        ("graph", "spawn/spawn-pool"),
        ("graph", "calibrate"),
        ("pipeline", "pipeline/pipeline-pool"),
        ("pipeline", "pipeline/pipeline-two-threads"),
        ("pipeline", "calibrate"),
        ("spawn", "spawn/spawn-pool"),
        ("spawn", "spawn/spawn-serial"),
        ("spawn", "spawn/spawn-gnu-openmp"),
        ("tasking-overhead", "calibrate"),
        ("stealing-efficiency", "calibrate"),
        ("queue-size", "spawn/spawn-serial"),
        ("producers", "spawn/spawn-pool"),
        ("omp", "omp/omp-serial"),
        ("omp", "omp/omp-gnu-openmp"),
        ("omp", "spawn/spawn-pool"),
        ("omp", "libfinegrain-omp.so"),
        ("omp-regions", "omp/omp-serial"),
        ("omp-regions", "omp/omp-gnu-openmp"),
        ("omp-regions", "libfinegrain-omp-all.so"),
        ("scaling", "scaling"),
    ],
)
def test_a_program_that_is_not_built_is_told(
    refused: Refused, build: FakeBuild, name: str, program: str
) -> None:
    (build.folder / "bench" / program).unlink()
    refused(name, text=f"bench/{program}: run 'make lab'")


def test_a_manifest_of_the_lab_before_this_one_is_refused(
    lab: Lab, build: FakeBuild, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    manifest = build.folder / "bench/runtimes.json"
    manifest.write_text(manifest.read_text().replace('"schema": 4', '"schema": 3'))
    for arguments in (("list",), ("run", "handoff", "--out", tmp_path / "out")):
        assert lab(*arguments, "--build", build.folder) == 1
        expect_one_line(capsys, "(schema: is not 4): run 'make lab'")


def test_show_finds_out_what_is_in_the_folder(
    lab: Lab, whole: WholeRun, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "other.json").write_text("{}")
    assert lab("show", tmp_path) == 1
    expect_one_line(capsys, f"no result in {tmp_path} (none of relic-kernels.jsonl, handoff.jsonl")
    shutil.copy(whole("waiting").path, tmp_path)
    shutil.copy(whole("handoff").path, tmp_path)
    assert lab("show", tmp_path) == 0
    output = capsys.readouterr().out
    assert output.index("handoff, quick: 3 rounds") < output.index("waiting, quick: 3 rounds")
    # One broken file among several: nothing is shown before all are read.
    (tmp_path / whole("waiting").path.name).write_text("{")
    assert lab("show", tmp_path) == 1
    expect_one_line(capsys, "is not a result file of this lab")


@pytest.mark.parametrize("name", [path.stem for path in PUBLISHED.glob("[!a]*.json")])
def test_files_of_older_labs_are_read(tmp_path: Path, name: str) -> None:
    experiment = experiment_of(name)
    kept = json.loads((PUBLISHED / f"{name}.json").read_text())
    path = tmp_path / f"{name}.json"
    since: dict[int, dict[str, Any]]
    since = {2: {"resumed": 0}, 3: {"beside": None}}  # what a schema has that older ones have not
    of_schema = []
    for schema in (1, 2, 3):
        more = {key: value for at in range(2, schema + 1) for key, value in since[at].items()}
        old = {key: value for key, value in kept.items() if key not in ("resumed", "beside")}
        path.write_text(json.dumps(old | more | {"schema": schema}))
        of_schema.append(load(tmp_path, experiment))
    assert of_schema[0] == of_schema[1] == of_schema[2]
    path.write_text(json.dumps(kept | {"schema": 4}))
    with pytest.raises(LabError, match="schema 4 is newer than this lab knows"):
        load(tmp_path, experiment)
    path.write_text(json.dumps({**kept, "rounds": "3"}))
    with pytest.raises(LabError, match="rounds: "):
        load(tmp_path, experiment)


@pytest.mark.parametrize("name", NAMES)
def test_every_page_is_whole_and_needs_nothing_else(pages: dict[str, str], name: str) -> None:
    text = pages[name]
    page = Page()
    page.feed(text)
    page.close()
    assert page.open == []
    assert page.count["svg"] == FIGURES.get(name)
    assert len(page.ids) == len(set(page.ids))
    assert page.references
    assert all(reference.removeprefix("#") in page.ids for reference in page.references)
    assert "script" not in page.count
    assert "@import" not in text
    assert "prefers-color-scheme: dark" in text


@pytest.mark.parametrize("name", NAMES)
def test_text_from_elsewhere_is_no_markup(whole_results: dict[str, Any], name: str) -> None:
    result = changed(whole_results[name], notes={"relic": ["<b>bold</b> [red]x[/red]"]})
    page = page_of(experiment_of(name), result)
    assert "<b>bold" not in page
    assert "&lt;b&gt;bold" in page
    assert "[red]x[/red]" in printed(name, result, 100)


def printed(name: str, result: Any, width: int) -> str:
    file = io.StringIO()
    print_result(Console(file=file, width=width), experiment_of(name), result)
    return file.getvalue()


@pytest.mark.parametrize("name", NAMES)
def test_no_cell_is_cut_at_the_width_of_a_pipe(whole_results: dict[str, Any], name: str) -> None:
    text = printed(name, whole_results[name], 100)
    assert "…" not in text
    assert all(len(line) <= 100 for line in text.splitlines())
