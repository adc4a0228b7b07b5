# SPDX-License-Identifier: Apache-2.0
"""The command: arguments in, files and a table out, one line where something is wrong."""

import json
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from finegrain_lab.experiments import EXPERIMENTS, experiment_of
from finegrain_lab.papers import PAPERS, Paper
from finegrain_lab.run import all as run_all
from finegrain_lab.run.allocators import Allocator
from finegrain_lab.run.engine import name_of_results
from finegrain_lab.run.engine import run as measure
from finegrain_lab.run.errors import LabError
from finegrain_lab.run.exclusive import alone
from finegrain_lab.run.experiment import Experiment, Request
from finegrain_lab.run.files import writable, write_whole
from finegrain_lab.run.runtimes import (
    Binding,
    Build,
    Cpus,
    PeerSettings,
    fingerprint,
    is_built,
    load_build,
)
from finegrain_lab.show import table
from finegrain_lab.show.errors import reading_out
from finegrain_lab.show.progress import reporter
from finegrain_lab.show.report import document
from finegrain_lab.show.report.answer import answer_lines, answer_of
from finegrain_lab.show.report.figure_files import write_figures
from finegrain_lab.show.report.many_cores import comparisons_of
from finegrain_lab.show.report.measured import load_measured
from finegrain_lab.show.result import Result, load, results_in
from finegrain_lab.show.terminal import print_result, table_of_all
from finegrain_lab.show.views import page_of

REPOSITORY = Path(__file__).resolve().parents[2]
# That of clang 19, or else of the compiler that was there: the Makefile's presets.
RELEASE, SYSTEM = REPOSITORY / "build/release", REPOSITORY / "build/system"
DEFAULT_BUILD = SYSTEM if is_built(SYSTEM) and not is_built(RELEASE) else RELEASE
PACKAGES = REPOSITORY / "build/package"
INTERRUPTED = 130  # what a shell expects of a command that Ctrl-C ended

app = typer.Typer(
    add_completion=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="Runs finegrain's experiments on this machine, and reports them.",
)

BuildOption = Annotated[Path, typer.Option("--build", help="build folder", show_default=False)]


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command, with these arguments or the process's, and returns its exit status."""
    try:
        status = app(arguments, prog_name="lab", standalone_mode=False)
    except LabError as error:
        return _complain(str(error), error.exit_code)
    except ModuleNotFoundError as error:  # the packages of `make demo` are not all
        return _complain(f"{error.name} is not installed in .venv: run 'make lab'", 1)
    except typer.TyperException as error:
        return _complain(" ".join(error.format_message().split()), error.exit_code)
    if status == INTERRUPTED:  # how typer tells of Ctrl-C
        return _complain("interrupted: a run goes on if it is started again", INTERRUPTED)
    return int(status or 0)


def _complain(message: str, status: int) -> int:
    print(f"lab: {message}", file=sys.stderr)
    return status


@app.callback(invoke_without_command=True)
def _command(context: typer.Context) -> None:
    if context.invoked_subcommand is None:
        raise LabError(
            "say list, run, show, report, compare or pack; `lab --help` explains them", 2
        )


@app.command("list")
def list_(build: BuildOption = DEFAULT_BUILD) -> None:
    """Shows the experiments, what of the papers they repeat, and the runtimes."""
    console = table.make_console()
    for experiment in EXPERIMENTS:
        modes = " ".join(f"--{mode}" for mode in experiment.modes)
        console.print(f"[bold]{experiment.name}[/bold]: {experiment.title}", highlight=False)
        for word, names in {"modes": [modes], **experiment.contents}.items():
            console.print(f"  {word + ':':<9}{' '.join(names)}", highlight=False, markup=False)
        console.print()
    for paper in PAPERS:
        console.print(_paper_table(paper))
    if is_built(build):
        console.print(_runtime_table(load_build(build)))
    else:
        console.print(f"runtimes: none is built in {build}: run 'make demo', or 'make lab' for all")


def _runtime_table(build: Build) -> Table:
    shown = Table("runtime", "status", "compiler", box=None, padding=(0, 2, 0, 0))
    for runtime in build.manifest.runtimes:
        status = "installed" if runtime.executable else f"not installed: {runtime.how_to_get}"
        shown.add_row(runtime.name, status, runtime.compiler)
    return shown


def _paper_table(paper: Paper) -> Table:
    shown = table.new_table(escape(paper.title), "")
    shown.add_column("shows")
    shown.add_column("answered by")
    for item in paper.items:
        shown.add_row(item.name, item.shows, escape(str(item.answer)))
    return shown


