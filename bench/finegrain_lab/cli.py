"""The command: arguments in, files and a table out, one line where something is wrong."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from finegrain_lab import relic_kernels, table
from finegrain_lab.errors import LabError
from finegrain_lab.host import choose_cpus, describe_host, with_load_after
from finegrain_lab.modes import MODES, Mode
from finegrain_lab.progress import reporter
from finegrain_lab.report import save_report
from finegrain_lab.results import Result, load_result, save_result, writable
from finegrain_lab.runtimes import Cpus, PeerSettings, load_build

REPOSITORY = Path(__file__).resolve().parents[2]
DEFAULT_BUILD = REPOSITORY / "build" / "release"
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
    except typer.TyperException as error:
        return _complain(" ".join(error.format_message().split()), error.exit_code)
    if status == INTERRUPTED:  # how typer tells of Ctrl-C
        return _complain("interrupted: the result files are as they were", INTERRUPTED)
    return int(status or 0)


def _complain(message: str, status: int) -> int:
    print(f"lab: {message}", file=sys.stderr)
    return status


@app.callback(invoke_without_command=True)
def _command(context: typer.Context) -> None:
    if context.invoked_subcommand is None:
        raise LabError("say list, run or report; `lab --help` explains them", 2)


@app.command("list")
def list_(build: BuildOption = DEFAULT_BUILD) -> None:
    """Shows the experiments, their cases and the runtimes."""
    console = table.make_console()
    runtimes = Table("runtime", "status", "compiler", box=None, padding=(0, 2, 0, 0))
    for runtime in load_build(build).manifest.runtimes:
        status = "installed" if runtime.executable else f"not installed: {runtime.how_to_get}"
        runtimes.add_row(runtime.name, status, runtime.compiler)
    console.print(f"[bold]{relic_kernels.EXPERIMENT}[/bold]: {relic_kernels.TITLE}")
    console.print(f"  kernels: {' '.join(relic_kernels.KERNELS)}", highlight=False)
    console.print(f"  spin:    {' '.join(relic_kernels.SPIN_CASES)}", highlight=False)
    console.print()
    console.print(runtimes)


@app.command()
def run(
    experiment: Annotated[str, typer.Argument(help="one of `lab list`")],
    quick: Annotated[bool, typer.Option("--quick", help="2 to 3 minutes (the default)")] = False,
    full: Annotated[bool, typer.Option("--full", help="until converged, 20 minutes")] = False,
    paper: Annotated[bool, typer.Option("--paper", help="the paper's sizes, 30 rounds")] = False,
    runtimes: Annotated[str | None, typer.Option(help="a,b,… beside serial")] = None,
    cases: Annotated[str | None, typer.Option(help="a,b,… instead of all")] = None,
    cpus: Annotated[str | None, typer.Option(metavar="MAIN,ASSISTANT")] = None,
    out: Annotated[Path | None, typer.Option(help="folder, else results/EXPERIMENT")] = None,
    peers: Annotated[PeerSettings, typer.Option(help="how the peers are set up")] = "tuned",
    build: BuildOption = DEFAULT_BUILD,
) -> int:
    """Runs an experiment: prints its table, and writes its result file and its report."""
    require_experiment(experiment)
    mode = _mode(quick=quick, full=full, paper=paper)
    chosen_cases = _cases(cases)
    chosen_cpus, placement = choose_cpus(_cpus(cpus))
    loaded = load_build(build)
    chosen_runtimes = loaded.choose(_names(runtimes, "--runtimes"))
    plan = relic_kernels.Plan(loaded, chosen_runtimes, chosen_cases, chosen_cpus, mode, peers)
    folder = out or Path("results") / experiment
    with writable(folder):
        result = _measure(plan, placement)
        written = [save_result(folder, result), save_report(folder, result)]
    _show(result, written)
    return 1 if result.failed else 0


def _measure(plan: relic_kernels.Plan, placement: str) -> Result:
    host = describe_host(plan.cpus, placement, plan.build.manifest, REPOSITORY)
    with reporter(Console(stderr=True)) as progress:
        measured = relic_kernels.measure(plan, progress)
    return relic_kernels.to_result(plan, measured, with_load_after(host))


@app.command()
def report(folder: Annotated[Path, typer.Argument(metavar="DIR")]) -> int:
    """Prints the table of a result file, and writes its report again."""
    result = load_result(folder, relic_kernels.EXPERIMENT)
    _show(result, [save_report(folder, result)])
    return 0


def _show(result: Result, written: list[Path]) -> None:
    console = table.make_console()
    table.print_result(console, result)
    for path in written:
        console.print(f"wrote {path}", highlight=False, markup=False, soft_wrap=True)


def require_experiment(name: str) -> None:
    """Raises LabError unless there is an experiment of this name."""
    if name != relic_kernels.EXPERIMENT:
        raise LabError(f"there is no experiment '{name}'; known is {relic_kernels.EXPERIMENT}", 2)


def _mode(**asked: bool) -> Mode:
    names = [name for name, wanted in asked.items() if wanted]
    if len(names) > 1:
        raise LabError(f"--{' and --'.join(names)} exclude each other", 2)
    return MODES[names[0] if names else "quick"]


def _names(text: str | None, option: str) -> list[str] | None:
    if text is None:
        return None
    names = [name.strip() for name in text.split(",")]
    if not all(names):
        raise LabError(f"{option} wants names with commas between them, not '{text}'", 2)
    return names


def _cases(text: str | None) -> list[str]:
    names = _names(text, "--cases")
    for name in names or ():
        if name not in relic_kernels.CASES:
            known = ", ".join(relic_kernels.CASES)
            raise LabError(f"there is no case '{name}'; known are {known}", 2)
    return [case for case in relic_kernels.CASES if names is None or case in names]


def _cpus(text: str | None) -> Cpus | None:
    if text is None:
        return None
    parts = text.split(",")
    if len(parts) != 2 or not all(part.strip().isdecimal() for part in parts):
        raise LabError(f"--cpus wants two CPU numbers, MAIN,ASSISTANT, not '{text}'", 2)
    return int(parts[0]), int(parts[1])
