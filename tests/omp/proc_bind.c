// Threads bound to places (OMP_PROC_BIND): tasks from one thread reach all threads, whatever their
// CPUs.
/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

enum { kTasks = 200 };

int main(int argc, char** argv) {
  (void)argc;
  run_with("OMP_PROC_BIND", "spread", argv);
  CHECK_EQUAL(omp_proc_bind_spread, omp_get_proc_bind());
  int done = 0;
  for (int round = 0; round < 5; ++round) {
#pragma omp parallel
    {
#pragma omp single nowait
      for (int i = 0; i < kTasks; ++i) {
#pragma omp task shared(done)
        add(&done, 1);
      }
    }
    CHECK_EQUAL((round + 1) * kTasks, done);
  }
  return ok();
}