@app.command()
def run(
    experiment: Annotated[str, typer.Argument(help="one of `lab list`, or all")],
    quick: Annotated[bool, typer.Option("--quick", help="2 to 5 minutes (the default)")] = False,
    full: Annotated[
        bool, typer.Option("--full", help="until converged, some 20 minutes at most")
    ] = False,
    paper: Annotated[bool, typer.Option("--paper", help="a paper's own sizes")] = False,
    runtimes: Annotated[str | None, typer.Option(help="a,b,… beside the reference")] = None,
    cases: Annotated[str | None, typer.Option(help="a,b,… instead of all")] = None,
    cpus: Annotated[str | None, typer.Option(metavar="MAIN,ASSISTANT")] = None,
    out: Annotated[
        Path | None, typer.Option(help="folder, else one of its name in results")
    ] = None,
    peers: Annotated[
        PeerSettings | None, typer.Option(help="how the peers are set up (else tuned)")
    ] = None,
    allocator: Annotated[
        Allocator | None, typer.Option(help="whose malloc the programs call (else glibc's)")
    ] = None,
    numa_binding: Annotated[
        Binding | None, typer.Option(help="off: the system places the threads (else on)")
    ] = None,
    machine: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="the machine to simulate (else X-OpenMP's)"),
    ] = None,
    threads: Annotated[
        str | None, typer.Option(metavar="N,N,…", help="numbers of threads (else all powers of 2)")
    ] = None,
    strict: Annotated[
        bool, typer.Option("--strict", help="refuse where something else runs on its CPUs")
    ] = False,
    build: BuildOption = DEFAULT_BUILD,
) -> int:
    """Runs an experiment: prints its table, and writes its result file and its report.

    `all` runs every experiment into one folder, and goes on where it was ended.
    """
    mode = _mode(quick=quick, full=full, paper=paper)
    given = {
        "--runtimes": runtimes,
        "--cases": cases,
        "--peers": peers,
        "--allocator": allocator,
        "--numa-binding": numa_binding,
        "--machine": machine,
        "--threads": threads,
    }
    options = [option for option, value in given.items() if value is not None]
    asked_cpus, counts = _cpus(cpus), _counts(threads)
    if experiment == run_all.NAME:
        run_all.require_options(mode, options)
        loaded = load_build(build)
        wanted = run_all.Ledger(mode, asked_cpus, fingerprint(loaded), threads=counts)
        return _run_all(loaded, wanted, out, is_strict=strict)
    chosen = experiment_of(experiment)
    asked_mode = chosen.mode(mode)
    chosen.require_options(options)
    named = _names(runtimes, "--runtimes"), _names(cases, "--cases")
    request = Request(
        *(load_build(build), asked_mode, asked_cpus, *named, peers, allocator, numa_binding),
        machine=machine,
        threads=counts,
    )
    folder = out or Path("results") / chosen.name
    with alone(request.build):
        result, written = _measured(chosen, request, folder, is_strict=strict)
    console = table.make_console()
    print_result(console, chosen, result)
    for path in written:
        _tell_written(console, str(path))
    return 1 if result.failed else 0


def _run_all(build: Build, wanted: run_all.Ledger, out: Path | None, *, is_strict: bool) -> int:
    folder = out or Path("results") / name_of_results(build, wanted.cpus)
    console = table.make_console()

    def measure_one(experiment: Experiment) -> Result:
        request = run_all.request_of(experiment, build, wanted)
        return _measured(experiment, request, folder, is_strict=is_strict)[0]

    with alone(build), writable(folder):
        results, failed = run_all.run_all(
            EXPERIMENTS, folder, wanted, measure_one, load, partial(_tell, console)
        )
    console.print(table_of_all(results, failed))
    failures = [f"{name}: {it.told()}" for name, result in results.items() for it in result.failed]
    failures += [f"{name}: failed: {why}" for name, why in failed.items()]
    for line in [*failures, f"the report: ./lab report {folder}"]:
        _tell(console, line)
    return 1 if failures else 0


def _measured(
    experiment: Experiment, request: Request, folder: Path, *, is_strict: bool
) -> tuple[Result, list[Path]]:
    """Measures, and returns the result and the files that were written."""
    with reporter(Console(stderr=True)) as progress:
        path = measure(experiment, request, folder, progress, is_strict=is_strict)
    result = load(folder, experiment)
    page = folder / f"{experiment.name}.html"
    write_whole(page, page_of(experiment, result))
    return result, [path, page]


@app.command()
def show(folder: Annotated[Path, typer.Argument(metavar="DIR")]) -> int:
    """Prints the tables of the result files in a folder."""
    for experiment, result in results_in(folder).items():
        with reading_out(str(folder)):
            print_result(table.make_console(), experiment, result)
    return 0


