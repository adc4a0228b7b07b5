// Priorities are hints: with OMP_MAX_TASK_PRIORITY set, all tasks run, dependences come first.
/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

enum { kTasks = 100 };

int main(int argc, char** argv) {
  (void)argc;
  run_with("OMP_MAX_TASK_PRIORITY", "10", argv);
  CHECK_EQUAL(10, omp_get_max_task_priority());
  int done = 0, step = 0;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < kTasks; ++i) {
#pragma omp task priority(i % 12) shared(done)
    add(&done, 1);
    // Later in the chain, higher in priority.
#pragma omp task priority(i) depend(inout : step) shared(step)
    {
      CHECK_EQUAL(i, step);
      ++step;
    }
  }
  CHECK_EQUAL(kTasks, done);
  CHECK_EQUAL(kTasks, step);
  return ok();
}
