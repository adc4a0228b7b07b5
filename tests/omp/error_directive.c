// The error directive at execution: a warning goes on, an error ends the program.
/* SPDX-License-Identifier: Apache-2.0 */
#include <sys/wait.h>

#include "check.h"

static int status_of(int fails) {
  fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    if (!freopen("/dev/null", "w", stderr)) _exit(2);
#pragma omp error at(execution) severity(warning) message("only that")
    if (fails) {
#pragma omp error at(execution) severity(fatal) message("the end")
    }
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return status;
}

int main(void) {
  CHECK_EQUAL(0, status_of(0));
  CHECK(status_of(1) != 0);
  return ok();
}