@app.command()
def report(
    folders: Annotated[list[Path], typer.Argument(metavar="DIR…")],
    out: Annotated[Path | None, typer.Option(metavar="FILE", help="else DIR/report.html")] = None,
) -> int:
    """Writes one page of all results in these folders, a host each, and its figures as files.

    Prints the answer that the page begins with.
    """
    all_measured = load_measured(folders)
    path = out or folders[0] / "report.html"
    figures = path.parent / "figures"
    with writable(path.parent), reading_out(", ".join(str(folder) for folder in folders)):
        answers = [answer_of(measured) for measured in all_measured]
        many_cores = comparisons_of(all_measured)
        write_whole(path, document.render(all_measured, answers, many_cores))
        count = write_figures(figures, all_measured, answers, many_cores)
    console = table.make_console()
    for measured, answer in zip(all_measured, answers, strict=True):
        if len(all_measured) > 1:
            console.print(f"[bold]{escape(measured.name)}[/bold]")
        table.print_lines(console, answer_lines(answer))
    _tell_written(console, f"{path}, {path.stat().st_size / 1e6:.1f} MB")
    _tell_written(console, f"{figures}: {count} figures, each as SVG and CSV")
    return 0


@app.command("compare")
def compare_(
    before: Annotated[Path, typer.Argument(metavar="BEFORE")],
    after: Annotated[Path, typer.Argument(metavar="AFTER")],
    with_all: Annotated[bool, typer.Option("--all", help="the unchanged rows, too")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="all rows, for another program")] = False,
    limit: Annotated[
        str | None,
        typer.Option(
            "--fail-on-regression",
            metavar="N%",
            help="exit status 1 if a row of ours is surely slower by more",
        ),
    ] = None,
) -> int:
    """Shows what changed between the results in two folders, and how sure that is."""
    # SciPy, of which only this command needs so much, is not among the packages of `make demo`.
    from finegrain_lab.show.compare import compare, to_json
    from finegrain_lab.show.compare_table import print_comparison, regression_lines

    share = None if limit is None else _share(limit)
    with reading_out(f"{before} and {after}"):
        found = compare(before, after)
        slower = [] if share is None else found.regressions(share)
        if as_json:
            print(json.dumps(to_json(found), indent=1))
        else:
            console = table.make_console()
            print_comparison(console, found, (str(before), str(after)), with_all=with_all)
            if share is not None:
                table.print_lines(console, regression_lines(slower, share))
    return 1 if slower else 0


@app.command("pack")
def pack_(
    out: Annotated[Path, typer.Option(metavar="DIR", help="folder of the archive")] = PACKAGES,
    build: BuildOption = DEFAULT_BUILD,
) -> int:
    """Writes one archive that measures on machines without root, compilers and network."""
    from finegrain_lab.pack import pack

    wheels = sorted(PACKAGES.glob("finegrain-*.whl"), key=lambda path: path.stat().st_mtime)
    archive = pack(load_build(build), REPOSITORY, out, wheels[-1] if wheels else None)
    console = table.make_console()
    if not wheels:
        _tell(console, f"without finegrain-omp: no wheel in {PACKAGES}, which 'make wheel' makes")
    _tell_written(console, f"{archive}, {archive.stat().st_size / 2**20:.1f} MiB")
    return 0


def _tell_written(console: Console, what: str) -> None:
    _tell(console, f"wrote {what}")


def _tell(console: Console, what: str) -> None:
    console.print(what, highlight=False, markup=False, soft_wrap=True)


def _mode(**asked: bool) -> str:
    names = [name for name, wanted in asked.items() if wanted]
    if len(names) > 1:
        raise LabError(f"--{' and --'.join(names)} exclude each other", 2)
    return names[0] if names else "quick"


def _names(text: str | None, option: str) -> list[str] | None:
    if text is None:
        return None
    names = [name.strip() for name in text.split(",")]
    if not all(names):
        raise LabError(f"{option} wants names with commas between them, not '{text}'", 2)
    return names


def _share(text: str) -> float:
    number = text.removesuffix("%").strip()
    if not number.replace(".", "", 1).isdecimal():
        raise LabError(f"--fail-on-regression wants a share like 5%, not '{text}'", 2)
    return float(number) / 100


def _counts(text: str | None) -> list[int] | None:
    if text is None:
        return None
    parts = text.split(",")
    if not all(part.strip().isdecimal() and int(part) > 0 for part in parts):
        raise LabError(f"--threads wants numbers with commas between them, not '{text}'", 2)
    return [int(part) for part in parts]


def _cpus(text: str | None) -> Cpus | None:
    if text is None:
        return None
    parts = text.split(",")
    if len(parts) != 2 or not all(part.strip().isdecimal() for part in parts):
        raise LabError(f"--cpus wants two CPU numbers, MAIN,ASSISTANT, not '{text}'", 2)
    return int(parts[0]), int(parts[1])
