// A thread leaves a cancelled region while another one waits for iterations that it would have run.
/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

enum { kIterations = 100 };

int main(int argc, char** argv) {
  (void)argc;
  run_with("OMP_CANCELLATION", "true", argv);
  for (int round = 0; round < rounds(50); ++round) {
    int after = 0, whole = 0;
#pragma omp parallel num_threads(2) shared(after)
    {
      if (omp_get_thread_num() == omp_get_num_threads() - 1) {
#pragma omp cancel parallel
      }
#pragma omp for ordered(1) schedule(static, 1)
      for (int i = 0; i < kIterations; ++i) {
#pragma omp ordered depend(sink : i - 1)
#pragma omp ordered depend(source)
      }
      add(&after, 1);
    }
    CHECK_EQUAL(0, after);
#pragma omp parallel num_threads(2) shared(whole)
#pragma omp for ordered(1) schedule(static, 1)
    for (int i = 0; i < kIterations; ++i) {
#pragma omp ordered depend(sink : i - 1)
      ++whole;
#pragma omp ordered depend(source)
    }
    CHECK_EQUAL(kIterations, whole);
  }
  return ok();
}
