// Wide teams that end: by omp_pause_resource, and in a copy of the process, which has none of the
// threads. The next region, of another size, is whole. (GNU's runtime hangs in the copy.)
/* SPDX-License-Identifier: Apache-2.0 */
#include <sys/wait.h>

#include "check.h"
#include "many_cpus.h"

static void run(int size) {
  int members = 0, done = 0;
#pragma omp parallel num_threads(size) shared(members, done)
  {
    add(&members, 1);
#pragma omp barrier
    CHECK_EQUAL(size, value_of(&members));
#pragma omp task shared(done)
    add(&done, 1);
  }
  CHECK_EQUAL(size, done);
}

static void run_in_copy(int size) {
  const pid_t child = fork();
  if (child == 0) {
    alarm(60);  // a child that hangs ends, and fails the parent's check
    run(size);
    run(9);
    _exit(7);
  }
  run(size + 1);
  int status = 0;
  CHECK_EQUAL(child, waitpid(child, &status, 0));
  CHECK(WIFEXITED(status));
  CHECK_EQUAL(7, WEXITSTATUS(status));
}

int main(int argc, char** argv) {
  (void)argc;
  run_with("OMP_WAIT_POLICY", "passive", argv);  // they sleep soon
  static const int sizes[] = {16, 64, 9, 2, 24};
  for (size_t s = 0; s < sizeof sizes / sizeof *sizes; ++s) {
    run(sizes[s]);
    CHECK_EQUAL(0, omp_pause_resource(omp_pause_soft, omp_get_initial_device()));
    run(sizes[s] + 3);
    run_in_copy(sizes[s]);
  }
  return ok();
}
