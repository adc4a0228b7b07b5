// OMP_THREAD_LIMIT gives smaller teams than requested: tasks are distributed to the actual threads.
/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

enum { kTasks = 50 };

int main(int argc, char** argv) {
  (void)argc;
  run_with("OMP_THREAD_LIMIT", "3", argv);
  int done = 0, members = 0;
  for (int round = 0; round < 5; ++round) {
#pragma omp parallel num_threads(2 + round)
    {
      CHECK(omp_get_num_threads() <= 3);
      add(&members, 1);
      for (int i = 0; i < kTasks; ++i) {
#pragma omp task shared(done)
        add(&done, 1);
      }
    }
  }
  CHECK_EQUAL(members * kTasks, done);
  return ok();
}
