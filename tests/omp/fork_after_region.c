// fork after a region: the child, which has none of the team's threads, opens regions with tasks of
// its own; so does the parent meanwhile. LLVM's runtime can do this; gcc's hangs in the child.
/* SPDX-License-Identifier: Apache-2.0 */
#include <sys/wait.h>

#include "check.h"

static int tasks(void) {
  int done = 0;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 100; ++i) {
#pragma omp task shared(done)
    add(&done, 1);
  }
  return done;
}

int main(void) {
  CHECK_EQUAL(100, tasks());
  for (int round = 0; round < 3; ++round) {
    const pid_t child = fork();
    if (child == 0) {
      alarm(30);  // a child that hangs ends, and fails the parent's check
      CHECK_EQUAL(100, tasks());
      CHECK_EQUAL(100, tasks());
      _exit(7);
    }
    CHECK_EQUAL(100, tasks());
    int status = 0;
    CHECK_EQUAL(child, waitpid(child, &status, 0));
    CHECK(WIFEXITED(status));
    CHECK_EQUAL(7, WEXITSTATUS(status));
  }
  return ok();
}
