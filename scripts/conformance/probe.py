# SPDX-License-Identifier: Apache-2.0
"""Checks that the drop-in is active: without this, a library that does nothing would pass."""

import os
import re
import subprocess
from pathlib import Path

from .errors import ConformanceError
from .suite import Dropin, write_launcher
from .toolchain import GCC_COMPILERS, Runtime, Toolchain

_PROGRAM = r"""
#include <stdio.h>
int main(void) {
  int sum = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
  for (int i = 0; i < 100; ++i) {
#pragma omp task shared(sum) firstprivate(i)
    {
#pragma omp atomic
      sum += i;
    }
  }
  printf("%d\n", sum);
  return 0;
}
"""
_ANSWER = "4950\n"
# At its end, with how many tasks.
_TOOK_OVER = re.compile(r"^finegrain-omp: took over .*\b[1-9]\d* tasks", re.MULTILINE)
_RUNTIME = re.compile(r"^finegrain-omp: .*\bruntime (lib\S+)", re.MULTILINE)
_SAYS = "finegrain-omp: "
_TIMEOUT_S = 60


def probe(folder: Path, tools: Toolchain, runtime: Runtime, dropin: Dropin) -> str:
    """Returns the drop-in's line about itself in a program with tasks; fails if it is passive."""
    folder.mkdir(parents=True, exist_ok=True)
    source, program = folder / "probe.c", folder / "probe"
    source.write_text(_PROGRAM)
    compiler = tools.clang if runtime.is_llvms else GCC_COMPILERS["c"]
    subprocess.run(
        [compiler, runtime.openmp_flag, f"-L{runtime.folder}", source, "-o", program], check=True
    )
    command = [str(write_launcher(folder / "with-dropin", dropin)), str(program)]
    environment = os.environ | {
        "FINEGRAIN_OMP_VERBOSE": "1",
        "FINEGRAIN_OMP": "",
        "LD_LIBRARY_PATH": str(runtime.folder),
    }
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, check=False, env=environment,
            timeout=_TIMEOUT_S,
        )  # fmt: skip
    except subprocess.TimeoutExpired as error:
        raise ConformanceError(f"a program of 100 tasks hangs with {dropin.library}") from error
    if _TOOK_OVER.search(done.stderr) is None:
        raise ConformanceError(
            f"{dropin.library} does not say that it took over a program with tasks: "
            f"{' '.join(done.stderr.split()) or 'it says nothing'}"
        )
    found = _RUNTIME.search(done.stderr)
    if found is not None and not found[1].startswith(runtime.soname.split(".")[0]):
        raise ConformanceError(
            f"{dropin.library} found the runtime {found[1]}, not {runtime.soname}"
        )
    if done.returncode != 0 or done.stdout != _ANSWER:
        raise ConformanceError(
            f"a program of 100 tasks goes wrong with {dropin.library}: status {done.returncode}"
        )
    return "; ".join(line.removeprefix(_SAYS) for line in done.stderr.strip().splitlines())
