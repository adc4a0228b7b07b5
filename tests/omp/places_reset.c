// KMP_AFFINITY=reset releases the program's first thread at the end of the outermost construct, not of a
// region inside one with a single thread, and then binds it anew, also where the program has chosen its
// CPUs meanwhile.
/* SPDX-License-Identifier: Apache-2.0 */
#include "places.h"

static int count_own_cpus(void) {
  int cpus[kMostCpus];
  return own_cpus(cpus);
}

int main(int argc, char** argv) {
  (void)argc;
  run_on_two_cpus("KMP_AFFINITY", "reset,explicit,proclist=[%d,%d]", NULL, argv);
#pragma omp parallel if (0)
  {
    CHECK_EQUAL(1, count_own_cpus());
#pragma omp parallel
    CHECK_EQUAL(1, count_own_cpus());
    CHECK_EQUAL(1, count_own_cpus());
  }
  CHECK_EQUAL(cpus_of_program(), count_own_cpus());
#pragma omp teams num_teams(2)
  {
#pragma omp parallel
    CHECK_EQUAL(1, count_own_cpus());
    CHECK_EQUAL(1, count_own_cpus());
  }
  CHECK_EQUAL(cpus_of_program(), count_own_cpus());
  for (int round = 0; round < 2; ++round) {
#pragma omp parallel
    if (omp_get_thread_num() == 0) {
      CHECK_EQUAL(0, find_own_place().place);
      kmp_affinity_mask_t mask;
      kmp_create_affinity_mask(&mask);
      CHECK_EQUAL(0, kmp_get_affinity(&mask));
      CHECK_EQUAL(0, kmp_set_affinity(&mask));
      kmp_destroy_affinity_mask(&mask);
    }
  }
  return ok();
}
