# SPDX-License-Identifier: Apache-2.0
"""What the tests of finegrain-omp share: a library in place of the drop-in, a program, the command.

FINEGRAIN_BUILD_DIR names the build folder, for instance build/release.
"""

import os
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

POLICIES = (
    *("private_deque", "xqueue_static", "xqueue_wait", "xqueue_nowait", "xqueue_nowait:2"),
    *("combining", "chase_lev"),
)
REFUSED = 125  # by the command itself

LIBRARY = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
__attribute__((constructor)) static void say(void) {
  const char* verbose = getenv("FINEGRAIN_OMP_VERBOSE");
  const char* silent = getenv("TEST_SILENT");
  if (verbose != NULL && strcmp(verbose, "1") == 0 && silent == NULL) {
    fprintf(stderr, "finegrain-omp: runtime stub, policy %s\n", getenv("FINEGRAIN_POLICY"));
  }
}
"""

# Does what the first argument says; tells what it got.
PROGRAM = r"""
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static void note(const char* word) {
  FILE* log = fopen(getenv("TEST_LOG"), "a");
  fputs(word, log);
  fclose(log);
}
static int runs(void) {  // so far, this one included
  FILE* log = fopen(getenv("TEST_LOG"), "r");
  fseek(log, 0, SEEK_END);
  const int count = (int)ftell(log);
  fclose(log);
  return count;
}
int main(int count, char** arguments) {
  const char* preload = getenv("LD_PRELOAD");
  const int served = preload != NULL && strstr(preload, "libfinegrain-omp.so") != NULL;
  const char* what = count > 1 ? arguments[1] : "";
  const int number = count > 2 ? atoi(arguments[2]) : 0;
  if (getenv("TEST_LOG") != NULL) {
    note(served ? "w" : "-");
  }
  if (strcmp(what, "show") == 0) {
    const char* policy = getenv("FINEGRAIN_POLICY");
    const char* verbose = getenv("FINEGRAIN_OMP_VERBOSE");
    printf("name %s\npreload %s\npolicy %s\nverbose %s\n", arguments[0], preload ? preload : "",
           policy ? policy : "", verbose ? verbose : "");
    for (int i = 2; i < count; ++i) {
      printf("argument %s\n", arguments[i]);
    }
  } else if (strcmp(what, "status") == 0) {
    return number;
  } else if (strcmp(what, "die") == 0) {
    kill(getpid(), number);
  } else if (strcmp(what, "echo") == 0) {
    char line[64];
    fputs(fgets(line, sizeof line, stdin) != NULL ? line : "no input\n", stdout);
  } else if (strcmp(what, "needs-input") == 0) {
    return getchar() == EOF ? 3 : 0;
  } else if (strcmp(what, "served-ms") == 0) {  // this long with the drop-in, 30 ms without
    usleep(served ? number * 1000 : 30000);
  } else if (strcmp(what, "undecided") == 0) {  // each other pair the other way round
    const int pair = (runs() - 1) / 2;
    usleep(served == (pair % 2 == 0) ? 2000 : 20000);
  } else if (strcmp(what, "fail-at") == 0) {
    if (runs() == number) {
      fputs("this is why\n", stderr);
      return 9;
    }
  } else if (strcmp(what, "die-at") == 0) {
    if (runs() == number) {
      kill(getpid(), SIGKILL);
    }
  } else if (strcmp(what, "sleep-at") == 0) {
    if (runs() == number) {
      if (fork() == 0) {
        signal(SIGTERM, SIG_IGN);
        pause();
      }
      sleep(60);
    }
  }
  return 0;
}
"""


@dataclass(frozen=True)
class Tools:
    """The command, what it preloads, and a program for it; in a folder."""

    folder: Path
    command: Path
    library: Path
    program: Path


def command_path() -> Path:
    folder = os.environ.get("FINEGRAIN_BUILD_DIR")
    if not folder:
        pytest.fail("FINEGRAIN_BUILD_DIR names no build folder", pytrace=False)
    return Path(folder) / "tools" / "finegrain-omp"


def compiled(output: Path, source: str, *options: str, compiler: str = "gcc") -> Path:
    file = output.with_name(output.name + ".c")
    file.write_text(source)
    subprocess.run([compiler, file, "-o", output, *options], check=True, timeout=60)
    return output


def make_tools(folder: Path) -> Tools:
    """Compiles what the command is given, into that folder."""
    name = "libfinegrain-omp.so.0"
    library = compiled(folder / name, LIBRARY, "-shared", "-fPIC", f"-Wl,-soname,{name}")
    program = compiled(folder / "program", PROGRAM, "-Wl,--no-as-needed", "-lgomp")
    return Tools(folder, command_path(), library, program)


def run(
    tools: Tools,
    *arguments: str | Path,
    library: Path | None = None,
    stdin: str = "",
    **variables: str,
) -> subprocess.CompletedProcess[str]:
    """Runs the command with our library, and these variables more."""
    return start((*options_of(tools, library), *map(str, arguments)), variables, stdin)


def options_of(tools: Tools, library: Path | None = None) -> tuple[str, str, str]:
    return str(tools.command), "--library", str(library or tools.library)


def start(
    command: Sequence[str], variables: Mapping[str, str], stdin: str = ""
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
        input=stdin,
        env=environment(variables),
    )


def environment(variables: Mapping[str, str]) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("FINEGRAIN_")}
    kept.pop("LD_PRELOAD", None)
    return kept | dict(variables)


def shown(done: subprocess.CompletedProcess[str]) -> list[str]:
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def refused(done: subprocess.CompletedProcess[str], status: int, words: str) -> None:
    """One line that says why, and the program did not run."""
    assert done.stdout == ""
    assert done.stderr.startswith("finegrain-omp: ")
    assert done.stderr.count("\n") == 1
    assert words in done.stderr
    assert done.returncode == status
