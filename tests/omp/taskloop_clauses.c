// taskloop with if, final, untied, mergeable and priority, as simd, and combined with master.
/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

enum { kIterations = 100 };

int main(void) {
  int undeferred = 0, finals = 0, untied = 0, simd = 0, combined = 0, master = 0;
#pragma omp parallel
#pragma omp single
  {
    const int me = omp_get_thread_num();
#pragma omp taskloop if (0) grainsize(9) shared(undeferred)
    for (int i = 0; i < kIterations; ++i) {
      CHECK_EQUAL(me, omp_get_thread_num());
      ++undeferred;  // no atomic: one after another on this thread
    }
#pragma omp taskloop final(1) mergeable num_tasks(5) shared(finals)
    for (int i = 0; i < kIterations; ++i) {
      CHECK(omp_in_final());
#pragma omp task shared(finals)
      add(&finals, 1);
    }
#pragma omp taskloop untied priority(3) grainsize(4) shared(untied)
    for (int i = 0; i < kIterations; ++i) {
#pragma omp task shared(untied)
      add(&untied, 1);
#pragma omp taskwait
    }
#pragma omp taskloop simd grainsize(16) reduction(+ : simd)
    for (int i = 0; i < kIterations; ++i) simd += i;
  }
#pragma omp parallel master taskloop grainsize(3) shared(combined)
  for (int i = 0; i < kIterations; ++i) add(&combined, 1);
#pragma omp parallel
  {
#pragma omp master taskloop num_tasks(8) reduction(+ : master)
    for (int i = 0; i < kIterations; ++i) master += 1;
  }
  CHECK_EQUAL(kIterations, undeferred);
  CHECK_EQUAL(kIterations, finals);
  CHECK_EQUAL(kIterations, untied);
  CHECK_EQUAL(kIterations * (kIterations - 1) / 2, simd);
  CHECK_EQUAL(kIterations, combined);
  CHECK_EQUAL(kIterations, master);
  return ok();
}
