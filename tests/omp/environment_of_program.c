// A program that sets variables of OpenMP's for itself, before it uses OpenMP: LLVM's runtime reads
// them then.
/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

int main(void) {
  setenv("OMP_NUM_THREADS", "3", 1);
  setenv("OMP_SCHEDULE", "guided,7", 1);
  int threads = 0;
#pragma omp parallel
  {
#pragma omp single
    threads = omp_get_num_threads();
  }
  CHECK_EQUAL(3, threads);
  omp_sched_t kind = omp_sched_static;
  int chunk = 0;
  omp_get_schedule(&kind, &chunk);
  CHECK_EQUAL(omp_sched_guided, kind);
  CHECK_EQUAL(7, chunk);
  return ok();
}
