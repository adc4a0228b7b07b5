// fork before the first region: parent and child each start a runtime's threads of their own.
/* SPDX-License-Identifier: Apache-2.0 */
#include <sys/wait.h>

#include "check.h"

static int tasks(void) {
  int done = 0;
#pragma omp parallel
  for (int i = 0; i < 50; ++i) {
#pragma omp task shared(done)
    add(&done, 1);
  }
  return done;
}

int main(void) {
  const pid_t child = fork();
  if (child == 0) alarm(30);  // a child that hangs ends, and fails the parent's check
  CHECK_EQUAL(50 * omp_get_max_threads(), tasks());
  if (child == 0) _exit(7);
  int status = 0;
  CHECK_EQUAL(child, waitpid(child, &status, 0));
  CHECK(WIFEXITED(status));
  CHECK_EQUAL(7, WEXITSTATUS(status));
  return ok();
}
