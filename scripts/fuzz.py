# SPDX-License-Identifier: Apache-2.0
"""Runs the fuzz targets one after another, each for some time, and prints the results.

What libFuzzer adds to a corpus stays in the build folder; a find lies there in finds/.
"""

import argparse
import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[1]
SEEDS = REPOSITORY / "tests/fuzz/corpus"
BUILD = REPOSITORY / "build/fuzz"
# For one input: seconds before it counts as a hang, MiB before it counts as unbounded.
LIMITS = ["-timeout=10", "-rss_limit_mb=1024", "-max_len=4096"]
PREFIX = "fuzz_"


@dataclass(frozen=True)
class Outcome:
    """The outcome of a target's run."""

    executions: str
    features: str
    corpus: str
    result: str


def run(program: Path, seconds: int) -> Outcome:
    """Fuzzes with one program."""
    name = program.name.removeprefix(PREFIX)
    kept = BUILD / "corpus" / name
    finds = BUILD / "finds"
    for folder in (kept, finds):
        folder.mkdir(parents=True, exist_ok=True)
    command = [program, kept, SEEDS / name, f"-max_total_time={seconds}", *LIMITS]
    memory = Path("/dev/shm")  # fake trees are many small files
    environment = os.environ | ({"TMPDIR": str(memory)} if memory.is_dir() else {})
    ended = subprocess.run(
        [*map(str, command), "-print_final_stats=1", f"-artifact_prefix={finds}/{name}-"],
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        errors="replace",
        check=False,
    )
    log = BUILD / f"{name}.log"
    log.write_text(ended.stderr)
    progress = re.findall(r"ft: (\d+) corp: (\d+)", ended.stderr)
    features, corpus = progress[-1] if progress else ("", "")
    executions = re.findall(r"number_of_executed_units: (\d+)", ended.stderr)
    result = "ok" if ended.returncode == 0 else f"FOUND: {log.relative_to(REPOSITORY)}"
    return Outcome(executions[-1] if executions else "", features, corpus, result)


def main() -> int:
    """Returns 1 if anything was found."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=int, default=60, help="for each target")
    parser.add_argument("targets", nargs="*", help="else all")
    asked = parser.parse_args()
    names = asked.targets or sorted(folder.name for folder in SEEDS.iterdir())
    row = "{:<18} {:>12} {:>9} {:>7}  {}"
    print(row.format("target", "executions", "features", "corpus", "result"))
    outcomes = []
    for name in names:
        program = BUILD / "tests/fuzz" / f"{PREFIX}{name}"
        if not program.exists():
            sys.exit(f"fuzz: there is no target '{name}'")
        outcome = run(program, asked.seconds)
        outcomes.append(outcome)
        print(row.format(name, *vars(outcome).values()), flush=True)
    return 0 if all(outcome.result == "ok" for outcome in outcomes) else 1


if __name__ == "__main__":
    sys.exit(main())
