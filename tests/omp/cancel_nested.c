// Cancelling a region inside a region, one of a single thread, and one after a league of teams: the
// regions around go on.
/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

int main(int argc, char** argv) {
  (void)argc;
  run_with("OMP_CANCELLATION", "true", argv);
  CHECK(omp_get_cancellation());
  omp_set_max_active_levels(2);
  for (int round = 0; round < rounds(20); ++round) {
    int inner = 0, outer = 0, tasks = 0;
#pragma omp parallel num_threads(2) shared(inner, outer, tasks)
    {
      for (int i = 0; i < 3; ++i) {
#pragma omp parallel num_threads(2) shared(inner)
        {
          if (omp_get_thread_num() == omp_get_num_threads() - 1) {
#pragma omp cancel parallel
          }
#pragma omp barrier
          add(&inner, 1);
        }
#pragma omp parallel num_threads(1) shared(inner)
        {
#pragma omp cancel parallel
          add(&inner, 1);
        }
      }
#pragma omp barrier
      add(&outer, 1);
#pragma omp task shared(tasks)
      add(&tasks, 1);
    }
    CHECK_EQUAL(0, inner);
    CHECK(outer == tasks && outer >= 1);
    // A task's region is no longer there to be cancelled: only the loop that it is in.
    int groups = 0, later = 0;
#pragma omp parallel shared(groups, later)
#pragma omp single
    {
#pragma omp taskgroup
      for (int i = 0; i < 50; ++i) {
#pragma omp task shared(groups)
        {
          add(&groups, 1);
#pragma omp cancel taskgroup
          add(&groups, 1000);
        }
      }
#pragma omp taskgroup
#pragma omp task shared(later)
      add(&later, 1);
    }
    CHECK(groups >= 1 && groups <= 50);
    CHECK_EQUAL(1, later);
  }
  return ok();
}
