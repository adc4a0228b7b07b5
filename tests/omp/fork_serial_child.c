// fork after a region, with a child that needs no second thread: tasks outside any region, and in a
// region of one thread.
/* SPDX-License-Identifier: Apache-2.0 */
#include <sys/wait.h>

#include "check.h"

static int tasks(int threads) {
  int done = 0;
#pragma omp parallel num_threads(threads)
#pragma omp single
  for (int i = 0; i < 100; ++i) {
#pragma omp task shared(done)
    add(&done, 1);
  }
  return done;
}

int main(void) {
  CHECK_EQUAL(100, tasks(omp_get_max_threads()));
  const pid_t child = fork();
  if (child == 0) {
    alarm(30);  // a child that hangs ends, and fails the parent's check
    int outside = 0;
    for (int i = 0; i < 10; ++i) {
#pragma omp task shared(outside)
      add(&outside, 1);
    }
#pragma omp taskwait
    CHECK_EQUAL(10, outside);
    CHECK_EQUAL(100, tasks(1));
    _exit(7);
  }
  int status = 0;
  CHECK_EQUAL(child, waitpid(child, &status, 0));
  CHECK(WIFEXITED(status));
  CHECK_EQUAL(7, WEXITSTATUS(status));
  CHECK_EQUAL(100, tasks(omp_get_max_threads()));
  return ok();
}
