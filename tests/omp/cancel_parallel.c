// cancel for, and in another region cancel parallel, after tasks: those are complete, and the tasks
// of the later regions are all run.
/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

enum { kIterations = 1000 };

int main(int argc, char** argv) {
  (void)argc;
  run_with("OMP_CANCELLATION", "true", argv);
  for (int round = 0; round < rounds(20); ++round) {
    int iterations = 0, past = 0, past_for = 0, tasks = 0, later = 0;
#pragma omp parallel shared(iterations, past_for, tasks)
    {
#pragma omp single
      {
#pragma omp task shared(tasks)
        add(&tasks, 1);
      }
#pragma omp for
      for (int i = 0; i < kIterations; ++i) {
        add(&iterations, 1);
#pragma omp cancel for
        add(&past_for, 1);
      }
    }
    CHECK(iterations >= 1 && iterations <= omp_get_max_threads());
    CHECK_EQUAL(0, past_for);
    CHECK_EQUAL(1, tasks);
#pragma omp parallel shared(past)
    {
#pragma omp cancel parallel
      add(&past, 1);
    }
    CHECK_EQUAL(0, past);
#pragma omp parallel shared(later)
    {
#pragma omp task shared(later)
      add(&later, 1);
#pragma omp barrier
      CHECK_EQUAL(omp_get_num_threads(), value_of(&later));
    }
  }
  return ok();
}
