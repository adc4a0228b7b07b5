// A thread whose CPUs the program has chosen is at no place (kmp_set_affinity), and KMP_AFFINITY=reset
// binds the program's first thread in regions only.
/* SPDX-License-Identifier: Apache-2.0 */
#include "places.h"

static int count_own_cpus(void) {
  int cpus[kMostCpus];
  return own_cpus(cpus);
}

int main(int argc, char** argv) {
  (void)argc;
  run_on_two_cpus("KMP_AFFINITY", "reset,explicit,proclist=[%d,%d]", NULL, argv);
  for (int round = 0; round < 3; ++round) {
    CHECK_EQUAL(cpus_of_program(), count_own_cpus());
#pragma omp parallel
    {
      CHECK_EQUAL(omp_get_thread_num() % omp_get_num_places(), find_own_place().place);
      CHECK_EQUAL(1, count_own_cpus());
    }
  }
#pragma omp parallel
  {
    kmp_affinity_mask_t mask;
    kmp_create_affinity_mask(&mask);
    CHECK_EQUAL(0, kmp_get_affinity(&mask));
    CHECK_EQUAL(0, kmp_set_affinity(&mask));
    CHECK_EQUAL(-1, omp_get_place_num());  // the first such call here: clang believes in one value
    CHECK_EQUAL(omp_proc_bind_false, omp_get_proc_bind());
    kmp_destroy_affinity_mask(&mask);
  }
  return ok();
}
