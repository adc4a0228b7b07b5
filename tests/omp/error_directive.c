// The error directive at execution: a warning goes on, an error ends the program.
/* SPDX-License-Identifier: Apache-2.0 */
#include <sys/wait.h>

#include "check.h"

static char said[1024];  // by the last child

static int status_of(int fails) {
  int ends[2];
  if (pipe(ends) != 0) return -1;
  fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    dup2(ends[1], STDERR_FILENO);
#pragma omp error at(execution) severity(warning) message("only that")
    if (fails) {
#pragma omp error at(execution) severity(fatal) message("the end")
    }
    _exit(0);
  }
  close(ends[1]);
  size_t bytes = 0;
  for (ssize_t part = 1; part > 0; bytes += (size_t)part) {
    part = read(ends[0], said + bytes, sizeof said - 1 - bytes);
    if (part < 0) break;
  }
  said[bytes] = 0;
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  return status;
}

int main(void) {
  CHECK_EQUAL(0, status_of(0));
  CHECK(strstr(said, "only that") != NULL);
  CHECK(status_of(1) != 0);
  CHECK(strstr(said, "the end") != NULL);
#ifndef __clang__
  CHECK(strstr(said, "libgomp: error directive encountered: only that\n") != NULL);
  CHECK(strstr(said, "libgomp: fatal error: error directive encountered: the end") != NULL);
#endif
  return ok();
}
