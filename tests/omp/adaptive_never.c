// FINEGRAIN_OMP_ADAPT=0: the number of threads does not depend on what regions take, whatever dyn-var is.
/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

int main(int argc, char** argv) {
  (void)argc;
  run_with("FINEGRAIN_OMP_ADAPT", "0", argv);
  omp_set_dynamic(1);
  const int cpus = omp_get_num_procs();
  for (int i = 0; i < 20000; ++i) {
    int threads = 0;
#pragma omp parallel num_threads(2)
#pragma omp master
    threads = omp_get_num_threads();
    CHECK_EQUAL(cpus < 2 ? cpus : 2, threads);
  }
  return ok();
}
