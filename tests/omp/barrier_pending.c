// Explicit barriers, and the implicit ones at the end of single, for, sections and parallel: all
// tasks that any thread of the team made before are complete after it.
/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

enum { kTasks = 20 };

static void make_tasks(int* done) {
  for (int i = 0; i < kTasks; ++i) {
#pragma omp task firstprivate(done)
    {
#pragma omp task firstprivate(done)
      add(done, 1);
      add(done, 1);
    }
  }
}

int main(void) {
  const int threads = omp_get_max_threads();
  int at_barrier = 0, at_single = 0, at_for = 0, at_sections = 0, at_end = 0;
#pragma omp parallel
  {
    make_tasks(&at_barrier);
#pragma omp barrier
    CHECK_EQUAL(2 * kTasks * threads, value_of(&at_barrier));
#pragma omp single
    make_tasks(&at_single);
    CHECK_EQUAL(2 * kTasks, value_of(&at_single));
#pragma omp for
    for (int i = 0; i < 8; ++i) make_tasks(&at_for);
    CHECK_EQUAL(2 * kTasks * 8, value_of(&at_for));
#pragma omp sections
    {
#pragma omp section
      make_tasks(&at_sections);
#pragma omp section
      make_tasks(&at_sections);
#pragma omp section
      make_tasks(&at_sections);
    }
    CHECK_EQUAL(2 * kTasks * 3, value_of(&at_sections));
    make_tasks(&at_end);
  }
  CHECK_EQUAL(2 * kTasks * threads, at_end);
  return ok();
}
