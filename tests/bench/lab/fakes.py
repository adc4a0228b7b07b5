# SPDX-License-Identifier: Apache-2.0
"""A build folder of shell scripts that keep to the process protocol (bench/README.md)."""

import json
from pathlib import Path

from fakes_micro import DROP_IN, DROP_IN_ALL, KEYS, write_micro_programs, write_program

KERNEL_NS = {
    "bc": 2200,
    "bfs": 1000,
    "cc": 800,
    "pr": 8600,
    "sssp": 12800,
    "tc": 2600,
    "json": 2200,
}
SPEEDUP_PERCENT = {
    "serial": 100,
    "relic": 160,
    "relic-paper": 140,
    "gnu-openmp": 80,
    "llvm-openmp": 110,
    "intel-openmp": 115,
    "x-openmp-static": 80,
    "x-openmp-wait": 70,
    "x-openmp-nowait": 75,
    "onetbb": 95,
    "taskflow": 50,
}
# Of the runtimes that do not have all.
ALL_PROGRAMS = ["relic-kernels", "periodic", "loops", "graph", "pipeline", "spawn"]
OPENMP_PROGRAMS = [it for it in ALL_PROGRAMS if it != "pipeline"]
PROGRAMS = {
    **{
        name: ["relic-kernels"]
        for name in SPEEDUP_PERCENT
        if name.startswith(("relic-paper", "x-openmp"))
    },
    "relic": ["relic-kernels", "periodic", "loops", "graph", "pipeline"],
    **{f"{it}-openmp": OPENMP_PROGRAMS for it in ("gnu", "llvm", "intel")},
}
FLOOR_NS = 150
MISSING = "opencilk"
HOW_TO_GET = "no registry has it: build it from its own site"

# Wrong in one way each; see bench/README.md for the exit statuses.
WRONG_RESULT = 'echo "wrong result of $case" >&2; exit 3'
CRASH = 'echo "first line" >&2; echo "boom" >&2; exit 1'
KILLED = "kill -SEGV $$"
GARBAGE = "echo no json; exit 0"
SLEEP = "exec sleep 60"

_SAMPLE = """#!/bin/sh
echo "{name} $* places=$OMP_PLACES preload=$LD_PRELOAD stray=$OMP_STRAY" >>"{log}"
while [ $# -gt 0 ]; do
  case "$1" in
    --case) case=$2 ;;
    --iterations) iterations=$2 ;;
    --cpus) cpus=$2 ;;
  esac
  shift 2
done
case "$case" in
  {only}*) {trouble} ;;
esac
case "$case" in
  {kernel_cases}
  spin-*us) length=${{case#spin-}}; serial=$((2000 * ${{length%us}})) ;;
  spin-*ns) length=${{case#spin-}}; serial=$((2 * ${{length%ns}})) ;;
  *) echo "no case $case" >&2; exit 2 ;;
esac
ns=$((serial * 100 / {percent})).$(($$ % 10))
printf '{{"runtime": "{name}", "case": "%s", ' "$case"
printf '"iterations": %s, "ns": %s, ' "$iterations" "$ns"
printf '"offloaded_share": {share}, "main_cpu": %s, "task_cpus": [%s], ' "${{cpus%,*}}" "{task_cpu}"
printf '"version": "{name} 1.0", "note": ""}}\\n'
"""


class FakeBuild:
    """Writes the programs and runtimes.json into `folder`; every start of one is logged.

    `trouble` maps a runtime to a shell command that it runs instead of giving a sample of a case
    whose name begins with `only`.
    """

    def __init__(self, folder: Path, trouble: dict[str, str] | None = None, only: str = "") -> None:
        self.folder = folder
        self.log = folder / "log"
        programs = folder / "bench"
        programs.mkdir(parents=True)
        runtimes: list[dict[str, object]] = []
        for name, percent in SPEEDUP_PERCENT.items():
            serial = name == "serial"
            script = _SAMPLE.format(
                name=name,
                log=self.log,
                only=only,
                trouble=(trouble or {}).get(name, ":"),
                kernel_cases="\n  ".join(f"{k}) serial={v} ;;" for k, v in KERNEL_NS.items()),
                percent=percent,
                share=0 if serial else 0.75,
                task_cpu="${cpus%,*}" if serial else "${cpus#*,}",
            )
            write_program(programs / f"relic-kernels-{name}", script)
            note = "built with assertions" if name == "llvm-openmp" else ""
            runtimes.append(
                {
                    "name": name,
                    "programs": PROGRAMS.get(name, ALL_PROGRAMS),
                    "executable": f"bench/relic-kernels-{name}",
                    "compiler": "Fake 1",
                    "flags": "-O3",
                    "note": note,
                }
            )
        by_hand = "bench/pipeline/pipeline-two-threads"
        runtimes.insert(3, {"name": "two-threads", "programs": ["pipeline"], "executable": by_hand})
        runtimes.append(
            {
                "name": MISSING,
                "programs": ALL_PROGRAMS,
                "executable": None,
                "how_to_get": HOW_TO_GET,
                "note": "",
            }
        )
        troubled_floor = (trouble or {}).get("floor", ":")
        floor = ", ".join([str(FLOOR_NS)] * 5)
        write_program(
            programs / "floor",
            f'#!/bin/sh\necho "floor $*" >>"{self.log}"\n{troubled_floor}\n'
            f'echo \'{{"floor_ns": [{floor}], "cpus": [0, 1]}}\'\n',
        )
        write_program(programs / "calibrate", "#!/bin/sh\necho '{\"spin_steps_per_us\": 1234.5}'\n")
        self._programs = programs
        self.tools = folder / "tools"
        write_micro_programs(programs, self.tools, self.log)
        manifest = {
            "schema": 4,
            "compiler": "Fake 1",
            "flags": "-O3 -DNDEBUG",
            "build_type": "Release",
            "floor": "bench/floor",
            "calibrate": "bench/calibrate",
            **{key: f"bench/{name}" for key, name in KEYS.items()},
            "drop_in": f"bench/{DROP_IN}",
            "drop_in_all": f"bench/{DROP_IN_ALL}",
            "runtimes": runtimes,
        }
        (programs / "runtimes.json").write_text(json.dumps(manifest))

    def starts(self) -> list[str]:
        """Returns the logged lines: name, arguments, some environment variables."""
        return self.log.read_text().splitlines() if self.log.exists() else []

    def trouble_in(self, program: str, commands: str) -> None:
        """Lets a program of bench/programs run these commands once it knows its arguments."""
        (self._programs / f"{program}.trouble").write_text(commands + "\n")

    def say(self, file: str, text: str) -> None:
        """Lets `handoff --list` (`list`) or finegrain-info (`info`) say this."""
        (self._programs / file).write_text(text)

    def trouble_in_valgrind(self, commands: str) -> None:
        """Lets the fake valgrind run these commands before it writes its file."""
        (self.tools / "valgrind.trouble").write_text(commands + "\n")
