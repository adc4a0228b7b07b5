# SPDX-License-Identifier: Apache-2.0
"""gcc's tests of libgomp as a format of lit's, which runs it in Debian's Python."""

import os
import re
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import lit.formats
import lit.Test
import lit.util

from .dejagnu import NotHere, read

LANGUAGES = {
    ".c": "c",
    ".C": "c++",
    **dict.fromkeys((".f", ".F", ".f90", ".F90", ".f03", ".f95"), "f"),
}
# Folders whose C programs are C++ ones, too.
BOTH = "libgomp.c-c++-common"


def _asked_for() -> dict[str, str]:
    """Variables for the programs, which the command passes as LLVM's configuration takes them."""
    asked = os.environ.get("CHECK_OPENMP_ENV", "")
    return dict(each.split("=", 1) for each in asked.split())


class GccTests(lit.formats.FileBasedTest):  # type: ignore[misc]
    """Compiles a program by gcc, runs it by `launcher`, or as it is without one."""

    def __init__(self, compilers: Mapping[str, str], launcher: str) -> None:
        self._compilers = compilers
        self._launcher = [launcher] if launcher else []

    def execute(self, test: Any, lit_config: Any) -> Any:  # lit's name
        """The outcome and the output of one test."""
        source = Path(test.getSourcePath())
        languages = ["c", "c++"] if source.parent.name == BOTH else [LANGUAGES[source.suffix]]
        found = lit.Test.UNSUPPORTED, "in no language"
        for language in languages:
            try:
                code, output = self._run(test, source, language, lit_config.maxIndividualTestTime)
            except NotHere as why:
                code, output = lit.Test.UNSUPPORTED, str(why)
            except lit.util.ExecuteCommandTimeoutException as slow:
                code, output = lit.Test.TIMEOUT, f"{slow.out}{slow.err}"
            except subprocess.TimeoutExpired:
                code, output = lit.Test.TIMEOUT, "the compiler"
            if code not in (lit.Test.PASS, lit.Test.UNSUPPORTED):
                return code, output
            if code is lit.Test.PASS or found[0] is not lit.Test.PASS:
                found = code, output
        return found

    def _run(self, test: Any, source: Path, language: str, seconds: int) -> tuple[Any, str]:
        wishes = read(source.read_text(errors="replace"), language)
        if not wishes.runs:
            raise NotHere("not to be run")
        folder = Path(f"{test.getExecPath()}.{language}")
        folder.mkdir(parents=True, exist_ok=True)
        program = folder / "program"
        compiled = subprocess.run(
            [
                *(self._compilers[language], "-fopenmp", "-w", *wishes.options),
                *(("-x", "c++") if language == "c++" else ()),
                *(str(source.parent / name) for name in (source.name, *wishes.more_sources)),
                *("-x", "none", "-o", str(program), "-lm"),
            ],
            cwd=folder, capture_output=True, text=True, check=False, timeout=seconds or None,
        )  # fmt: skip
        if compiled.returncode != 0:
            raise NotHere(f"does not compile: {compiled.stderr}")
        environment = test.config.environment | _asked_for() | wishes.environment
        out, err, status = lit.util.executeCommand(
            [*self._launcher, str(program)], cwd=str(folder), env=environment, timeout=seconds
        )
        program.unlink()
        is_right = (status != 0) == wishes.fails and re.search(wishes.output, out + err) is not None
        return (lit.Test.PASS if is_right else lit.Test.FAIL), f"status {status}\n{out}{err}"
