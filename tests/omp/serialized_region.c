// parallel if(0), num_threads(1), and an inner region beyond the active levels: a team of one still
// has its own tasks, and its end waits for them, not for the outer team's.
/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

enum { kTasks = 50 };

static void tasks_of(int* done) {
  for (int i = 0; i < kTasks; ++i) {
#pragma omp task firstprivate(done)
    {
#pragma omp task firstprivate(done)
      add(done, 1);
    }
  }
}

int main(void) {
  int done = 0;
#pragma omp parallel if (0)
  {
    CHECK_EQUAL(1, omp_get_num_threads());
    tasks_of(&done);
#pragma omp taskgroup
    tasks_of(&done);
  }
  CHECK_EQUAL(2 * kTasks, done);
#pragma omp parallel num_threads(1)
  tasks_of(&done);
  CHECK_EQUAL(3 * kTasks, done);

  int outer = 0;
  omp_set_max_active_levels(1);
#pragma omp parallel shared(outer)
  {
    int inner = 0;
    tasks_of(&outer);
#pragma omp parallel shared(inner)
    {
      CHECK_EQUAL(1, omp_get_num_threads());
      CHECK_EQUAL(0, omp_get_thread_num());
      CHECK_EQUAL(2, omp_get_level());
      tasks_of(&inner);
    }
    CHECK_EQUAL(kTasks, inner);
  }
  CHECK_EQUAL(omp_get_max_threads() * kTasks, outer);
  return ok();
}
