// Regions in regions, tasks on both levels: a task belongs to the team that made it, and only that
// team's threads run it.
/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

enum { kTasks = 10 };

int main(void) {
  const int threads = omp_get_max_threads();
  const int outer = threads < 8 ? threads : 8;
  int outer_done = 0, inner_done = 0;
  omp_set_max_active_levels(2);
#pragma omp parallel num_threads(outer)
  {
    const int team = omp_get_thread_num();
    for (int i = 0; i < kTasks; ++i) {
#pragma omp task shared(outer_done)
      {
        CHECK_EQUAL(1, omp_get_level());
        CHECK_EQUAL(outer, omp_get_num_threads());
        add(&outer_done, 1);
      }
    }
#pragma omp parallel num_threads(2) shared(inner_done)
    for (int i = 0; i < kTasks; ++i) {
#pragma omp task shared(inner_done) firstprivate(team)
      {
        CHECK_EQUAL(2, omp_get_level());
        CHECK_EQUAL(2, omp_get_num_threads());
        CHECK_EQUAL(team, omp_get_ancestor_thread_num(1));
        add(&inner_done, 1);
      }
    }
#pragma omp taskwait
  }
  CHECK_EQUAL(outer * kTasks, outer_done);
  CHECK_EQUAL(outer * 2 * kTasks, inner_done);
  return ok();
}
