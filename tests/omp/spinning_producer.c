// One thread makes tasks and then spins in user code until others have run them: tasks must be
// available to others without a scheduling point of their maker.
/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

enum { kTasks = 8 };

int main(void) {
  for (int round = 0; round < rounds(20); ++round) {
    int done = 0;
#pragma omp parallel shared(done)
#pragma omp single
    {
      const int maker = omp_get_thread_num();
      const int alone = omp_get_num_threads() == 1;
      for (int i = 0; i < kTasks; ++i) {
#pragma omp task shared(done) firstprivate(maker, alone)
        {
          if (!alone) CHECK(omp_get_thread_num() != maker);
          add(&done, 1);
        }
      }
      while (!alone && value_of(&done) != kTasks) sched_yield();
    }
    CHECK_EQUAL(kTasks, done);
  }
  return ok();
}
