// taskyield with and without other tasks to run, in implicit and explicit tasks.
/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

enum { kTasks = 100 };

int main(void) {
  int done = 0;
#pragma omp parallel
  {
    const int me = omp_get_thread_num();
#pragma omp taskyield
    for (int i = 0; i < kTasks; ++i) {
#pragma omp task shared(done)
      {
        int mine = i;
#pragma omp taskyield
        CHECK_EQUAL(i, mine);
        add(&done, 1);
      }
#pragma omp taskyield
    }
    CHECK_EQUAL(me, omp_get_thread_num());
#pragma omp taskwait
  }
  CHECK_EQUAL(kTasks * omp_get_max_threads(), done);
  return ok();
}
